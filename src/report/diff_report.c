/* Text. JSON: diff_json.c. */
#include "report/diff_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/names.h"
#include "report/columns.h"
#include "report/diff_links.h"

enum { SHOWN = 32 };

static void add_time(struct columns *table, time_ps time)
{
    char text[SHOWN];
    columns_add(table, "%s", time ? units_show_time(text, sizeof text, time) : "0");
}

static const char *show_change(char *to, size_t size, int64_t change)
{
    char text[SHOWN];
    if (!change)
        snprintf(to, size, "0");
    else
        snprintf(to, size, "%c%s", change < 0 ? '-' : '+',
                 units_show_time(text, sizeof text,
                                 change < 0 ? 0 - (uint64_t)change : (uint64_t)change));
    return to;
}

static void add_change(struct columns *table, int64_t change)
{
    char text[SHOWN];
    columns_add(table, "%s", show_change(text, sizeof text, change));
}

/* Is there a difference that rows can have a share of? */
static bool has_share(const struct diff_report *report)
{
    return report->difference->a_ps != report->difference->b_ps;
}

/* Of the whole difference. */
static void add_share(struct columns *table, const struct diff_report *report, int64_t change)
{
    int64_t all = difference_of(report->difference->a_ps, report->difference->b_ps);
    double share = all ? 100.0 * (double)change / (double)all : 0;
    if (all)
        columns_add(table, "%.1f %%", fabs(share) < 0.05 ? 0 : share);
}

static void heading(const struct diff_report *report, struct columns *table, const char *what)
{
    columns_add(table, "%s", what);
    columns_add(table, "A");
    columns_add(table, "B");
    columns_add(table, "B - A");
    if (has_share(report))
        columns_add(table, "share");
}

static void print(struct columns *table, FILE *out)
{
    columns_print(table, out);
    columns_release(table);
    fputc('\n', out);
}

static void add_row(const struct diff_report *report, struct columns *table, const char *name,
                    const struct difference_row *row)
{
    columns_add(table, "%s", name);
    row->in_a ? add_time(table, row->a_ps) : columns_add(table, "-");
    row->in_b ? add_time(table, row->b_ps) : columns_add(table, "-");
    add_change(table, difference_of(row->a_ps, row->b_ps));
    add_share(table, report, difference_of(row->a_ps, row->b_ps));
}

/* -- what differs ------------------------------------------------------------------------------ */

static void say_run(const char *letter, const struct diff_run *run, FILE *out)
{
    char end[SHOWN], text[1024];
    snprintf(text, sizeof text, "%.300s: %.200s, %s (%" PRIu64 " ps) on %" PRIu32 " ranks, %s",
             run->word, run->job, units_show_time(end, sizeof end, run->result->end_ps),
             run->result->end_ps, run->result->rank_count,
             net_backend_names[run->config->network.backend]);
    fprintf(out, "  %s  ", letter);
    columns_wrap(out, 5, 5, text);
}

enum { MOST_MAIN = 3 };

/* Changes by term, of the mean rank. */
static void find_changes(const struct difference *difference, int64_t *change)
{
    const struct difference_table *rows = &difference->by[DIFFERENCE_MEAN + TERMS_BY_PART];
    for (uint32_t i = 0; i < rows->count; i++)
        change[rows->row[i].term] += difference_of(rows->row[i].a_ps, rows->row[i].b_ps);
}

/* The terms that make most of the difference, in one line: those that go its way. */
static void say_main(const struct diff_report *report, FILE *out)
{
    int64_t change[RANK_TERM_COUNT] = {0};
    int64_t all = difference_of(report->difference->a_ps, report->difference->b_ps);
    char line[256] = "most of it: ";
    size_t used = strlen(line);
    find_changes(report->difference, change);
    for (int i = 0; i < MOST_MAIN; i++) {
        char text[SHOWN];
        int most = 0;
        for (int term = 1; term < RANK_TERM_COUNT; term++) {
            if ((all > 0) == (change[term] > change[most]))
                most = term;
        }
        if (!all || !change[most] || (change[most] > 0) != (all > 0))
            break;
        used +=
            (size_t)snprintf(line + used, sizeof line - used, "%s%s %s", i ? "; " : "",
                             rank_term_names[most], show_change(text, sizeof text, change[most]));
        change[most] = 0;
    }
    fputs("  ", out);
    columns_wrap(out, 2, 4, line);
}

