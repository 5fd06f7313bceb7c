#include "report/explain_report.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/columns.h"
#include "report/json_writer.h"
#include "report/origin_json.h"
#include "report/sensitivity_report.h"

enum { SHOWN = 32 };

/* A measured part is as said: of it, and of the makespan. */
#define MEASURED_WITHIN 0.1
#define MEASURED_LEAST  1e-5

/* -- text ------------------------------------------------------------------------------------ */

static void add_time(struct columns *table, time_ps time)
{
    char text[SHOWN];
    columns_add(table, "%s", time ? units_show_time(text, sizeof text, time) : "0");
}

static double share(time_ps part, time_ps whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void add_row(struct columns *table, const char *name, time_ps time, uint32_t pieces,
                    const struct path_blame *blame)
{
    columns_add(table, "%s", name);
    add_time(table, time);
    columns_add(table, "%.2f %%", share(time, blame->end_ps));
    columns_add(table, "%" PRIu32, pieces);
}

/* By the replay, which knows more of collectives than closed forms; else a percent of the time. */
static time_ps worth_ps(const struct explain_report *report, const struct blame_row *row)
{
    const struct sensitivity *sensitivity = report->sensitivity;
    for (uint32_t i = 0; i < sensitivity->part_count; i++) {
        const struct sensitivity_row *found = &sensitivity->part[i];
        if ((int)found->part == row->part && found->dim == row->dim)
            return (time_ps)(found->slower_ps + 0.5);
    }
    return row->time_ps / 100;
}

/* A real run with 1 % more is not what the path says, and that shows in the makespan. */
static bool is_off(const struct explain_report *report, const struct blame_row *row)
{
    double said = (double)worth_ps(report, row), real = (double)row->measured_ps;
    return row->is_measured && fabs(real - said) > MEASURED_WITHIN * fmax(said, fabs(real)) &&
           fabs(real - said) > MEASURED_LEAST * (double)report->result->end_ps;
}

static void say_off(const struct explain_report *report, FILE *out)
{
    const struct blame_table *parts = &report->blame->by[BLAME_BY_PART];
    bool is_any = false;
    for (uint32_t i = 0; i < parts->count; i++)
        is_any = is_any || is_off(report, &parts->row[i]);
    if (!is_any)
        return;
    fputs("  ", out);
    columns_wrap(out, 2, 2,
                 "* a run with 1 % more takes another time than the path says, by more than a "
                 "tenth: ops come in another order, or share links with others; do not trust the "
                 "sensitivity to that part");
}

/* By part: what it scales with, and what one percent of it is worth. */
static void add_sensitivity(const struct explain_report *report, struct columns *table,
                            const struct blame_row *row)
{
    if (*row->change)
        add_time(table, worth_ps(report, row));
    else
        columns_add(table, "%s", "");
    char text[SHOWN];
    time_ps length = (time_ps)(row->measured_ps < 0 ? -row->measured_ps : row->measured_ps);
    if (report->is_measured)
        columns_add(table, "%s%s%s", is_off(report, row) ? "* " : "",
                    row->measured_ps < 0 ? "-" : "",
                    row->is_measured ? units_show_time(text, sizeof text, length) : "");
    columns_add(table, "%s", row->change);
}

static void table_text(const struct explain_report *report, enum blame_by by, FILE *out)
{
    const struct blame_table *rows = &report->blame->by[by];
    bool is_parts = by == BLAME_BY_PART;
    struct columns table;
    columns_init(&table, !is_parts ? "lrrr" : report->is_measured ? "LrrrrrL" : "LrrrrL");
    columns_add(&table, "%s", blame_by_names[by]);
    columns_add(&table, "time");
    columns_add(&table, "share");
    columns_add(&table, "pieces");
    if (is_parts) {
        columns_add(&table, "1 %% is worth");
        if (report->is_measured)
            columns_add(&table, "measured");
        columns_add(&table, "scales with");
    }
    uint32_t most = is_parts || rows->count <= report->most_rows ? rows->count : report->most_rows;
    struct blame_row others = {.time_ps = 0};
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct blame_row *row = &rows->row[i];
        if (i >= most) {
            others.time_ps += row->time_ps;
            others.pieces += row->pieces;
            continue;
        }
        add_row(&table, row->name, row->time_ps, row->pieces, report->blame);
        if (is_parts)
            add_sensitivity(report, &table, row);
    }
    char name[SHOWN];
    snprintf(name, sizeof name, "(%" PRIu32 " other%s)", rows->count - most,
             rows->count - most > 1 ? "s" : "");
    if (most < rows->count)
        add_row(&table, name, others.time_ps, others.pieces, report->blame);
    columns_print(&table, out);
    columns_release(&table);
    if (is_parts)
        say_off(report, out);
    fputc('\n', out);
}

static void slack_text(const struct explain_report *report, FILE *out)
{
    struct columns table;
    columns_init(&table, "lrrrr");
    columns_add(&table, "%s", "class of op");
    columns_add(&table, "ops");
    columns_add(&table, "without slack");
    columns_add(&table, "median slack");
    columns_add(&table, "most");
    for (uint32_t i = 0; i < report->blame->slack_count; i++) {
        const struct slack_row *row = &report->blame->slack[i];
        columns_add(&table, "%s", row->name);
        columns_add(&table, "%" PRIu32, row->ops);
        columns_add(&table, "%" PRIu32, row->critical);
        add_time(&table, row->median_ps);
        add_time(&table, row->most_ps);
    }
    fputs("slack: how much later ops could end, one by one, before the run does\n", out);
    columns_print(&table, out);
    columns_release(&table);
    fputc('\n', out);
}

