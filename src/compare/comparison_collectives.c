/*
 * Rows of collectives. Where both sides have ops, a rank's n-th collective of a kind (and of a size
 * and group size, if every collective of both sides says them) stands beside the other's. Else by
 * kind and group size, with the mean time of one: from the last coming to the end in our report,
 * from each rank's own coming where it is counted from ops.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/comparison_parts.h"
#include "compare/outcome_figures.h"
#include "model/op.h"

struct detail {
    bool size, group; /* that both sides say */
};

static const char *describe_key(struct comparison *comparison, const struct outcome_op *op,
                                struct detail detail)
{
    char size[40] = "", group[40] = "";
    if (detail.size)
        snprintf(size, sizeof size, ", %" PRIu64 " B", op->size_bytes);
    if (detail.group)
        snprintf(group, sizeof group, ", %" PRIu32 " ranks", op->group_size);
    return comparison_text(comparison, "%s%s%s",
                           collective_name((enum collective_kind)op->collective), size, group);
}

/* -- ops beside ops -------------------------------------------------------------------------- */

static struct outcome_op *gather(const struct outcome *side, uint32_t *count, struct detail *detail)
{
    struct outcome_op *op = malloc((side->op_count + 1) * sizeof *op);
    need_memory(op != NULL);
    *count = 0;
    for (uint32_t i = 0; i < side->op_count; i++) {
        if (side->op[i].collective < 0)
            continue;
        op[(*count)++] = side->op[i];
        detail->size = detail->size && side->op[i].size_bytes != OUTCOME_NO_SIZE;
        detail->group = detail->group && side->op[i].group_size != 0;
    }
    return op;
}

/* So that the comparisons below need no context: what is not compared is equal. */
static void blur(struct outcome_op *op, uint32_t count, struct detail detail)
{
    for (uint32_t i = 0; i < count; i++) {
        op[i].size_bytes = detail.size ? op[i].size_bytes : 0;
        op[i].group_size = detail.group ? op[i].group_size : 0;
    }
}

static int compare_key(const struct outcome_op *a, const struct outcome_op *b)
{
    if (a->collective != b->collective)
        return a->collective < b->collective ? -1 : 1;
    if (a->group_size != b->group_size)
        return a->group_size < b->group_size ? -1 : 1;
    return a->size_bytes < b->size_bytes ? -1 : a->size_bytes > b->size_bytes;
}

