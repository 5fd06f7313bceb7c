#include "sweep/results_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/columns.h"
#include "report/json_writer.h"

const char *results_number(char *to, size_t size, double number)
{
    *to = '\0';
    for (int digits = 15; digits <= 17 && !isnan(number); digits++) {
        snprintf(to, size, "%.*g", digits, number);
        if (strtod(to, NULL) == number)
            break;
    }
    return to;
}

/* -- text -------------------------------------------------------------------------------------- */

static void add_number(struct columns *columns, double number)
{
    if (isnan(number))
        columns_add(columns, "-");
    else
        columns_add(columns, fabs(number) >= 1e6 && fabs(number) < 1e15 ? "%.4e" : "%.6g", number);
}

/* A page has COLUMNS_MOST columns: the last ones are left out, which is said. */
static void text_rows(const struct results *results, FILE *out)
{
    struct columns columns;
    char align[COLUMNS_MOST + 1] = "";
    uint32_t count = results->shown_count < COLUMNS_MOST ? results->shown_count : COLUMNS_MOST;
    for (uint32_t k = 0; k < count; k++) {
        bool is_text = results->row_count &&
                       results_cell(results, results->row[0], results->shown[k], false).text;
        align[k] = is_text ? 'l' : 'r';
    }
    columns_init(&columns, align);
    for (uint32_t k = 0; k < count; k++)
        columns_add(&columns, "%s", results->column[results->shown[k]]);
    for (uint32_t i = 0; i < results->row_count; i++) {
        for (uint32_t k = 0; k < count; k++) {
            struct expression_value value =
                results_cell(results, results->row[i], results->shown[k], true);
            if (value.text)
                columns_add(&columns, "%.200s", value.text);
            else
                add_number(&columns, value.number);
        }
    }
    columns_print(&columns, out);
    columns_release(&columns);
    if (count < results->shown_count)
        fprintf(out, "  (%" PRIu32 " columns more: --columns, or --format csv)\n",
                results->shown_count - count);
}

static void text_pivot(const struct pivot *pivot, FILE *out)
{
    struct columns columns;
    char align[COLUMNS_MOST + 1] = "l";
    uint32_t count = pivot->columns < COLUMNS_MOST ? pivot->columns : COLUMNS_MOST - 1;
    memset(align + 1, 'r', count);
    fprintf(out, "%s: %s down, %s across\n", pivot->value, pivot->down, pivot->across);
    columns_init(&columns, align);
    columns_add(&columns, " ");
    for (uint32_t k = 0; k < count; k++)
        columns_add(&columns, "%s", pivot->column[k]);
    for (uint32_t i = 0; i < pivot->rows; i++) {
        columns_add(&columns, "%s", pivot->row[i]);
        for (uint32_t k = 0; k < count; k++)
            add_number(&columns, pivot->cell[i * pivot->columns + k]);
    }
    columns_print(&columns, out);
    columns_release(&columns);
    if (count < pivot->columns)
        fprintf(out, "  (%" PRIu32 " columns more: --format csv)\n", pivot->columns - count);
}

/* -- CSV (RFC 4180) ---------------------------------------------------------------------------- */

static void csv_text(const char *text, FILE *out)
{
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void csv_number(double number, FILE *out)
{
    char text[40];
    fputs(results_number(text, sizeof text, number), out);
}

static void csv_rows(const struct results *results, FILE *out)
{
    for (uint32_t k = 0; k < results->shown_count; k++) {
        fputs(k ? "," : "", out);
        csv_text(results->column[results->shown[k]], out);
    }
    fputc('\n', out);
    for (uint32_t i = 0; i < results->row_count; i++) {
        for (uint32_t k = 0; k < results->shown_count; k++) {
            struct expression_value value =
                results_cell(results, results->row[i], results->shown[k], true);
            fputs(k ? "," : "", out);
            if (value.text)
                csv_text(value.text, out);
            else
                csv_number(value.number, out);
        }
        fputc('\n', out);
    }
}

static void csv_pivot(const struct pivot *pivot, FILE *out)
{
    csv_text(pivot->down, out);
    for (uint32_t k = 0; k < pivot->columns; k++) {
        fputc(',', out);
        csv_text(pivot->column[k], out);
    }
    fputc('\n', out);
    for (uint32_t i = 0; i < pivot->rows; i++) {
        csv_text(pivot->row[i], out);
        for (uint32_t k = 0; k < pivot->columns; k++) {
            fputc(',', out);
            csv_number(pivot->cell[i * pivot->columns + k], out);
        }
        fputc('\n', out);
    }
}

/* -- JSON -------------------------------------------------------------------------------------- */

static void json_rows(const struct results *results, FILE *out)
{
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "schema", "orrery.results/1");
    json_text(&json, "program", results->table->program);
    json_list_begin(&json, "axes", JSON_INLINE);
    for (uint32_t i = 0; i < results->table->axis_count; i++)
        json_text(&json, NULL, results->table->axis[i]);
    json_list_end(&json);
    json_map_begin(&json, "units", JSON_LINES);
    for (int i = 0; i < MEASURE_COUNT; i++)
        json_text(&json, measure_columns[i], measure_units[i]);
    json_map_end(&json);
    json_list_begin(&json, "points", JSON_LINES);
    for (uint32_t i = 0; i < results->row_count; i++) {
        json_map_begin(&json, NULL, JSON_INLINE);
        for (uint32_t k = 0; k < results->shown_count; k++) {
            struct expression_value value =
                results_cell(results, results->row[i], results->shown[k], true);
            if (value.text)
                json_text(&json, results->column[results->shown[k]], value.text);
            else
                json_double(&json, results->column[results->shown[k]], value.number);
        }
        json_map_end(&json);
    }
    json_list_end(&json);
    json_map_end(&json);
}

static void json_pivot(const struct pivot *pivot, FILE *out)
{
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "schema", "orrery.pivot/1");
    json_text(&json, "down", pivot->down);
    json_text(&json, "across", pivot->across);
    json_text(&json, "value", pivot->value);
    json_list_begin(&json, "columns", JSON_INLINE);
    for (uint32_t k = 0; k < pivot->columns; k++)
        json_text(&json, NULL, pivot->column[k]);
    json_list_end(&json);
    json_list_begin(&json, "rows", JSON_LINES);
    for (uint32_t i = 0; i < pivot->rows; i++) {
        json_map_begin(&json, NULL, JSON_INLINE);
        json_text(&json, "value", pivot->row[i]);
        json_list_begin(&json, "cells", JSON_INLINE);
        for (uint32_t k = 0; k < pivot->columns; k++)
            json_double(&json, NULL, pivot->cell[i * pivot->columns + k]);
        json_list_end(&json);
        json_map_end(&json);
    }
    json_list_end(&json);
    json_map_end(&json);
}

const struct results_format results_formats[] = {
    {"text", text_rows, text_pivot},
    {"csv", csv_rows, csv_pivot},
    {"json", json_rows, json_pivot},
    {NULL, NULL, NULL},
};