static void bounds_text(const struct explain_report *report, FILE *out)
{
    if (!report->bound_count)
        return;
    struct columns table;
    columns_init(&table, "LrrrL");
    columns_add(&table, "%s", "without");
    columns_add(&table, "makespan");
    columns_add(&table, "saved");
    columns_add(&table, "share");
    columns_add(&table, "then bound by");
    time_ps end = report->result->end_ps;
    bool is_any_slower = false;
    for (uint32_t i = 0; i < report->bound_count; i++) {
        const struct explain_bound *bound = &report->bound[i];
        columns_add(&table, "%s", bound->name);
        add_time(&table, bound->end_ps);
        char text[SHOWN];
        bool is_slower = bound->end_ps > end;
        is_any_slower |= is_slower;
        time_ps saved = is_slower ? bound->end_ps - end : end - bound->end_ps;
        columns_add(&table, "%s%s", is_slower ? "-" : "",
                    saved ? units_show_time(text, sizeof text, saved) : "0");
        columns_add(&table, "%.2f %%", is_slower ? -share(saved, end) : share(saved, end));
        if (*bound->bound_by)
            columns_add(&table, "%s %.0f %%", bound->bound_by,
                        share(bound->bound_by_ps, bound->end_ps));
        else
            columns_add(&table, "%s", "");
    }
    fputs("bounds: the same job, run again with something taking no time\n", out);
    columns_print(&table, out);
    columns_release(&table);
    if (is_any_slower)
        columns_wrap(out, 0, 2,
                     "  a slower one: something else then came in another order, or `auto` "
                     "took other algorithms");
    fputc('\n', out);
}

static bool has_no_links(const struct blame_table *table)
{
    return table->count == 1 && strcmp(table->row[0].name, blame_no_links) == 0;
}

void explain_text(const struct explain_report *report, FILE *out)
{
    char end[SHOWN];
    const struct path_blame *blame = report->blame;
    fprintf(out, "critical path of ");
    columns_wrap(out, 17, 2, report->job);
    fprintf(out,
            "  makespan %s (%" PRIu64 " ps) on %" PRIu32 " ranks, %s; %" PRIu32
            " pieces, each instant in one\n\n",
            units_show_time(end, sizeof end, blame->end_ps), blame->end_ps,
            report->result->rank_count, report->network, blame->pieces);
    for (int by = 0; by < BLAME_BY_COUNT; by++) {
        if (!has_no_links(&blame->by[by]))
            table_text(report, (enum blame_by)by, out);
    }
    sensitivity_text(report->sensitivity, report->most_rows, out);
    slack_text(report, out);
    bounds_text(report, out);
}

/* -- JSON ------------------------------------------------------------------------------------ */

static void table_json(const struct blame_table *rows, const char *key, struct json_writer *json)
{
    json_list_begin(json, key, JSON_LINES);
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct blame_row *row = &rows->row[i];
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "name", row->name);
        json_u64(json, "time_ps", row->time_ps);
        json_u64(json, "pieces", row->pieces);
        if (*row->change)
            json_text(json, "scales_with", row->change);
        if (row->is_measured)
            json_double(json, "one_percent_measured_ps", (double)row->measured_ps);
        if (row->dim >= 0)
            json_u64(json, "dimension", (uint64_t)row->dim);
        json_map_end(json);
    }
    json_list_end(json);
}

void explain_json(const struct explain_report *report, FILE *out)
{
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "schema_version", "orrery.explain/2");
    json_text(&json, "orrery_version", report->version);
    origin_json_command(&json, report->command);
    json_text(&json, "job", report->job);
    json_text(&json, "network_model", report->network);
    json_u64(&json, "ranks_in_all", report->result->rank_count);
    json_u64(&json, "makespan_ps", report->blame->end_ps);
    json_u64(&json, "pieces", report->blame->pieces);
    for (int by = 0; by < BLAME_BY_COUNT; by++)
        table_json(&report->blame->by[by], blame_by_keys[by], &json);
    sensitivity_json(report->sensitivity, &json);
    json_list_begin(&json, "slack", JSON_LINES);
    for (uint32_t i = 0; i < report->blame->slack_count; i++) {
        const struct slack_row *row = &report->blame->slack[i];
        json_map_begin(&json, NULL, JSON_INLINE);
        json_text(&json, "class", row->name);
        json_u64(&json, "ops", row->ops);
        json_u64(&json, "without_slack", row->critical);
        json_u64(&json, "median_ps", row->median_ps);
        json_u64(&json, "most_ps", row->most_ps);
        json_map_end(&json);
    }
    json_list_end(&json);
    json_list_begin(&json, "bounds", JSON_LINES);
    for (uint32_t i = 0; i < report->bound_count; i++) {
        json_map_begin(&json, NULL, JSON_INLINE);
        json_text(&json, "without", report->bound[i].name);
        json_u64(&json, "makespan_ps", report->bound[i].end_ps);
        json_text(&json, "bound_by", report->bound[i].bound_by);
        json_u64(&json, "bound_by_ps", report->bound[i].bound_by_ps);
        json_map_end(&json);
    }
    json_list_end(&json);
    json_notices(&json, &report->result->notices);
    origin_json_inputs(&json, report->config, report->workload);
    json_map_end(&json);
}
