/*
 * comparison - two outcomes side by side: what aligns, how far apart it is, what does not align.
 *
 * Rules:
 *  1. A is judged, B is the reference: errors are A / B - 1 (error_stats.h).
 *  2. Ranks align by number; a figure is compared where both sides say it.
 *  3. Ops align by rank, name and occurrence (the third "fwd" of rank 2 with the third),
 *     occurrences in order of begin, then of the file; or by rank, class and occurrence.
 *     ALIGN_AUTO takes names unless less than half of the side with fewer ops finds its like.
 *  4. Collectives stand by kind, group size and size of the data, as far as both sides say these,
 *     with the mean time of one. Where both have ops, a rank's share of a collective is compared:
 *     from its coming to its end.
 *  5. The step: the mean of the steps that a side has, else the end of its run.
 *  6. Whatever has no counterpart is counted, with its time; nothing is compared with 0 instead.
 *  7. Nothing depends on the order of files or threads.
 */
#ifndef ORRERY_COMPARE_COMPARISON_H
#define ORRERY_COMPARE_COMPARISON_H

#include "compare/error_stats.h"
#include "compare/outcome.h"
#include "compare/step_times.h"

enum align_by { ALIGN_AUTO, ALIGN_NAME, ALIGN_CLASS };
extern const char *const align_by_names[]; /* "auto", .. */

struct compare_how {
    enum align_by align;
    bool rows_by_name; /* rows of ops: one for each name, not for each class */
};

/* X(enumerator, key, heading) - parts of a comparison. */
#define COMPARE_PART_LIST(X)                                                                       \
    X(COMPARE_STEP, "step", "step")                                                                \
    X(COMPARE_RANKS, "ranks", "ranks")                                                             \
    X(COMPARE_OPS, "ops", "ops")                                                                   \
    X(COMPARE_COLLECTIVES, "collectives", "collectives")

enum compare_part {
#define X(name, key, heading) name,
    COMPARE_PART_LIST(X)
#undef X
        COMPARE_PART_COUNT
};

extern const char *const compare_part_keys[];

struct compare_row {
    enum compare_part part;
    const char *name;         /* "finish", "gemm", "all-reduce 1048576 B, 8 ranks" */
    struct error_stats error; /* of what aligned */
    uint64_t only_a, only_b;  /* without counterpart */
    double only_a_ps, only_b_ps;
    const char *worst;  /* which pair, "rank 3", "rank 3, fwd #2"; "" if all are equal */
    const char *widest; /* the same of the most difference */
};

/* One of the pairs that are furthest apart in time. */
struct compare_wide {
    const char *which; /* "rank 3, fwd #2" */
    const char *class; /* of an op; "" of a rank */
    int64_t a_ps, b_ps;
};

struct compare_input {
    const char *key, *a, *b; /* NULL: that side has none */
    bool is_file;
};

struct comparison {
    const struct outcome *a, *b;
    struct arena arena;
    int64_t grain_ps; /* the coarser of both */

    struct compare_row *row; /* by part, in its order */
    uint32_t row_count, row_room;

    uint32_t ranks_both, ranks_equal; /* that finish at the same time */
    bool finish_is_said;              /* by both, of every rank of ranks_both */
    uint32_t *only_a, only_a_count, *only_b, only_b_count; /* numbers of ranks */

    enum align_by align;  /* as it was done: ALIGN_NAME or ALIGN_CLASS */
    uint64_t ops_by_name; /* that would align by name */
    struct compare_wide wide_op[ERROR_WIDE], wide_rank[ERROR_WIDE]; /* of ranks: when they finish */
    uint32_t wide_op_count, wide_rank_count;

    struct step_times step_a, step_b;
    int64_t step_a_ps, step_b_ps; /* rule 5, or OUTCOME_UNSAID */

    bool inputs_are_said; /* by both sides */
    uint32_t inputs_same;
    struct compare_input *input; /* that differ */
    uint32_t input_count, input_room;
};

/* Both outcomes are closed and share `words`; borrowed. Nothing in common: STATUS_BAD_INPUT. */
enum status comparison_make(struct comparison *comparison, const struct outcome *a,
                            const struct outcome *b, const struct compare_how *how,
                            struct diag *diag);
void comparison_release(struct comparison *comparison);

/* The row of that part and name, or NULL. */
const struct compare_row *comparison_find(const struct comparison *comparison,
                                          enum compare_part part, const char *name);

#endif
