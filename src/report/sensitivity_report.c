#include "report/sensitivity_report.h"

#include <inttypes.h>
#include <math.h>

#include "report/columns.h"

enum { SHOWN = 80 };

static const char *row_name(const struct sensitivity_row *row, char text[SHOWN])
{
    if (row->part == PATH_PART_COUNT && row->alike > 1)
        snprintf(text, SHOWN, "%" PRIu32 " (%" PRIu32 " alike)", row->rank, row->alike);
    else if (row->part == PATH_PART_COUNT)
        snprintf(text, SHOWN, "%" PRIu32, row->rank);
    else
        snprintf(text, SHOWN, row->dim < 0 ? "%s" : "%s, dimension %d", path_part_name(row->part),
                 row->dim);
    return text;
}

/* -- text ------------------------------------------------------------------------------------ */

static void add_headings(struct columns *table, const char *what)
{
    const char *const headings[] = {what, "1 % slower",  "1 % faster", "holds from",
                                    "to", "10 % faster", "no time"};
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        columns_add(table, "%s", headings[i]);
}

/* Of the makespan. */
static void add_percent(struct columns *table, const char *sign, double part_ps, time_ps end)
{
    double percent = end ? 100 * part_ps / (double)end : 0;
    if (percent < 0.00005)
        columns_add(table, "0");
    else
        columns_add(table, percent < 0.1 ? "%s%.4f %%" : "%s%.2f %%", sign, percent);
}

/* An end of a range. */
static void add_change(struct columns *table, double change)
{
    if (change >= SENSITIVITY_MOST)
        columns_add(table, "any");
    else
        columns_add(table, fabs(change) < 0.1 ? "%+.2f %%" : "%+.0f %%", 100 * change);
}

static void add_row(struct columns *table, const struct sensitivity_row *row, time_ps end)
{
    char name[SHOWN];
    columns_add(table, "%s", row_name(row, name));
    add_percent(table, "+", row->slower_ps, end);
    add_percent(table, "-", row->faster_ps, end);
    add_change(table, row->from);
    add_change(table, row->to);
    add_percent(table, "-", row->ten_faster_ps, end);
    add_percent(table, "-", row->most_ps, end);
}

static void rows_text(const char *what, const struct sensitivity_row *rows, uint32_t count,
                      time_ps end, FILE *out)
{
    struct columns table;
    columns_init(&table, "Lrrrrrr");
    add_headings(&table, what);
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].slower_ps > 0.5 || rows[i].to < SENSITIVITY_MOST) /* else it does not matter */
            add_row(&table, &rows[i], end);
    }
    columns_print(&table, out);
    columns_release(&table);
}

/* Where collectives step aside, if that is within 10 % (run/collective_steps.h). */
static void steps_text(const struct sensitivity *sensitivity, FILE *out)
{
    for (uint32_t i = 0; i < 2 * sensitivity->part_count; i++) {
        const struct sensitivity_row *row = &sensitivity->part[i / 2];
        const struct sensitivity_step *step = &row->step[i % 2];
        char name[SHOWN], line[4 * SHOWN], time[SHOWN];
        if (step->off_ps == 0)
            continue;
        units_show_time(time, sizeof time, (time_ps)fabs(step->off_ps));
        snprintf(line, sizeof line,
                 "%s: from %+.1f %% on collectives, run alone, leave that line (another algorithm, "
                 "protocol or order of messages): 10 %% away up to %s %s than said",
                 row_name(row, name), 100 * step->more, time, step->off_ps > 0 ? "more" : "less");
        fputs("  ", out);
        columns_wrap(out, 2, 2, line);
    }
}

void sensitivity_text(const struct sensitivity *sensitivity, uint32_t most_rows, FILE *out)
{
    uint32_t ranks = sensitivity->rank_count < most_rows ? sensitivity->rank_count : most_rows;
    if (!sensitivity->end_ps)
        return;
    fputs("sensitivity: the makespan when what scales with a parameter takes longer, or less\n",
          out);
    rows_text("parameter", sensitivity->part, sensitivity->part_count, sensitivity->end_ps, out);
    fputs("  ", out);
    columns_wrap(out, 2, 2,
                 "holds: so far 1 % is worth the same (within 1 % of it), with this run's order of "
                 "ops, algorithms and contention");
    steps_text(sensitivity, out);
    fputc('\n', out);
    if (!ranks)
        return;
    fputs("sensitivity to the speed of one rank's compute\n", out);
    rows_text("rank", sensitivity->rank, ranks, sensitivity->end_ps, out);
    if (ranks < sensitivity->seats)
        fprintf(out, "  (%" PRIu32 " other%s%s)\n", sensitivity->seats - ranks,
                sensitivity->seats - ranks > 1 ? "s" : "",
                ranks < sensitivity->rank_count ? "" : ", not looked at");
    fputc('\n', out);
}

/* -- JSON ------------------------------------------------------------------------------------ */

static void row_json(const struct sensitivity_row *row, struct json_writer *json)
{
    json_map_begin(json, NULL, JSON_INLINE);
    if (row->part == PATH_PART_COUNT) {
        json_u64(json, "rank", row->rank);
        json_u64(json, "alike", row->alike);
    } else {
        json_text(json, "name", path_part_name(row->part));
        json_text(json, "scales_with", path_part_change(row->part));
        if (row->dim >= 0)
            json_u64(json, "dimension", (uint64_t)row->dim);
    }
    json_double(json, "one_percent_slower_ps", row->slower_ps);
    json_double(json, "one_percent_faster_ps", row->faster_ps);
    json_double(json, "holds_from_percent", 100 * row->from);
    json_double(json, "holds_to_percent", 100 * row->to);
    json_double(json, "slope_slower_ps", row->slope_slower_ps);
    json_double(json, "slope_faster_ps", row->slope_faster_ps);
    json_double(json, "exact_from_percent", 100 * row->exact_from);
    json_double(json, "exact_to_percent", 100 * row->exact_to);
    json_double(json, "ten_percent_slower_ps", row->ten_slower_ps);
    json_double(json, "ten_percent_faster_ps", row->ten_faster_ps);
    json_double(json, "no_time_saves_ps", row->most_ps);
    for (int way = 0; way < 2; way++) {
        if (row->step[way].off_ps == 0)
            continue;
        json_double(json, way ? "step_faster_percent" : "step_slower_percent",
                    100 * row->step[way].more);
        json_double(json, way ? "step_faster_ps" : "step_slower_ps", row->step[way].off_ps);
    }
    json_map_end(json);
}

void sensitivity_json(const struct sensitivity *sensitivity, struct json_writer *json)
{
    json_list_begin(json, "sensitivity", JSON_LINES);
    for (uint32_t i = 0; i < sensitivity->part_count; i++)
        row_json(&sensitivity->part[i], json);
    json_list_end(json);
    json_list_begin(json, "rank_sensitivity", JSON_LINES);
    for (uint32_t i = 0; i < sensitivity->rank_count; i++)
        row_json(&sensitivity->rank[i], json);
    json_list_end(json);
}
