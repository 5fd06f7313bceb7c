#include "report/chart.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/status.h"

void chart_init(struct chart *chart, enum chart_kind kind, const char *title)
{
    *chart = (struct chart){.kind = kind, .title = title};
    arena_init(&chart->arena);
    chart->x.label = chart->x.unit = chart->y.label = chart->y.unit = "";
    chart->value_label = chart->value_unit = "";
}

void chart_release(struct chart *chart)
{
    arena_release(&chart->arena);
}

struct chart_series *chart_add(struct chart *chart, const char *name, uint32_t count)
{
    promise(chart->series_count < CHART_SERIES);
    struct chart_series *series = &chart->series[chart->series_count];
    *series = (struct chart_series){
        .name = name,
        .count = count,
        .x = arena_array(&chart->arena, (size_t)count + 1, sizeof *series->x),
        .y = arena_array(&chart->arena, (size_t)count + 1, sizeof *series->y),
        .row = arena_array(&chart->arena, (size_t)count + 1, sizeof *series->row),
        .colour = (uint8_t)chart->series_count,
    };
    chart->series_count++;
    for (uint32_t i = 0; i < count; i++)
        series->x[i] = series->y[i] = NAN;
    return series;
}

const char *chart_text(struct chart *chart, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return arena_text(&chart->arena, text, strlen(text));
}

/* -- JSON -------------------------------------------------------------------------------------- */

static void put_names(struct json_writer *json, const char *key, const struct chart_axis *axis)
{
    json_list_begin(json, key, JSON_INLINE);
    for (uint32_t i = 0; i < axis->names; i++)
        json_text(json, NULL, axis->name[i]);
    json_list_end(json);
}

static void put_axis(struct json_writer *json, const char *key, const struct chart_axis *axis)
{
    json_map_begin(json, key, JSON_INLINE);
    json_text(json, "label", axis->label);
    json_text(json, "unit", axis->unit);
    json_bool(json, "isLog", axis->is_log);
    json_bool(json, "isZero", axis->from_zero);
    if (axis->name)
        put_names(json, "names", axis);
    json_map_end(json);
}

static void put_values(struct json_writer *json, const char *key, const double *value,
                       uint32_t count)
{
    json_list_begin(json, key, JSON_INLINE);
    for (uint32_t i = 0; i < count; i++)
        json_number(json, NULL, value[i]);
    json_list_end(json);
}

static void put_bars(const struct chart *chart, struct json_writer *json)
{
    put_names(json, "names", &chart->y);
    put_axis(json, "axis", &chart->x);
    json_list_begin(json, "series", JSON_LINES);
    for (uint32_t k = 0; k < chart->series_count; k++) {
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "name", chart->series[k].name);
        json_u64(json, "colour", chart->series[k].colour);
        put_values(json, "values", chart->series[k].y, chart->series[k].count);
        json_map_end(json);
    }
    json_list_end(json);
}

static void put_points(const struct chart *chart, struct json_writer *json)
{
    put_axis(json, "x", &chart->x);
    put_axis(json, "y", &chart->y);
    json_list_begin(json, "series", JSON_LINES);
    for (uint32_t k = 0; k < chart->series_count; k++) {
        const struct chart_series *series = &chart->series[k];
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "name", series->name);
        put_values(json, "x", series->x, series->count);
        put_values(json, "y", series->y, series->count);
        json_map_end(json);
    }
    json_list_end(json);
}

static void put_cells(const struct chart *chart, struct json_writer *json)
{
    put_axis(json, "down", &chart->y);
    put_axis(json, "across", &chart->x);
    json_map_begin(json, "value", JSON_INLINE);
    json_text(json, "label", chart->value_label);
    json_text(json, "unit", chart->value_unit);
    json_map_end(json);
    json_list_begin(json, "cells", JSON_LINES);
    for (uint32_t i = 0; i < chart->y.names; i++)
        put_values(json, NULL, chart->cell + (size_t)i * chart->x.names, chart->x.names);
    json_list_end(json);
}

void chart_json(const struct chart *chart, struct json_writer *json)
{
    static const char *const kinds[] = {"bars", "xy", "heat", "histogram"};
    promise(chart->kind != CHART_GANTT);
    json_map_begin(json, NULL, JSON_LINES);
    json_text(json, "type", "chart");
    json_text(json, "kind", kinds[chart->kind]);
    json_text(json, "title", chart->title);
    json_text(json, "note", chart->note);
    if (chart->kind == CHART_BARS)
        put_bars(chart, json);
    else if (chart->kind == CHART_XY)
        put_points(chart, json);
    else if (chart->kind == CHART_HEAT)
        put_cells(chart, json);
    else {
        put_axis(json, "axis", &chart->x);
        json_text(json, "count", chart->y.label);
        put_values(json, "values", chart->series[0].y, chart->series[0].count);
    }
    json_map_end(json);
}
