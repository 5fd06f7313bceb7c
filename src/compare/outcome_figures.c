#include "compare/outcome_figures.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

int outcome_compare_ops(const void *left, const void *right)
{
    const struct outcome_op *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->begin_ps != b->begin_ps)
        return a->begin_ps < b->begin_ps ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int64_t end_of(const struct outcome_op *op)
{
    int64_t end;
    return __builtin_add_overflow(op->begin_ps, op->duration_ps, &end) ? INT64_MAX : end;
}

/* Length of the union of the ops' intervals, which are in order of begin. */
static int64_t union_of(const struct outcome_op *op, uint32_t count, bool with_compute,
                        bool with_communication)
{
    int64_t length = 0, reached = INT64_MIN;
    for (uint32_t i = 0; i < count; i++) {
        if (!(with_compute && op[i].is_compute) && !(with_communication && op[i].is_communication))
            continue;
        int64_t end = end_of(&op[i]), begin = op[i].begin_ps > reached ? op[i].begin_ps : reached;
        if (end <= begin)
            continue;
        length += end - begin;
        reached = end;
    }
    return length;
}

static void say(int64_t *figure, int64_t value)
{
    if (*figure == OUTCOME_UNSAID)
        *figure = value;
}

static void figures_of(struct outcome_rank *rank, const struct outcome_op *op, uint32_t count)
{
    int64_t *figure = rank->figure_ps, sum = 0, last = 0;
    bool has_begins = true;
    for (uint32_t i = 0; i < count; i++) {
        if (op[i].is_compute && __builtin_add_overflow(sum, op[i].duration_ps, &sum))
            sum = INT64_MAX;
        has_begins = has_begins && op[i].begin_ps != OUTCOME_UNSAID;
        if (has_begins && end_of(&op[i]) > last)
            last = end_of(&op[i]);
    }
    say(&figure[RANK_COMPUTE_SUM], sum);
    if (!has_begins)
        return;
    int64_t compute = union_of(op, count, true, false);
    say(&figure[RANK_FINISH], last);
    say(&figure[RANK_COMPUTE], compute);
    say(&figure[RANK_COMMUNICATION], union_of(op, count, false, true));
    say(&figure[RANK_ALONE], union_of(op, count, true, true) - compute);
}

void outcome_figures_of_ops(struct outcome *outcome)
{
    if (!outcome->op_count)
        return;
    struct outcome_op *op = malloc(outcome->op_count * sizeof *op);
    need_memory(op != NULL);
    memcpy(op, outcome->op, outcome->op_count * sizeof *op);
    qsort(op, outcome->op_count, sizeof *op, outcome_compare_ops);
    for (uint32_t i = 0, next; i < outcome->op_count; i = next) {
        for (next = i; next < outcome->op_count && op[next].rank == op[i].rank; next++)
            ;
        struct outcome_rank *rank = outcome_find_rank(outcome, op[i].rank);
        if (!rank)
            rank = outcome_add_rank(outcome, op[i].rank);
        figures_of(rank, op + i, next - i);
    }
    free(op);
}
