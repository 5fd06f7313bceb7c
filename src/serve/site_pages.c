#include "serve/site_pages.h"

#include <inttypes.h>
#include <string.h>

#include "page/page_files.h"
#include "page/study_page.h"
#include "report/svg_text.h"
#include "sweep/results_write.h"

/* A page that is being made. */
struct making {
    const struct site_options *options;
    const struct store_table *table;
    uint32_t number;
    const char *why; /* a point cannot be run again, or NULL */
    FILE *out;
};

void site_put_policy(FILE *out)
{
    const struct embedded_file *hashes = embedded_find(page_files, "policy");
    promise(hashes != NULL);
    fprintf(out,
            "default-src 'none'; img-src data:; connect-src 'self'; base-uri 'none'; "
            "form-action 'none'; frame-ancestors 'none'; %s",
            hashes->text);
}

static void begin_page(const char *title, int again_s, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
    if (again_s)
        fprintf(out, "<meta http-equiv=\"refresh\" content=\"%d\">\n", again_s);
    fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
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

static void write_paragraph(const char *before, const char *text, FILE *out)
{
    fputs("<p role=\"status\">", out);
    fputs(before, out);
    svg_text(out, text);
    fputs("</p>\n", out);
}

void site_write_reason(const char *title, const struct diag *why, FILE *out)
{
    begin_page(title, 5, out);
    write_paragraph("The study's results cannot be read just now: ", why->message, out);
    if (why->hint[0])
        write_paragraph("", why->hint, out);
    fputs("<p>This page asks again every five seconds.</p>\n", out);
    end_page(out);
}

/* -- the study --------------------------------------------------------------------------------- */

static unsigned with_table(struct making *making, unsigned (*write)(const struct making *making))
{
    struct diag diag = DIAG_NONE;
    struct store *store = store_open(making->options->store, false, &diag);
    struct store_table table;
    unsigned status = 503;
    if (!store) {
        fprintf(making->out, "503 %s\n", diag.message);
        return status;
    }
    making->table = &table;
    if (store_read(store, &table, &diag) == STATUS_OK)
        status = write(making);
    else
        fprintf(making->out, "503 %s\n", diag.message);
    store_table_release(&table);
    store_close(store);
    return status;
}

static struct study_page study_page_of(const struct making *making)
{
    return (struct study_page){.table = making->table,
                               .version = making->options->version,
                               .title = making->options->title,
                               .is_live = true};
}

unsigned site_make_page(const struct site_options *options, uint32_t number, FILE *out)
{
    struct making making = {.options = options, .number = number};
    struct study_page page = study_page_of(&making);
    study_page_write(&page, out);
    return 200;
}

static unsigned write_data(const struct making *making)
{
    struct study_page page = study_page_of(making);
    study_page_data(&page, making->out);
    return 200;
}

unsigned site_make_data(const struct site_options *options, uint32_t number, FILE *out)
{
    struct making making = {.options = options, .number = number, .out = out};
    return with_table(&making, write_data);
}

static unsigned write_results(const struct making *making)
{
    struct results results;
    results_init(&results, making->table);
    for (const struct results_format *format = results_formats; format->name; format++) {
        if (strcmp(format->name, "json") == 0)
            format->rows(&results, making->out);
    }
    results_release(&results);
    return 200;
}

unsigned site_make_results(const struct site_options *options, uint32_t number, FILE *out)
{
    struct making making = {.options = options, .number = number, .out = out};
    return with_table(&making, write_results);
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

static void write_measures(const struct store_row *row, FILE *out)
{
    char text[80], value[40];
    for (int i = 0; i < MEASURE_COUNT; i++) {
        const char *unit = measure_units[i];
        results_number(value, sizeof value, row->value[i]);
        snprintf(text, sizeof text, "%s%s%s", value, *unit ? " " : "", unit);
        if (value[0])
            write_fact(measure_columns[i], text, out);
    }
}

/* What the store has of it. */
static unsigned write_point(const struct making *making)
{
    const struct store_table *table = making->table;
    FILE *out = making->out;
    char title[32];
    if (making->number >= table->count) {
        fprintf(out, "404 there is no point %" PRIu32 "\n", making->number);
        return 404;
    }
    const struct store_row *row = &table->row[making->number];
    snprintf(title, sizeof title, "Point %" PRIu32, making->number);
    begin_page(title, row->is_done ? 0 : 5, out);
    fputs("<p><a href=\"../\">All points</a></p>\n", out);
    if (making->why && row->is_done)
        write_paragraph("There is no page of this run: ", making->why, out);
    fputs("<table>\n", out);
    for (uint32_t k = 0; k < table->axis_count; k++)
        write_fact(table->axis[k], row->axis[k], out);
    write_fact("state", row->state, out);
    if (row->reason[0])
        write_fact("reason", row->reason, out);
    write_measures(row, out);
    fputs("</table>\n", out);
    end_page(out);
    return 200;
}

unsigned site_make_point(const struct site_options *options, uint32_t number, FILE *out)
{
    struct diag diag = DIAG_NONE;
    struct making making = {.options = options, .number = number, .out = out};
    if (options->point && options->point(options->store, number, out, &diag) == STATUS_OK)
        return 200;
    making.why = options->point ? diag.message : NULL;
    return with_table(&making, write_point);
}

/* -- charts ------------------------------------------------------------------------------------ */

unsigned site_make_plot(const struct site_options *options, uint32_t number, FILE *out)
{
    static const char *const names[] = {
        [PLOT_SCALING] = "scaling", [PLOT_PARETO] = "pareto", [PLOT_DISTRIBUTION] = "distribution"};
    struct diag diag = DIAG_NONE;
    if (!options->plot) {
        fputs("404 there are no charts\n", out);
        return 404;
    }
    if (options->plot(options->store, names[number], out, &diag) == STATUS_OK)
        return 200;
    fprintf(out, "503 %s\n", diag.message);
    return 503;
}
