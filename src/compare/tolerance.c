#include "compare/tolerance.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void tolerance_init(struct tolerance *tolerance)
{
    *tolerance = (struct tolerance){.general_percent = TOLERANCE_NONE};
    for (int part = 0; part < COMPARE_PART_COUNT; part++)
        tolerance->part_percent[part] = TOLERANCE_NONE;
}

static enum status fail(const char *text, struct diag *diag)
{
    diag_fail(diag, STATUS_USAGE, "expected 5%% or ranks=0%%,ops=10%%, found \"%.60s\"", text);
    diag_hint(diag, "parts: step, ranks, ops, collectives");
    return STATUS_USAGE;
}

/* "5%", "0.1 %": a percentage of 0 or more. */
static bool read_percent(const char *text, double *percent)
{
    char *end;
    if (strspn(text, "0123456789.") == 0)
        return false;
    *percent = strtod(text, &end);
    end += strspn(end, " ");
    return end > text && strcmp(end, "%") == 0 && isfinite(*percent);
}

static bool take_one(struct tolerance *tolerance, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals)
        return read_percent(text, &tolerance->general_percent);
    *equals = '\0';
    for (int part = 0; part < COMPARE_PART_COUNT; part++)
        if (strcmp(text, compare_part_keys[part]) == 0)
            return read_percent(equals + 1, &tolerance->part_percent[part]);
    return false;
}

enum status tolerance_parse(struct tolerance *tolerance, const char *text, struct diag *diag)
{
    char copy[256];
    if (strlen(text) >= sizeof copy)
        return fail(text, diag);
    memcpy(copy, text, strlen(text) + 1);
    tolerance->is_asked = true;
    for (char *at = copy, *next; at; at = next) {
        next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        if (!take_one(tolerance, at))
            return fail(text, diag);
    }
    return STATUS_OK;
}

static bool is_headline(const struct compare_row *row)
{
    return row->part == COMPARE_STEP ||
           (row->part == COMPARE_RANKS && strcmp(row->name, rank_figure_words[RANK_FINISH]) == 0);
}

static double limit_of(const struct tolerance *tolerance, const struct compare_row *row)
{
    double limit = tolerance->part_percent[row->part];
    return limit >= 0 || !is_headline(row) ? limit : tolerance->general_percent;
}

static void add(struct tolerance_verdict *verdict, const char *text)
{
    if (verdict->beyond++ == 0)
        snprintf(verdict->first, sizeof verdict->first, "%s", text);
}

static void judge_row(const struct compare_row *row, double limit,
                      struct tolerance_verdict *verdict)
{
    char text[sizeof verdict->first];
    const struct error_stats *error = &row->error;
    const char *part = compare_part_keys[row->part];
    if (fabs(error->worst_percent) > limit) {
        snprintf(text, sizeof text, "%s, %.100s: %+.4g %% (%.100s)", part, row->name,
                 error->worst_percent, *row->worst ? row->worst : "worst");
        add(verdict, text);
    } else if (error->without_percent) {
        snprintf(text, sizeof text, "%s, %.100s: %" PRIu64 " differ from a reference of 0", part,
                 row->name, error->without_percent);
        add(verdict, text);
    }
}

void tolerance_judge(const struct tolerance *tolerance, const struct comparison *comparison,
                     struct tolerance_verdict *verdict)
{
    bool has_part[COMPARE_PART_COUNT] = {false}, has_ranks = false;
    char text[sizeof verdict->first];
    *verdict = (struct tolerance_verdict){0};
    if (!tolerance->is_asked)
        return;
    for (uint32_t i = 0; i < comparison->row_count; i++) {
        const struct compare_row *row = &comparison->row[i];
        double limit = limit_of(tolerance, row);
        has_part[row->part] = true;
        if (limit >= 0)
            judge_row(row, limit, verdict);
        has_ranks |= limit >= 0 && row->part == COMPARE_RANKS;
    }
    if (has_ranks && (comparison->only_a_count || comparison->only_b_count)) {
        snprintf(text, sizeof text, "%" PRIu32 " ranks are only in A, %" PRIu32 " only in B",
                 comparison->only_a_count, comparison->only_b_count);
        add(verdict, text);
    }
    for (int part = 0; part < COMPARE_PART_COUNT; part++) {
        if (has_part[part] || tolerance->part_percent[part] < 0)
            continue;
        snprintf(text, sizeof text, "%s: nothing of it could be compared", compare_part_keys[part]);
        add(verdict, text);
    }
}
