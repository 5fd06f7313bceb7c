/*
 * difference - why run B takes longer than run A: two exact views, by what and by whom.
 *
 *   the mean rank      what an average rank did with its time (rank_terms.h): of A, of B, and what
 *                      B has more of it
 *   the critical path  what the run's end waited for (critical_path_blame.h), likewise
 *
 * Rules:
 *  1. In every table of `by` the column of A sums to the end of A and that of B to the end of B, in
 *     ps: so B - A of all rows sums to the difference. difference_check() proves it. Means that are
 *     no whole ps are rounded by largest remainders (base/apportion.h).
 *  2. Rows are aligned by name: ops with numbers as '*', stages by the file name of their trace,
 *     ranks by number. A row that only one of the runs has is 0 in the other, and says so.
 *  3. Tables are by |B - A|, most first, then by name; parts are in the order of terms.
 *  4. The runs may have different numbers of ranks: means are compared. `rank` is there if they
 *     have as many, `stage` if they have as many traces: the terms of one rank (or the mean of a
 *     stage's ranks); every row sums to the ends as in rule 1.
 */
#ifndef ORRERY_STATS_DIFFERENCE_H
#define ORRERY_STATS_DIFFERENCE_H

#include "stats/critical_path_blame.h"
#include "stats/rank_terms.h"

enum difference_by {
    DIFFERENCE_MEAN,                                    /* + enum terms_by */
    DIFFERENCE_PATH = DIFFERENCE_MEAN + TERMS_BY_COUNT, /* + enum blame_by */
    DIFFERENCE_COUNT = DIFFERENCE_PATH + BLAME_BY_COUNT
};

struct difference_row {
    const char *name;
    enum rank_term term; /* of the mean rank's parts */
    bool in_a, in_b;
    time_ps a_ps, b_ps;
};

struct difference_table {
    struct difference_row *row;
    uint32_t count;
};

/* Ranks that are alike in both runs, or those of a stage. */
struct difference_ranks {
    const char *name; /* of a stage; NULL: of ranks */
    uint32_t first;   /* the first rank of both */
    uint32_t count_a, count_b;
    time_ps a_ps[RANK_TERM_COUNT], b_ps[RANK_TERM_COUNT];
};

struct difference {
    struct arena arena; /* of all */
    time_ps a_ps, b_ps; /* ends */
    struct difference_table by[DIFFERENCE_COUNT];
    struct difference_ranks *rank, *stage; /* rule 4 */
    uint32_t rank_count, stage_count;
};

struct difference_side {
    const struct rank_terms *terms;
    const struct path_blame *blame;
    const struct run_result *result;
    const struct workload *workload;
};

/* B - A. */
static inline int64_t difference_of(time_ps a, time_ps b)
{
    return (int64_t)(b - a);
}

void difference_init(struct difference *difference);
void difference_release(struct difference *difference);

/* Fills `difference`, which is new, and proves rule 1. */
enum status difference_make(struct difference *difference, const struct difference_side *a,
                            const struct difference_side *b, struct diag *diag);

enum status difference_check(const struct difference *difference, struct diag *diag);

#endif
