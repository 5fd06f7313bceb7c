/*
 * comparison_parts - what the files of comparison share. Only comparison*.c includes it.
 */
#ifndef ORRERY_COMPARE_COMPARISON_PARTS_H
#define ORRERY_COMPARE_COMPARISON_PARTS_H

#include "compare/comparison.h"

/* A pair of ops, or one without its like (the other NULL). */
struct op_pair {
    const struct outcome_op *a, *b;
    uint32_t occurrence; /* from 0 */
};

struct op_pairs {
    struct outcome_op *a, *b; /* sorted copies, which the pairs point into */
    struct op_pair *row;
    uint64_t count, both;
};

void op_pairs_make(struct op_pairs *pairs, const struct outcome *a, const struct outcome *b,
                   bool by_class);
void op_pairs_release(struct op_pairs *pairs);

/* A new row, with nothing in it; valid until the next. */
struct compare_row *comparison_add_row(struct comparison *comparison, enum compare_part part,
                                       const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Text in the comparison's arena. */
const char *comparison_text(struct comparison *comparison, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fill their rows. */
void comparison_of_ranks(struct comparison *comparison);
void comparison_of_ops(struct comparison *comparison, const struct compare_how *how);
void comparison_of_collectives(struct comparison *comparison);
void comparison_of_inputs(struct comparison *comparison);

#endif
