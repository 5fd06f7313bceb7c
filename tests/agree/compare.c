#include "tests/agree/compare.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static void note(struct verdict *verdict, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Keeps the first difference only. */
static void note(struct verdict *verdict, const char *format, ...)
{
    if (verdict->first[0] != '\0')
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(verdict->first, sizeof verdict->first, format, args);
    va_end(args);
}

static bool same(struct verdict *verdict, const struct row_figures *figures, uint32_t rank,
                 const char *what, uint64_t ours)
{
    uint64_t theirs;
    if (!row_figure(figures, rank, &theirs) || theirs == ours)
        return true;
    note(verdict, "rank %" PRIu32 ": %s %" PRIu64 ", ASTRA-sim %" PRIu64, rank, what, ours, theirs);
    return false;
}

/* The least and most of our ranks. */
static struct row_figures range_of(const struct outcome *outcome, bool exposed)
{
    struct row_figures range = {.least = UINT64_MAX};
    for (uint32_t r = 0; r < outcome->npus; r++) {
        const struct rank_line *line = &outcome->rank[r];
        uint64_t value = exposed ? line->exposed : line->cycles;
        if (!line->seen)
            continue;
        range.least = value < range.least ? value : range.least;
        range.most = value > range.most ? value : range.most;
        range.has_range = true;
    }
    return range;
}

static bool same_range(struct verdict *verdict, const struct row_figures *theirs,
                       const struct outcome *outcome, bool exposed)
{
    const char *what = exposed ? "exposed" : "cycles";
    struct row_figures ours = range_of(outcome, exposed);
    if (theirs->per_rank != NULL || !theirs->has_range)
        return true;
    if (ours.has_range && ours.least == theirs->least && ours.most == theirs->most)
        return true;
    note(verdict, "%s %" PRIu64 "..%" PRIu64 ", ASTRA-sim %" PRIu64 "..%" PRIu64, what,
         ours.has_range ? ours.least : 0, ours.most, theirs->least, theirs->most);
    return false;
}

struct verdict compare(const struct row *row, const struct outcome *outcome)
{
    struct row_figures ours = range_of(outcome, false);
    struct verdict verdict = {
        .ranks = row->npus,
        .has_reference = row->cycles.per_rank != NULL || row->cycles.has_range,
        .least_cycles = ours.has_range ? ours.least : 0,
        .most_cycles = ours.most,
    };
    bool ended = outcome->exit_code == 0;
    if (!ended && outcome->exit_code >= 0)
        note(&verdict, "exit code %d: %s", outcome->exit_code, outcome->first_error);
    else if (!ended)
        note(&verdict, "ended by signal %d%s", outcome->signal_number,
             outcome->timed_out ? " (time limit)" : "");
    if (outcome->odd_lines > 0) {
        note(&verdict, "%" PRIu32 " lines are not result lines", outcome->odd_lines);
        ended = false;
    }
    bool range = same_range(&verdict, &row->cycles, outcome, false) &&
                 same_range(&verdict, &row->exposed, outcome, true);
    for (uint32_t r = 0; r < row->npus; r++) {
        const struct rank_line *line = &outcome->rank[r];
        if (!line->seen)
            note(&verdict, "rank %" PRIu32 ": no result line", r);
        bool exact = ended && range && line->seen &&
                     same(&verdict, &row->cycles, r, "cycles", line->cycles) &&
                     same(&verdict, &row->exposed, r, "exposed", line->exposed);
        verdict.exact += exact;
        verdict.differing += !exact;
    }
    return verdict;
}

bool ended_well(const struct outcome *outcome)
{
    if (outcome->exit_code == 0)
        return outcome->finished > 0;
    /* 70 is a broken promise of our own; 126 and 127 could not start. */
    return outcome->exit_code > 0 && outcome->exit_code != 70 && outcome->exit_code < 126 &&
           outcome->first_error[0] != '\0';
}
