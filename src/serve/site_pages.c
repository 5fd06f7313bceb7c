#include "serve/site_pages.h"

#include <inttypes.h>

#include "report/svg_text.h"
#include "sweep/results_write.h"

/* Without scripts and styles, until the pages have some. */
const char *site_policy(void)
{
    return "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

static void begin_page(const char *title, int again_s, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
    if (again_s)
        fprintf(out, "<meta http-equiv=\"refresh\" content=\"%d\">\n", again_s);
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          out);
    svg_text(out, title);
    fputs("</title>\n</head>\n<body>\n<h1>", out);
    svg_text(out, title);
    fputs("</h1>\n", out);
}

static void end_page(FILE *out)
{
    fputs("</body>\n</html>\n", out);
}

void site_write_reason(const char *title, const struct diag *why, FILE *out)
{
    begin_page(title, 5, out);
    fputs("<p role=\"status\">The study's results cannot be read just now: ", out);
    svg_text(out, why->message);
    fputs(".</p>\n", out);
    if (why->hint[0]) {
        fputs("<p>", out);
        svg_text(out, why->hint);
        fputs(".</p>\n", out);
    }
    fputs("<p>This page asks again every five seconds.</p>\n", out);
    end_page(out);
}

/* -- the store --------------------------------------------------------------------------------- */

static unsigned with_table(const struct site_options *options, uint32_t number, FILE *out,
                           unsigned (*write)(const struct site_options *options,
                                             const struct store_table *table, uint32_t number,
                                             FILE *out))
{
    struct diag diag = DIAG_NONE;
    struct store *store = store_open(options->store, false, &diag);
    struct store_table table;
    if (!store) {
        fprintf(out, "503 %s\n", diag.message);
        return 503;
    }
    unsigned status = 503;
    if (store_read(store, &table, &diag) == STATUS_OK)
        status = write(options, &table, number, out);
    else
        fprintf(out, "503 %s\n", diag.message);
    store_table_release(&table);
    store_close(store);
    return status;
}

static unsigned write_data(const struct site_options *options, const struct store_table *table,
                           uint32_t number, FILE *out)
{
    struct results results;
    (void)options;
    (void)number;
    results_init(&results, table);
    for (const struct results_format *format = results_formats; format->name; format++) {
        if (format->name[0] == 'j')
            format->rows(&results, out);
    }
    results_release(&results);
    return 200;
}

unsigned site_make_data(const struct site_options *options, uint32_t number, FILE *out)
{
    return with_table(options, number, out, write_data);
}

/* -- the study --------------------------------------------------------------------------------- */

static unsigned write_page(const struct site_options *options, const struct store_table *table,
                           uint32_t number, FILE *out)
{
    uint32_t done = 0;
    (void)number;
    for (uint32_t i = 0; i < table->count; i++)
        done += table->row[i].is_done;
    begin_page(options->title, done < table->count ? 5 : 0, out);
    fprintf(out, "<p role=\"status\">%" PRIu32 " of %" PRIu32 " points have ended.</p>\n", done,
            table->count);
    fputs("<p><a href=\"data.json\">Results as JSON</a></p>\n<table>\n<thead><tr><th>point</th>",
          out);
    for (uint32_t k = 0; k < table->axis_count; k++) {
        fputs("<th>", out);
        svg_text(out, table->axis[k]);
        fputs("</th>", out);
    }
    fputs("<th>state</th><th>time_s</th></tr></thead>\n<tbody>\n", out);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct store_row *row = &table->row[i];
        char time[40];
        fprintf(out, "<tr><td><a href=\"point/%" PRIu32 "\">%" PRIu32 "</a></td>", row->ordinal,
                row->ordinal);
        for (uint32_t k = 0; k < table->axis_count; k++) {
            fputs("<td>", out);
            svg_text(out, row->axis[k]);
            fputs("</td>", out);
        }
        fprintf(out, "<td>%s</td><td>%s</td></tr>\n", row->state,
                results_number(time, sizeof time, row->value[MEASURE_TIME]));
    }
    fputs("</tbody>\n</table>\n", out);
    end_page(out);
    return 200;
}

unsigned site_make_page(const struct site_options *options, uint32_t number, FILE *out)
{
    return with_table(options, number, out, write_page);
}

/* -- a point ----------------------------------------------------------------------------------- */

static void write_fact(const char *name, const char *value, FILE *out)
{
    fputs("<tr><th scope=\"row\">", out);
    svg_text(out, name);
    fputs("</th><td>", out);
    svg_text(out, value);
    fputs("</td></tr>\n", out);
}

/* What the store has of it. */
static unsigned write_point(const struct site_options *options, const struct store_table *table,
                            uint32_t number, FILE *out)
{
    char text[80], value[40];
    (void)options;
    if (number >= table->count) {
        fprintf(out, "404 there is no point %" PRIu32 "\n", number);
        return 404;
    }
    const struct store_row *row = &table->row[number];
    snprintf(text, sizeof text, "Point %" PRIu32, number);
    begin_page(text, row->is_done ? 0 : 5, out);
    fputs("<p><a href=\"..\">All points</a></p>\n<table>\n", out);
    for (uint32_t k = 0; k < table->axis_count; k++)
        write_fact(table->axis[k], row->axis[k], out);
    write_fact("state", row->state, out);
    if (row->reason[0])
        write_fact("reason", row->reason, out);
    for (int i = 0; i < MEASURE_COUNT; i++) {
        snprintf(text, sizeof text, "%s%s%s", results_number(value, sizeof value, row->value[i]),
                 value[0] && *measure_units[i] ? " " : "", value[0] ? measure_units[i] : "");
        if (value[0])
            write_fact(measure_columns[i], text, out);
    }
    fputs("</table>\n", out);
    end_page(out);
    return 200;
}

unsigned site_make_point(const struct site_options *options, uint32_t number, FILE *out)
{
    struct diag diag = DIAG_NONE;
    if (options->point && options->point(options->store, number, out, &diag) == STATUS_OK)
        return 200;
    return with_table(options, number, out, write_point);
}