static void say_difference(const struct diff_report *report, FILE *out)
{
    time_ps a = report->difference->a_ps, b = report->difference->b_ps;
    int64_t change = difference_of(a, b);
    char text[SHOWN];
    if (!change)
        fprintf(out, "B takes as long as A, to the picosecond\n");
    else
        fprintf(out, "B takes %s %s than A (%+" PRId64 " ps, %+.2f %%)\n",
                show_change(text, sizeof text, change) + 1, change > 0 ? "longer" : "less", change,
                a ? 100.0 * (double)change / (double)a : 0);
    say_run("A", &report->a, out);
    say_run("B", &report->b, out);
    if (change)
        say_main(report, out);
    fputc('\n', out);
}

enum { MOST_CELL = 36 }; /* of the table: what is longer has lines of its own, and is not cut */

static const char *value_of(const char *text)
{
    return text ? text : "-";
}

static bool is_long(const struct diff_input *input)
{
    return strlen(value_of(input->a)) > MOST_CELL || strlen(value_of(input->b)) > MOST_CELL;
}

static void say_long_input(const struct diff_input *input, FILE *out)
{
    fprintf(out, "  %s\n    A  ", input->key);
    columns_wrap(out, 7, 7, value_of(input->a));
    fputs("    B  ", out);
    columns_wrap(out, 7, 7, value_of(input->b));
}

static void inputs_text(const struct diff_report *report, FILE *out)
{
    if (!report->input_count) {
        fputs("the inputs are the same\n\n", out);
        return;
    }
    struct columns table;
    columns_init(&table, "Lll");
    columns_add(&table, "%s", "inputs that differ");
    columns_add(&table, "A");
    columns_add(&table, "B");
    for (uint32_t i = 0; i < report->input_count; i++) {
        const struct diff_input *input = &report->input[i];
        if (is_long(input))
            continue;
        columns_add(&table, "%s", input->key);
        columns_add(&table, "%s", value_of(input->a));
        columns_add(&table, "%s", value_of(input->b));
    }
    columns_print(&table, out);
    columns_release(&table);
    for (uint32_t i = 0; i < report->input_count; i++) {
        if (is_long(&report->input[i]))
            say_long_input(&report->input[i], out);
    }
    fputc('\n', out);
}

/* -- tables of the difference ------------------------------------------------------------------ */

static struct difference_row sum_of(const struct difference_row *row, uint32_t count)
{
    struct difference_row sum = {.in_a = false};
    for (uint32_t i = 0; i < count; i++) {
        sum.a_ps += row[i].a_ps;
        sum.b_ps += row[i].b_ps;
        sum.in_a |= row[i].in_a;
        sum.in_b |= row[i].in_b;
    }
    return sum;
}

static void add_all(const struct diff_report *report, struct columns *table,
                    const struct difference_table *rows)
{
    const struct difference_row sum = sum_of(rows->row, rows->count);
    add_row(report, table, "all", &sum);
}

/* Each term, and below it its parts if they have names. */
static void parts_text(const struct diff_report *report, FILE *out)
{
    const struct difference_table *rows = &report->difference->by[DIFFERENCE_MEAN + TERMS_BY_PART];
    struct columns table;
    columns_init(&table, has_share(report) ? "Lrrrr" : "Lrrr");
    heading(report, &table, "what the mean rank does");
    for (uint32_t i = 0; i < rows->count;) {
        const struct difference_row *row = &rows->row[i];
        uint32_t parts = 1;
        while (i + parts < rows->count && row[parts].term == row->term)
            parts++;
        struct difference_row sum = sum_of(row, parts);
        sum.in_a = sum.in_b = true; /* every run has every term */
        add_row(report, &table, rank_term_names[row->term], &sum);
        for (uint32_t k = 0; k < parts && (parts > 1 || *row->name); k++) {
            char name[256];
            snprintf(name, sizeof name, "  %s", row[k].name);
            add_row(report, &table, name, &row[k]);
        }
        i += parts;
    }
    add_all(report, &table, rows);
    print(&table, out);
}

static void table_text(const struct diff_report *report, int by, const char *what, FILE *out)
{
    const struct difference_table *rows = &report->difference->by[by];
    struct columns table;
    char name[256];
    columns_init(&table, has_share(report) ? "lrrrr" : "lrrr");
    heading(report, &table, what);
    uint32_t most = rows->count <= report->most_rows ? rows->count : report->most_rows;
    for (uint32_t i = 0; i < most; i++)
        add_row(report, &table, rows->row[i].name, &rows->row[i]);
    const struct difference_row others = sum_of(rows->row + most, rows->count - most);
    snprintf(name, sizeof name, "(%" PRIu32 " other%s)", rows->count - most,
             rows->count - most > 1 ? "s" : "");
    if (most < rows->count)
        add_row(report, &table, name, &others);
    add_all(report, &table, rows);
    print(&table, out);
}

/* -- ranks ------------------------------------------------------------------------------------- */

