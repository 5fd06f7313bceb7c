/*
 * fold - may one rank stand for all of them?
 *
 * Claim: if every rank runs the same trace, every collective is an exchange over all ranks, and the
 * network maps onto itself under the shifts those exchanges make, then all ranks do the same at the
 * same times, so simulating rank 0, whose messages come back to itself, gives every rank's times.
 *
 * Why it is exact:
 *  - An exchange (model/collective.h) treats all positions alike, and its message j takes the same
 *    time from every position: Ring, FullyConnected and Switch are vertex-transitive, and the
 *    congestion-unaware time depends on the offset only. With congestion, it is required besides
 *    that no link carries messages of two ranks: ring algorithm on a Ring, anything on a
 *    FullyConnected, ring algorithm on a Switch.
 *  - By induction over time, equal states give equal actions - except that same-time events of
 *    different ranks are ordered by rank, so on one rank a message's arrival may come before or
 *    after the rank's own items of that time. Which of two same-time actions comes first can matter
 *    only for actions that touch shared state of the rank: the end of a phase (queues), the end of
 *    a node (slots), and with congestion a send (links). The scheduler watches those: if two of
 *    one time were registered at one time for different reasons (own item, arrival in a dimension),
 *    their order could differ between ranks; the fold is given up and the run done unfolded.
 */
#ifndef ORRERY_RUN_FOLD_H
#define ORRERY_RUN_FOLD_H

#include <stdbool.h>

#include "run/prepare.h"

/* True if folding is exact for this run; *why says so or why not (constant text). */
bool fold_is_exact(const struct config *config, const struct workload *workload,
                   const struct prepared *prepared, const char **why);

#endif
