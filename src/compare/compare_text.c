#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/units.h"
#include "compare/compare_report.h"
#include "compare/reader.h"
#include "report/columns.h"

enum { SHOWN = 48, MOST_INPUTS = 40, MOST_RANKS = 16, MOST_ROWS = 40 };

const char *const compare_unit_names[] = {
#define X(name, text, ps) text,
    COMPARE_UNIT_LIST(X)
#undef X
        NULL,
};

static const double unit_ps[] = {
#define X(name, text, ps) ps,
    COMPARE_UNIT_LIST(X)
#undef X
};

const struct compare_format compare_formats[] = {
    {"text", compare_text},
    {"json", compare_json},
    {"csv", compare_csv},
    {0},
};

static const char *show_time(char to[SHOWN], const struct compare_report *report, double ps)
{
    char text[32];
    if (report->unit != UNIT_AUTO)
        snprintf(to, SHOWN, "%.9g %s", ps / unit_ps[report->unit],
                 compare_unit_names[report->unit]);
    else if (fabs(ps) < 1.8e19)
        snprintf(to, SHOWN, "%s%s", ps < 0 ? "-" : "",
                 ps == 0 ? "0" : units_show_time(text, sizeof text, (time_ps)(fabs(ps) + 0.5)));
    else
        snprintf(to, SHOWN, "%.4g s", ps / 1e12);
    return to;
}

/* Without its sign: the heading has it. */
static const char *show_percent(char to[SHOWN], double percent)
{
    double size = fabs(percent);
    if (percent == 0)
        snprintf(to, SHOWN, "0");
    else
        snprintf(to, SHOWN,
                 size < 0.001 ? "%.1e"
                 : size < 10  ? "%.3f"
                 : size < 1e5 ? "%.1f"
                              : "%.2e",
                 percent);
    return to;
}

/* -- what is compared ------------------------------------------------------------------------ */

static void side_text(const char *letter, const struct outcome *side, FILE *out)
{
    fprintf(out, "%s  ", letter);
    columns_wrap(out, 3, 3, side->path);
    fprintf(out, "   %s", side->kind);
    if (side->rank_count)
        fprintf(out, ", %" PRIu32 " rank%s", side->rank_count, side->rank_count == 1 ? "" : "s");
    if (side->ranks_in_all > side->rank_count)
        fprintf(out, " of %" PRIu32, side->ranks_in_all);
    if (side->op_count)
        fprintf(out, ", %" PRIu32 " ops", side->op_count);
    if (side->step_count)
        fprintf(out, ", %" PRIu32 " step times", side->step_count);
    fputc('\n', out);
}

const char *compare_headline(char *to, size_t size, const struct comparison *comparison)
{
    uint32_t all = comparison->ranks_both + comparison->only_a_count + comparison->only_b_count;
    bool is_log = strcmp(comparison->a->kind, reader_astra_log.name) == 0 ||
                  strcmp(comparison->b->kind, reader_astra_log.name) == 0;
    const char *grain = is_log                         ? "to the cycle"
                        : comparison->grain_ps == 1000 ? "to the nanosecond"
                                                       : "to the picosecond";
    if (!comparison->ranks_both)
        snprintf(to, size, "no rank is in both sides");
    else if (!comparison->finish_is_said)
        snprintf(to, size, "when ranks finish is not said by both sides");
    else
        snprintf(to, size, "%" PRIu32 " of %" PRIu32 " ranks equal %s", comparison->ranks_equal,
                 all, grain);
    return to;
}

static void ranks_alone(const char *letter, const uint32_t *rank, uint32_t count, FILE *out)
{
    if (!count)
        return;
    fprintf(out, "%" PRIu32 " rank%s only in %s:", count, count == 1 ? " is" : "s are", letter);
    for (uint32_t i = 0; i < count && i < MOST_RANKS; i++)
        fprintf(out, "%s %" PRIu32, i ? "," : "", rank[i]);
    fputs(count > MOST_RANKS ? ", ..\n" : "\n", out);
}

/* -- the table ------------------------------------------------------------------------------- */

static void add_time(struct columns *table, const struct compare_report *report, double ps)
{
    char text[SHOWN];
    columns_add(table, "%s", show_time(text, report, ps));
}

