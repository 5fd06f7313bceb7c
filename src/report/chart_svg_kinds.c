/* The kinds of charts, drawn. */
#include <math.h>
#include <string.h>

#include "report/chart_svg_parts.h"
#include "report/svg_text.h"

static void grow_ends(double ends[2], double value)
{
    if (isnan(value))
        return;
    ends[0] = fmin(ends[0], value);
    ends[1] = fmax(ends[1], value);
}

/* The panel is as high as its plot's bottom and what is below. */
static void set_bottom(struct svg_panel *panel, double plot, double below)
{
    double asked = panel->asked_height;
    panel->bottom = asked > 0 ? fmax(panel->top + asked - below, panel->upper + 3 * panel->font)
                              : panel->upper + plot;
    panel->height = panel->bottom + below;
}

/* -- bars -------------------------------------------------------------------------------------- */

static double bar_total(const struct chart *chart, uint32_t bar)
{
    double sum = 0;
    for (uint32_t k = 0; k < chart->series_count; k++) {
        double value = bar < chart->series[k].count ? chart->series[k].y[bar] : NAN;
        sum += value > 0 ? value : 0;
    }
    return sum;
}

static void measure_bars(struct svg_panel *panel)
{
    const struct chart *chart = panel->chart;
    double ends[2] = {INFINITY, -INFINITY};
    for (uint32_t i = 0; i < chart->y.names; i++)
        grow_ends(ends, bar_total(chart, i));
    panel->left = svg_names_left(panel, &chart->y);
    panel->right = panel->width - 3.6 * panel->font;
    panel->upper -= panel->font;
    set_bottom(panel, 1.9 * panel->font * chart->y.names, 3.2 * panel->font);
    chart_scale_init(&panel->x, &chart->x, ends, (double[]){panel->left, panel->right});
}

static void draw_bar(const struct svg_panel *panel, uint32_t bar, double y, double height)
{
    const struct chart *chart = panel->chart;
    double from = 0;
    char text[64];
    for (uint32_t k = 0; k < chart->series_count; k++) {
        const struct chart_series *series = &chart->series[k];
        double value = bar < series->count ? series->y[bar] : NAN;
        if (!(value > 0))
            continue;
        double x = chart_place(&panel->x, from), end = chart_place(&panel->x, from + value);
        fprintf(panel->out,
                "<rect class=\"f%d\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>",
                series->colour % SVG_COLOURS, x, y, fmax(end - x, 0.3), height);
        svg_text(panel->out, chart->y.name[bar]);
        if (chart->series_count > 1) {
            fputs(", ", panel->out);
            svg_text(panel->out, series->name);
        }
        fprintf(panel->out, ": %s</title></rect>\n",
                svg_figure(text, sizeof text, &panel->x, value));
        from += value;
    }
    svg_words(panel,
              &(struct svg_words){chart_place(&panel->x, from) + 0.4 * panel->font,
                                  y + height / 2 + 0.35 * panel->font, 0, "soft", NULL},
              chart_figure(text, sizeof text, from * panel->x.factor));
}

static void draw_bars(struct svg_panel *panel)
{
    const struct chart *chart = panel->chart;
    double each = (panel->bottom - panel->upper) / (chart->y.names ? chart->y.names : 1);
    for (uint32_t i = 0; i < panel->x.ticks; i++) {
        double x = chart_place(&panel->x, panel->x.tick[i]);
        fprintf(panel->out,
                "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", x, x,
                panel->upper, panel->bottom);
    }
    for (uint32_t i = 0; i < chart->y.names; i++) {
        double y = panel->upper + each * i;
        svg_words(panel,
                  &(struct svg_words){panel->left - 0.5 * panel->font,
                                      y + each / 2 + 0.35 * panel->font,
                                      panel->left - 0.6 * panel->font, "end", NULL},
                  chart->y.name[i]);
        draw_bar(panel, i, y + 0.14 * each, 0.72 * each);
    }
    svg_axis_below(panel, &panel->x, &chart->x);
}

const struct svg_kind svg_bars = {measure_bars, draw_bars, true, false};

/* -- lines and points -------------------------------------------------------------------------- */

static size_t widest_tick(const struct chart_scale *scale)
{
    size_t most = 1;
    for (uint32_t i = 0; i < scale->ticks; i++) {
        char text[40];
        size_t length = strlen(chart_tick(scale, text, sizeof text, i));
        most = length > most ? length : most;
    }
    return most;
}

