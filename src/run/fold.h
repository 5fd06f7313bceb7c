/*
 * fold - may one rank stand for all of them?
 *
 * Claim: if every rank runs the same trace, every collective is an exchange over all ranks (or a
 * program that is the same for all but for a relabelling), and the
 * network maps onto itself under the shifts those exchanges make, then all ranks do the same at the
 * same times, so simulating rank 0, whose messages come back to itself, gives every rank's times.
 *
 * Why it is exact:
 *  - An exchange (model/collective.h) treats all positions alike, and its message j takes the same
 *    time from every position: Ring, FullyConnected and Switch are vertex-transitive, and the
 *    congestion-unaware time depends on the offset only. With congestion, it is required besides
 *    that each link carries messages of one sender only, and that one group of symmetries (shifts,
 *    or flips) maps all messages: ring on a Ring; ring or direct, or halving-doubling alone, on a
 *    FullyConnected; ring in one direction on a Switch.
 *  - On a fabric (net/topology) nothing is taken for granted: link_fold.h follows every message.
 *  - By induction over time, equal states give equal actions at equal times on all ranks; only the
 *    order of same-time actions within a rank could differ. The scheduler proves for each pair that
 *    it does not, and for each exchange that its gate sees one order, or gives the fold up
 *    (sched/fold_watch.c); the run is then done unfolded.
 */
#ifndef ORRERY_RUN_FOLD_H
#define ORRERY_RUN_FOLD_H

#include <stdbool.h>

#include "run/link_fold.h"
#include "run/prepare.h"

/*
 * True if folding is exact for this run; *why says so or why not (constant text). On a fabric the
 * proof is computed (run/link_fold.h) and given in *proof, for the caller to destroy; else NULL.
 */
bool fold_is_exact(const struct config *config, const struct workload *workload,
                   const struct prepared *prepared, struct link_proof **proof, const char **why);

#endif
