/*
 * plan_auto - the algorithm `auto`: what a library of NCCL's kind would take on this fabric.
 *
 * The choice is net/collective/tuner.h's, for the whole collective (all its chunks), with the library
 * and latencies of the preset that system.library names ("h100-dgx") and the fabric's own rates.
 * Collectives of groups smaller than the system are refused: a plan does not know which domains its
 * members are in.
 */
#ifndef ORRERY_SCHED_PLAN_AUTO_H
#define ORRERY_SCHED_PLAN_AUTO_H

#include "net/collective/tuner.h"
#include "sched/plan.h"

struct plan_auto; /* opaque; owned by the book */

/*
 * Fills *choice with the schedule for a collective of `bytes` (trace.h rule 5) over all ranks.
 * `tuned` (may be NULL) is what the library itself would do, and how long that takes.
 */
enum status plan_auto_choose(struct plan_auto **self, const struct config *config,
                             enum collective_kind kind, uint64_t bytes,
                             struct algorithm_choice *choice, struct tuner_choice *tuned,
                             struct diag *diag);
void plan_auto_destroy(struct plan_auto *self);

#endif