static void row_text(const struct compare_report *report, struct columns *table,
                     const struct compare_row *row)
{
    const struct error_stats *error = &row->error;
    double pairs = (double)error->pairs;
    char text[SHOWN];
    columns_add(table, "%s", row->name);
    columns_add(table, "%" PRIu64, error->pairs);
    columns_add(table, "%" PRIu64, error->equal);
    add_time(table, report, error->total_a_ps / pairs);
    add_time(table, report, error->total_b_ps / pairs);
    const double percents[] = {error->mean_percent, error->mean_abs_percent,
                               error->median_abs_percent, error->p90_abs_percent,
                               error->worst_percent};
    bool has_percent = error->pairs > error->without_percent;
    for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
        if (has_percent)
            columns_add(table, "%s", show_percent(text, percents[i]));
        else
            columns_add(table, "-");
    }
    const char *which = *row->worst ? row->worst : row->widest;
    columns_add(table, "%s", *which ? which : "-");
}

static void part_text(const struct compare_report *report, enum compare_part part, FILE *out)
{
    static const char *const headings[] = {
#define X(name, key, heading) heading,
        COMPARE_PART_LIST(X)
#undef X
    };
    const struct comparison *comparison = report->comparison;
    uint32_t count = 0;
    struct columns table;
    columns_init(&table, "Lrrrrrrrrrl");
    columns_add(&table, "%s", headings[part]);
    static const char *const heading[] = {"pairs",     "equal",    "A",      "B",       "mean %",
                                          "|error| %", "median %", "90th %", "worst %", "which"};
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        columns_add(&table, "%s", heading[i]);
    for (uint32_t i = 0; i < comparison->row_count; i++) {
        if (comparison->row[i].part != part || !comparison->row[i].error.pairs)
            continue;
        if (count++ < MOST_ROWS)
            row_text(report, &table, &comparison->row[i]);
    }
    if (count)
        columns_print(&table, out);
    if (count > MOST_ROWS)
        fprintf(out, "  and %" PRIu32 " more: --format csv has all\n", count - MOST_ROWS);
    if (count)
        fputc('\n', out);
    columns_release(&table);
}

/* What has no counterpart, of ops and collectives. */
static void alone_text(const struct compare_report *report, FILE *out)
{
    const struct comparison *comparison = report->comparison;
    char a[SHOWN], b[SHOWN];
    uint32_t count = 0;
    struct columns table;
    columns_init(&table, "lrrrr");
    columns_add(&table, "%s", "not aligned");
    columns_add(&table, "%s", "only A");
    columns_add(&table, "%s", "time");
    columns_add(&table, "%s", "only B");
    columns_add(&table, "%s", "time");
    for (uint32_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->row[i];
        if (row->part < COMPARE_OPS || row->only_a + row->only_b == 0)
            continue;
        if (count++ >= MOST_ROWS)
            continue;
        columns_add(&table, "%s", row->name);
        columns_add(&table, "%" PRIu64, row->only_a);
        columns_add(&table, "%s", show_time(a, report, row->only_a_ps));
        columns_add(&table, "%" PRIu64, row->only_b);
        columns_add(&table, "%s", show_time(b, report, row->only_b_ps));
    }
    if (count)
        columns_print(&table, out);
    if (count > MOST_ROWS)
        fprintf(out, "  and %" PRIu32 " more: --format csv has all\n", count - MOST_ROWS);
    if (count)
        fputc('\n', out);
    columns_release(&table);
}

static void wide_text(const struct compare_report *report, const char *heading,
                      const struct compare_wide *wide, uint32_t count, FILE *out)
{
    struct columns table;
    bool has_class = count && *wide->class;
    columns_init(&table, has_class ? "llrrr" : "lrrr");
    columns_add(&table, "%s", heading);
    if (has_class)
        columns_add(&table, "class");
    columns_add(&table, "A");
    columns_add(&table, "B");
    columns_add(&table, "A - B");
    for (uint32_t i = 0; i < count; i++) {
        columns_add(&table, "%s", wide[i].which);
        if (has_class)
            columns_add(&table, "%s", wide[i].class);
        add_time(&table, report, (double)wide[i].a_ps);
        add_time(&table, report, (double)wide[i].b_ps);
        add_time(&table, report, (double)(wide[i].a_ps - wide[i].b_ps));
    }
    if (count) {
        columns_print(&table, out);
        fputc('\n', out);
    }
    columns_release(&table);
}

/* -- the rest -------------------------------------------------------------------------------- */

