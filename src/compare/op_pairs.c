/* Alignment of ops: both sides sorted by (rank, name or class, begin, order) and merged. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/comparison_parts.h"
#include "compare/outcome_figures.h"

static int compare_numbers(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int by_name(const struct outcome_op *a, const struct outcome_op *b)
{
    int order = compare_numbers(a->rank, b->rank);
    return order ? order : compare_numbers(a->name, b->name);
}

static int by_class(const struct outcome_op *a, const struct outcome_op *b)
{
    int order = compare_numbers(a->rank, b->rank);
    return order ? order : compare_numbers(a->class, b->class);
}

static int compare_by_name(const void *left, const void *right)
{
    int order = by_name(left, right);
    return order ? order : outcome_compare_ops(left, right);
}

static int compare_by_class(const void *left, const void *right)
{
    int order = by_class(left, right);
    return order ? order : outcome_compare_ops(left, right);
}

static struct outcome_op *sorted(const struct outcome *side, bool classes)
{
    struct outcome_op *op = malloc((side->op_count + 1) * sizeof *op);
    need_memory(op != NULL);
    if (side->op_count) {
        memcpy(op, side->op, side->op_count * sizeof *op);
        qsort(op, side->op_count, sizeof *op, classes ? compare_by_class : compare_by_name);
    }
    return op;
}

void op_pairs_make(struct op_pairs *pairs, const struct outcome *a, const struct outcome *b,
                   bool classes)
{
    int (*order)(const struct outcome_op *, const struct outcome_op *) =
        classes ? by_class : by_name;
    uint32_t i = 0, k = 0, occurrence = 0;
    *pairs = (struct op_pairs){.a = sorted(a, classes), .b = sorted(b, classes)};
    pairs->row = malloc(((uint64_t)a->op_count + b->op_count + 1) * sizeof *pairs->row);
    need_memory(pairs->row != NULL);
    const struct outcome_op *last = NULL;
    while (i < a->op_count || k < b->op_count) {
        const struct outcome_op *left = i < a->op_count ? &pairs->a[i] : NULL;
        const struct outcome_op *right = k < b->op_count ? &pairs->b[k] : NULL;
        int which = !left ? 1 : !right ? -1 : order(left, right);
        const struct outcome_op *one = which > 0 ? right : left;
        occurrence = last && order(last, one) == 0 ? occurrence + 1 : 0;
        last = one;
        pairs->row[pairs->count++] =
            (struct op_pair){which <= 0 ? left : NULL, which >= 0 ? right : NULL, occurrence};
        pairs->both += which == 0;
        i += which <= 0;
        k += which >= 0;
    }
}

void op_pairs_release(struct op_pairs *pairs)
{
    free(pairs->a);
    free(pairs->b);
    free(pairs->row);
    *pairs = (struct op_pairs){0};
}