static int compare_place(const struct outcome_op *a, const struct outcome_op *b)
{
    int order = compare_key(a, b);
    return order ? order : a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int compare_ops(const void *left, const void *right)
{
    int order = compare_place(left, right);
    return order ? order : outcome_compare_ops(left, right);
}

struct merge {
    struct outcome_op *a, *b;
    uint32_t a_count, b_count, i, k;
};

struct which {
    uint32_t rank, occurrence;
};

static const char *describe(struct comparison *comparison, const struct which *which)
{
    return comparison_text(comparison, "rank %" PRIu32 ", #%" PRIu32, which->rank,
                           which->occurrence);
}

/* The next op of that key, or NULL. */
static const struct outcome_op *next_of(const struct outcome_op *op, uint32_t at, uint32_t count,
                                        const struct outcome_op *key)
{
    return at < count && compare_key(&op[at], key) == 0 ? &op[at] : NULL;
}

/* Pairs and loners of one key, into the row; pair[] has room for as many as A has left. */
static void merge_key(struct merge *merge, const struct outcome_op *key, struct compare_row *row,
                      struct error_book *book, struct which *pair)
{
    const struct outcome_op *last = NULL;
    for (uint32_t occurrence = 0;;) {
        const struct outcome_op *a = next_of(merge->a, merge->i, merge->a_count, key);
        const struct outcome_op *b = next_of(merge->b, merge->k, merge->b_count, key);
        if (!a && !b)
            return;
        int which = !a ? 1 : !b ? -1 : compare_place(a, b);
        const struct outcome_op *one = which > 0 ? b : a;
        occurrence = last && last->rank == one->rank ? occurrence + 1 : 0;
        last = one;
        if (which == 0) {
            pair[book->stats.pairs] = (struct which){a->rank, occurrence};
            error_book_add(book, a->duration_ps, b->duration_ps);
        }
        row->only_a += which < 0;
        row->only_b += which > 0;
        row->only_a_ps += which < 0 ? (double)a->duration_ps : 0;
        row->only_b_ps += which > 0 ? (double)b->duration_ps : 0;
        merge->i += which <= 0;
        merge->k += which >= 0;
    }
}

static void merge_row(struct comparison *comparison, struct merge *merge, struct detail detail)
{
    const struct outcome_op *a = merge->i < merge->a_count ? &merge->a[merge->i] : NULL;
    const struct outcome_op *b = merge->k < merge->b_count ? &merge->b[merge->k] : NULL;
    const struct outcome_op *key = !a || (b && compare_key(b, a) < 0) ? b : a;
    const char *name = describe_key(comparison, key, detail);
    struct compare_row *row = comparison_add_row(comparison, COMPARE_COLLECTIVES, "%s", name);
    struct which *pair = malloc((uint64_t)(merge->a_count - merge->i + 1) * sizeof *pair);
    need_memory(pair != NULL);
    struct error_book book;
    error_book_init(&book, comparison->grain_ps);
    merge_key(merge, key, row, &book, pair);
    row->error = error_book_close(&book);
    if (row->error.pairs > row->error.equal) {
        if (row->error.worst_percent != 0)
            row->worst = describe(comparison, &pair[row->error.worst]);
        row->widest = describe(comparison, &pair[row->error.wide[0].number]);
    }
    error_book_release(&book);
    free(pair);
}

static void of_ops(struct comparison *comparison)
{
    struct detail detail = {true, true};
    struct merge merge = {0};
    merge.a = gather(comparison->a, &merge.a_count, &detail);
    merge.b = gather(comparison->b, &merge.b_count, &detail);
    blur(merge.a, merge.a_count, detail);
    blur(merge.b, merge.b_count, detail);
    qsort(merge.a, merge.a_count, sizeof *merge.a, compare_ops);
    qsort(merge.b, merge.b_count, sizeof *merge.b, compare_ops);
    while (merge.i < merge.a_count || merge.k < merge.b_count)
        merge_row(comparison, &merge, detail);
    free(merge.a);
    free(merge.b);
}

/* -- sums beside sums ------------------------------------------------------------------------ */

enum { MOST_GROUPS = 256 };

struct sums {
    struct outcome_collective row[MOST_GROUPS];
    uint32_t count;
    bool has_groups;
};

static struct outcome_collective *sum_of(struct sums *sums, int32_t kind, uint32_t group)
{
    for (uint32_t i = 0; i < sums->count; i++)
        if (sums->row[i].kind == kind && sums->row[i].group_size == group)
            return &sums->row[i];
    if (sums->count == MOST_GROUPS)
        return NULL;
    sums->row[sums->count] = (struct outcome_collective){.kind = kind, .group_size = group};
    return &sums->row[sums->count++];
}

/* False if there are more kinds and group sizes than fit. */
static bool sum_up(struct sums *sums, const struct outcome *side, bool with_groups)
{
    *sums = (struct sums){.has_groups = true};
    for (uint32_t i = 0; i < side->collective_count; i++) {
        const struct outcome_collective *row = &side->collective[i];
        struct outcome_collective *sum = sum_of(sums, row->kind, with_groups ? row->group_size : 0);
        if (!sum)
            return false;
        sum->count += row->count;
        sum->time_ps += row->time_ps;
    }
    for (uint32_t i = 0; !side->collective_count && i < side->op_count; i++) {
        const struct outcome_op *op = &side->op[i];
        if (op->collective < 0)
            continue;
        struct outcome_collective *sum =
            sum_of(sums, op->collective, with_groups ? op->group_size : 0);
        if (!sum)
            return false;
        sums->has_groups = sums->has_groups && op->group_size;
        sum->count++;
        sum->time_ps += (double)op->duration_ps;
    }
    return true;
}

static void add_sum(struct comparison *comparison, const struct outcome_collective *a,
                    const struct outcome_collective *b)
{
    struct error_book book;
    const struct outcome_collective *one = a ? a : b;
    struct outcome_op key = {.collective = one->kind, .group_size = one->group_size};
    const char *name = describe_key(comparison, &key, (struct detail){false, one->group_size > 0});
    struct compare_row *row = comparison_add_row(comparison, COMPARE_COLLECTIVES, "%s, mean", name);
    error_book_init(&book, comparison->grain_ps);
    if (a && b && a->count && b->count) {
        error_book_add(&book, (int64_t)(a->time_ps / (double)a->count + 0.5),
                       (int64_t)(b->time_ps / (double)b->count + 0.5));
        row->error = error_book_close(&book);
    } else {
        row->only_a = a ? a->count : 0;
        row->only_b = b ? b->count : 0;
        row->only_a_ps = a ? a->time_ps : 0;
        row->only_b_ps = b ? b->time_ps : 0;
    }
    error_book_release(&book);
}

static bool has_collectives(const struct outcome *side)
{
    if (side->collective_count)
        return true;
    for (uint32_t i = 0; i < side->op_count; i++)
        if (side->op[i].collective >= 0)
            return true;
    return false;
}

static void of_sums(struct comparison *comparison)
{
    struct sums *a = calloc(2, sizeof *a), *b = a + 1;
    need_memory(a != NULL);
    if (!has_collectives(comparison->a) || !has_collectives(comparison->b)) {
        free(a);
        return;
    }
    bool fits = sum_up(a, comparison->a, true) && sum_up(b, comparison->b, true);
    if (!fits || !a->has_groups || !b->has_groups) {
        sum_up(a, comparison->a, false);
        sum_up(b, comparison->b, false);
    }
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t known = b->count;
        struct outcome_collective *like = sum_of(b, a->row[i].kind, a->row[i].group_size);
        bool is_new = !like || b->count > known;
        b->count = known;
        add_sum(comparison, &a->row[i], is_new ? NULL : like);
    }
    for (uint32_t k = 0; k < b->count; k++) {
        uint32_t known = a->count;
        sum_of(a, b->row[k].kind, b->row[k].group_size);
        if (a->count > known)
            add_sum(comparison, NULL, &b->row[k]);
        a->count = known;
    }
    free(a);
}

void comparison_of_collectives(struct comparison *comparison)
{
    if (comparison->a->op_count && comparison->b->op_count)
        of_ops(comparison);
    else
        of_sums(comparison);
}
