/*
 * fold - may one rank stand for many?
 *
 * Claim: if every rank runs the same trace, every collective is an exchange over all ranks (or a
 * program that is the same for all but for a relabelling), and the network maps onto itself under
 * the shifts those exchanges make, then all ranks do the same at the same times, so simulating
 * rank 0, whose messages come back to itself, gives every rank's times. On a fabric there may be
 * several classes of ranks, one of each of which is simulated.
 *
 * Why it is exact:
 *  - An exchange (model/collective.h) treats all positions alike, and its message j takes the same
 *    time from every position: Ring, FullyConnected and Switch are vertex-transitive, and the
 *    congestion-unaware time depends on the offset only. With congestion, it is required besides
 *    that each link carries messages of one sender only, and that one group of symmetries (shifts,
 *    or flips) maps all messages: ring on a Ring; ring or direct, or halving-doubling alone, on a
 *    FullyConnected; ring in one direction on a Switch.
 *  - On a fabric (net/topology) nothing is taken for granted: link_fold.h follows every message.
 *  - By induction over time, equal states give equal actions at equal times on all ranks of a class;
 *    only the order of same-time actions within a rank could differ. The scheduler proves for each
 *    pair that it does not, and for each exchange that its gate sees one order, or gives the fold up
 *    (sched/fold_watch.c); the run is then done unfolded.
 */
#ifndef ORRERY_RUN_FOLD_H
#define ORRERY_RUN_FOLD_H

#include <stdbool.h>

#include "run/link_fold.h"
#include "run/prepare.h"
#include "sched/sched.h"

struct fold {
    struct rank_fold ranks;  /* for the scheduler */
    struct link_proof proof; /* on a fabric */
    bool has_proof;
    uint32_t *class_of; /* without a proof: one class */
    uint32_t first, size;
};

/*
 * True if folding is exact for this run; *why says so or why not (constant text). fold_release() in
 * every case, after the run.
 */
bool fold_init(struct fold *fold, const struct config *config, const struct workload *workload,
               struct prepared *prepared, const char **why);
void fold_release(struct fold *fold);

/* What the network model is told, or NULL. */
const struct link_fold *fold_links(const struct fold *fold);

#endif
