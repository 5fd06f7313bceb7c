/*
 * overlap - compute takes longer while collectives run on its rank.
 *
 * Communication kernels take cores and memory bandwidth from compute. While at least one collective
 * of a rank is in flight (from its issue on: its kernel waits on the device for its peers), the
 * rank's compute ops advance at 1 / (1 + system.overlap-slowdown) of their speed. An op of 100 us
 * under a slowdown of 0.2 beside which a collective runs for 60 us takes 60 + (100 - 60 / 1.2) =
 * 110 us.
 * A rank that is slow for a time (compute/rank_speed.h) is slower by both factors at once.
 * With a slowdown of 0 nothing here costs anything.
 */
#ifndef ORRERY_SCHED_OVERLAP_H
#define ORRERY_SCHED_OVERLAP_H

#include "sched/state.h"

/* A compute op that takes `duration` undisturbed begins: registers its end. */
void overlap_compute_begin(struct sched *sched, uint32_t flight, time_ps duration);

/* An item of ITEM_COMPUTE is due: true if the op has ended, false if it was put off meanwhile. */
bool overlap_has_ended(struct sched *sched, uint32_t flight, uint32_t version);

/* A collective of the rank was issued, or ended on it. */
void overlap_comm_begin(struct sched *sched, uint32_t rank);
void overlap_comm_end(struct sched *sched, uint32_t rank);

#endif