/* Ticks at the figures across, if all lines have the same few. */
static void tick_at_points(struct svg_panel *panel)
{
    const struct chart_series *first = NULL;
    for (uint32_t k = 0; k < panel->chart->series_count; k++) {
        const struct chart_series *series = &panel->chart->series[k];
        if (series->has_line && (!first || series->count > first->count))
            first = series;
    }
    if (first && !panel->chart->y.is_log && first->count > 1)
        chart_scale_ticks_at(&panel->x, first->x, first->count);
}

static void measure_xy(struct svg_panel *panel)
{
    const struct chart *chart = panel->chart;
    double x[2] = {INFINITY, -INFINITY}, y[2] = {INFINITY, -INFINITY};
    for (uint32_t k = 0; k < chart->series_count; k++) {
        for (uint32_t i = 0; i < chart->series[k].count; i++) {
            grow_ends(x, chart->series[k].x[i]);
            grow_ends(y, chart->series[k].y[i]);
        }
    }
    panel->right = panel->width - panel->font;
    panel->upper += 1.2 * panel->font;
    double below =
        chart->x.name ? svg_names_room(panel, &chart->x, 0.9 * panel->width) : 3.2 * panel->font;
    set_bottom(panel, 0.42 * panel->width, below);
    chart_scale_init(&panel->y, &chart->y, y, (double[]){panel->bottom, panel->upper});
    panel->left = svg_text_width(panel, widest_tick(&panel->y)) + panel->font;
    double places[2] = {panel->left, panel->right};
    if (chart->x.name) { /* name i in the middle of its place */
        panel->x = (struct chart_scale){.low = -0.5, .high = chart->x.names - 0.5, .factor = 1};
        panel->x.from = places[0];
        panel->x.to = places[1];
        return;
    }
    chart_scale_init(&panel->x, &chart->x, x, places);
    tick_at_points(panel);
}

static void draw_points(const struct svg_panel *panel, const struct chart_series *series)
{
    const struct chart *chart = panel->chart;
    uint32_t colour = series->colour % SVG_COLOURS;
    for (uint32_t i = 0; i < series->count; i++) {
        if (isnan(series->x[i]) || isnan(series->y[i]))
            continue;
        char x[64], y[64];
        double size = (series->has_line ? 0.27 : 0.2) * panel->font;
        svg_mark(panel, chart_place(&panel->x, series->x[i]), chart_place(&panel->y, series->y[i]),
                 colour, size);
        fprintf(panel->out, " class=\"f%u%s\"><title>", colour, series->has_line ? "" : " faint");
        if (chart->x.name)
            svg_text(panel->out, chart->x.name[(uint32_t)series->x[i]]);
        else
            fprintf(panel->out, "%s%s", svg_figure(x, sizeof x, &panel->x, series->x[i]),
                    *chart->x.unit ? "" : " ");
        if (!chart->x.name && !*chart->x.unit)
            svg_text(panel->out, chart->x.label);
        bool is_circle = colour == 0 || colour == SVG_COLOURS - 1;
        fprintf(panel->out, ": %s</title></%s>\n", svg_figure(y, sizeof y, &panel->y, series->y[i]),
                is_circle ? "circle" : "path");
    }
}

static void draw_line(const struct svg_panel *panel, const struct chart_series *series)
{
    fprintf(panel->out, "<polyline class=\"curve l%d\" points=\"", series->colour % SVG_COLOURS);
    double before = NAN;
    for (uint32_t i = 0; i < series->count; i++) {
        if (isnan(series->x[i]) || isnan(series->y[i]))
            continue;
        double x = chart_place(&panel->x, series->x[i]), y = chart_place(&panel->y, series->y[i]);
        if (panel->chart->is_step && !isnan(before))
            fprintf(panel->out, "%.1f,%.1f ", x, before);
        fprintf(panel->out, "%.1f,%.1f ", x, y);
        before = y;
    }
    fputs("\"/>\n", panel->out);
}

static void draw_xy(struct svg_panel *panel)
{
    const struct chart *chart = panel->chart;
    svg_axis_left(panel, &panel->y, &chart->y);
    if (chart->x.name)
        svg_names_below(panel, &chart->x);
    else
        svg_axis_below(panel, &panel->x, &chart->x);
    for (int pass = 0; pass < 2; pass++) { /* faint points are under lines */
        for (uint32_t k = 0; k < chart->series_count; k++) {
            if (chart->series[k].has_line != (pass == 1))
                continue;
            if (pass == 1)
                draw_line(panel, &chart->series[k]);
            draw_points(panel, &chart->series[k]);
        }
    }
}

const struct svg_kind svg_xy = {measure_xy, draw_xy, true, true};