static int64_t change_in(const struct difference_ranks *row, enum rank_term from, enum rank_term to)
{
    int64_t sum = 0;
    for (int term = (int)from; term <= (int)to; term++)
        sum += difference_of(row->a_ps[term], row->b_ps[term]);
    return sum;
}

static void ranks_text(const struct diff_report *report, const struct difference_ranks *row,
                       uint32_t count, FILE *out)
{
    if (count < 2)
        return;
    struct columns table;
    columns_init(&table, "lrrrrr");
    columns_add(&table, "%s, B - A", row->name ? "stage" : "rank");
    columns_add(&table, "compute");
    columns_add(&table, "moving data");
    columns_add(&table, "waiting, bubble");
    columns_add(&table, "memory, host");
    columns_add(&table, "idle");
    for (uint32_t i = 0; i < count && i < report->most_rows; i++) {
        if (row[i].name)
            columns_add(&table, "%s", row[i].name);
        else if (row[i].count_a > 1)
            columns_add(&table, "%" PRIu32 " (%" PRIu32 " alike)", row[i].first, row[i].count_a);
        else
            columns_add(&table, "%" PRIu32, row[i].first);
        add_change(&table, change_in(&row[i], RANK_TERM_COMPUTE, RANK_TERM_COMPUTE));
        add_change(&table, change_in(&row[i], RANK_TERM_LATENCY, RANK_TERM_REPLAYED));
        add_change(&table, change_in(&row[i], RANK_TERM_WAITING, RANK_TERM_BUBBLE));
        add_change(&table, change_in(&row[i], RANK_TERM_MEMORY, RANK_TERM_HOST));
        add_change(&table, change_in(&row[i], RANK_TERM_IDLE, RANK_TERM_IDLE));
    }
    fputs("each row sums to the difference; first whose own work changed most\n", out);
    print(&table, out);
}

/* -- links ------------------------------------------------------------------------------------- */

static void links_text(const struct diff_report *report, FILE *out)
{
    uint32_t count;
    struct diff_link *link = diff_links_find(&report->a, &report->b, &count);
    struct columns table;
    columns_init(&table, "lrrrrrr");
    columns_add(&table, "%s", "link");
    columns_add(&table, "rate of A");
    columns_add(&table, "of B");
    columns_add(&table, "bytes of A");
    columns_add(&table, "of B");
    columns_add(&table, "busy in A");
    columns_add(&table, "B - A");
    for (uint32_t i = 0; i < count && i < report->most_rows; i++) {
        char text[SHOWN];
        columns_add(&table, "%s", link[i].name);
        columns_add(&table, "%s", units_show_rate(text, sizeof text, link[i].rate_a_Bps));
        columns_add(&table, "%s", units_show_rate(text, sizeof text, link[i].rate_b_Bps));
        columns_add(&table, "%s", units_show_bytes(text, sizeof text, link[i].bytes_a));
        columns_add(&table, "%s", units_show_bytes(text, sizeof text, link[i].bytes_b));
        add_time(&table, link[i].busy_a_ps);
        add_change(&table, difference_of(link[i].busy_a_ps, link[i].busy_b_ps));
    }
    if (count) {
        if (strncmp(link->name, "dimension", 9) == 0)
            fputs("links by dimension: the mean of those that carried something\n", out);
        else
            fprintf(out, "links whose busy time changed most, of %" PRIu32 " that were used\n",
                    count);
        columns_print(&table, out);
        fputc('\n', out);
    }
    columns_release(&table);
    free(link);
}

void diff_text(const struct diff_report *report, FILE *out)
{
    static const struct {
        int by;
        const char *what;
    } mean[] = {{TERMS_BY_COLLECTIVE, "the mean rank, by collective"},
                {TERMS_BY_CLASS, "the mean rank, by class of op"},
                {TERMS_BY_OP, "the mean rank, by op"}};
    say_difference(report, out);
    inputs_text(report, out);
    parts_text(report, out);
    for (size_t i = 0; i < sizeof mean / sizeof *mean; i++)
        table_text(report, DIFFERENCE_MEAN + mean[i].by, mean[i].what, out);
    const struct difference *difference = report->difference;
    ranks_text(report, difference->stage, difference->stage_count, out);
    ranks_text(report, difference->rank, difference->rank_count, out);
    for (int by = 0; by < BLAME_BY_COUNT; by++) {
        const struct difference_table *table = &difference->by[DIFFERENCE_PATH + by];
        char what[SHOWN + 24];
        if (table->count == 1 && strcmp(table->row[0].name, blame_no_links) == 0)
            continue;
        snprintf(what, sizeof what, "the critical path, %s", blame_by_names[by]);
        table_text(report, DIFFERENCE_PATH + by, what, out);
    }
    links_text(report, out);
}
