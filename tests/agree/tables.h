/*
 * tables - what agree_astra prints.
 */
#ifndef ORRERY_TESTS_AGREE_TABLES_H
#define ORRERY_TESTS_AGREE_TABLES_H

#include <stdio.h>

#include "tests/agree/compare.h"

enum fold_mode { FOLDED, UNFOLDED, FOLD_MODES };

/* One row, run both ways. */
struct agreement {
    const struct row *row;
    struct verdict verdict[FOLD_MODES];
    struct outcome outcome[FOLD_MODES]; /* rank lines are released after comparison */
    bool ran[FOLD_MODES];
};

/* Cases, ranks, exact, differing by series, folded and unfolded. */
void tables_series(const struct agreement *list, uint32_t count, FILE *out);

/* Every case that differs, with both numbers of its first differing rank. */
void tables_differences(const struct agreement *list, uint32_t count, FILE *out);

/* Cases ASTRA-sim did not finish or answered with nonsense: what it did, what we did. */
void tables_others(const struct agreement *list, uint32_t count, FILE *out);

/* Cost against ASTRA-sim's, for rows of scaling.jsonl. */
void tables_scaling(const struct agreement *list, uint32_t count, FILE *out);

/* Runs that did what they must: the reference matched, everything else ended well. */
void tables_count(const struct agreement *list, uint32_t count, uint32_t *passed, uint32_t *failed);

#endif