static void steps_text(const struct compare_report *report, const char *letter,
                       const struct step_times *times, int64_t other_ps, FILE *out)
{
    char mean[SHOWN], median[SHOWN], low[SHOWN], high[SHOWN];
    if (!times->count)
        return;
    fprintf(out, "steps of %s: %" PRIu32 ", mean %s, median %s", letter, times->count,
            show_time(mean, report, times->mean_ps), show_time(median, report, times->median_ps));
    fprintf(out, ", from %s to %s\n", show_time(low, report, times->least_ps),
            show_time(high, report, times->most_ps));
    if (!times->has_interval)
        return;
    fprintf(out, "  95 %% interval of the mean: %s to %s", show_time(low, report, times->low_ps),
            show_time(high, report, times->high_ps));
    if (other_ps != OUTCOME_UNSAID)
        fprintf(out, "; the other side's step is %s it",
                (double)other_ps >= times->low_ps && (double)other_ps <= times->high_ps
                    ? "within"
                    : "outside");
    fputc('\n', out);
}

static void inputs_text(const struct comparison *comparison, FILE *out)
{
    if (!comparison->inputs_are_said)
        return;
    fprintf(out, "%" PRIu32 " inputs and settings are the same, %" PRIu32 " differ\n",
            comparison->inputs_same, comparison->input_count);
    struct columns table;
    columns_init(&table, "Lll");
    columns_add(&table, "%s", "input or setting");
    columns_add(&table, "A");
    columns_add(&table, "B");
    for (uint32_t i = 0; i < comparison->input_count && i < MOST_INPUTS; i++) {
        const struct compare_input *input = &comparison->input[i];
        columns_add(&table, "%s", input->key);
        columns_add(&table, "%s", input->a ? input->a : "(none)");
        columns_add(&table, "%s", input->b ? input->b : "(none)");
    }
    if (comparison->input_count)
        columns_print(&table, out);
    if (comparison->input_count > MOST_INPUTS)
        fprintf(out, "  and %" PRIu32 " more\n", comparison->input_count - MOST_INPUTS);
    columns_release(&table);
}

static void notices_text(const char *letter, const struct notices *notices, FILE *out)
{
    char text[NOTICE_TEXT];
    for (size_t i = 0; i < notices->count; i++) {
        fprintf(out, "%s: ", letter);
        columns_wrap(out, 3, 2, notice_show(text, sizeof text, &notices->row[i]));
    }
}

static void verdict_text(const struct compare_report *report, FILE *out)
{
    if (!report->tolerance->is_asked)
        return;
    if (!report->verdict->beyond)
        fputs("within the tolerance\n", out);
    else
        fprintf(out, "beyond the tolerance: %" PRIu32 " row%s, first: %s\n",
                report->verdict->beyond, report->verdict->beyond == 1 ? "" : "s",
                report->verdict->first);
}

void compare_text(const struct compare_report *report, FILE *out)
{
    const struct comparison *comparison = report->comparison;
    char headline[128];
    side_text("A", comparison->a, out);
    side_text("B", comparison->b, out);
    if (comparison->ranks_both + comparison->only_a_count + comparison->only_b_count > 0 &&
        comparison->a->rank_count && comparison->b->rank_count)
        fprintf(out, "%s\n", compare_headline(headline, sizeof headline, comparison));
    if (comparison->a->rank_count && comparison->b->rank_count) {
        ranks_alone("A", comparison->only_a, comparison->only_a_count, out);
        ranks_alone("B", comparison->only_b, comparison->only_b_count, out);
    }
    verdict_text(report, out);
    fputs("\nerrors are A / B - 1 in percent: their mean, and of their sizes mean, median, 90th "
          "percentile and\n"
          "worst; A and B are means over the pairs\n\n",
          out);
    for (int part = 0; part < COMPARE_PART_COUNT; part++)
        part_text(report, (enum compare_part)part, out);
    if (comparison->a->op_count && comparison->b->op_count)
        fprintf(out, "ops are aligned by rank, %s and occurrence%s\n",
                comparison->align == ALIGN_CLASS ? "class" : "name",
                comparison->align == ALIGN_CLASS && comparison->ops_by_name == 0
                    ? ": no name is the same"
                    : "");
    else if (comparison->a->op_count || comparison->b->op_count)
        fprintf(out, "only %s has ops: a report has some with --rerun, a run with --timeline\n",
                comparison->a->op_count ? "A" : "B");
    wide_text(report, "ranks that differ most", comparison->wide_rank, comparison->wide_rank_count,
              out);
    wide_text(report, "ops that differ most", comparison->wide_op, comparison->wide_op_count, out);
    alone_text(report, out);
    steps_text(report, "A", &comparison->step_a, comparison->step_b_ps, out);
    steps_text(report, "B", &comparison->step_b, comparison->step_a_ps, out);
    inputs_text(comparison, out);
    if (report->quiet)
        return;
    notices_text("A", &comparison->a->notices, out);
    notices_text("B", &comparison->b->notices, out);
}
