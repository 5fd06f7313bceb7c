/*
 * tolerance - how far A may be from B before a comparison counts as failed.
 *
 *   5%                     the step, and when ranks finish
 *   ranks=0%,ops=10%       every row of these parts (step, ranks, ops, collectives)
 *
 * A row is beyond its limit if its worst |error| is, or if a pair has a reference of 0 and is not
 * equal. Ranks that only one side has are beyond every limit; ops and collectives without
 * counterpart are not. So is a part that was named and has no row.
 */
#ifndef ORRERY_COMPARE_TOLERANCE_H
#define ORRERY_COMPARE_TOLERANCE_H

#include "compare/comparison.h"

#define TOLERANCE_NONE (-1.0)

struct tolerance {
    bool is_asked;
    double general_percent;                  /* or TOLERANCE_NONE */
    double part_percent[COMPARE_PART_COUNT]; /* the same */
};

struct tolerance_verdict {
    uint32_t beyond; /* rows */
    char first[512]; /* the first of them in words */
};

void tolerance_init(struct tolerance *tolerance);

/* Adds what `text` says. */
enum status tolerance_parse(struct tolerance *tolerance, const char *text, struct diag *diag);

void tolerance_judge(const struct tolerance *tolerance, const struct comparison *comparison,
                     struct tolerance_verdict *verdict);

#endif
