/*
 * rank_speed - how much longer the compute of each rank takes than its model says.
 *
 * The factor of an op is that of its rank (variation.rank-jitter, one for the whole run: some
 * devices are slower), times its own (variation.op-jitter), times those of the lines of
 * variation.slow-ranks that hold while it runs:
 *
 *     rank 17: 1.3x from 10ms to 30ms; ranks 0-7,9: 1.1x
 *
 * Rules:
 *  1. Compute on a device only: host work, launches, communication and remote memory take what they
 *     took. In a run that replays everything, recorded communication stays too.
 *  2. A line of slow-ranks is integrated over: an op of 10 ms that begins at 5 ms takes 12 ms under
 *     2x from 10ms to 14ms.
 *  3. Factors of ops and ranks are functions of (seed, sample, rank, op): model/jitter.h.
 */
#ifndef ORRERY_COMPUTE_RANK_SPEED_H
#define ORRERY_COMPUTE_RANK_SPEED_H

#include "config/config.h"
#include "model/jitter.h"
#include "model/slow_list.h"

struct rank_speed;

/* *made stays NULL if nothing varies. */
enum status rank_speed_create(struct rank_speed **made, const struct config *config,
                              struct diag *diag);
void rank_speed_destroy(struct rank_speed *speed);

/* The work of op `node` of `rank`, which takes `duration` as its model says: rank's and op's own
 * factor. In whole ns if the system counts so. */
time_ps rank_speed_work(const struct rank_speed *speed, uint32_t rank, uint32_t node,
                        time_ps duration);

/* By how much the rank is slow for a time; NULL: not. */
const struct pace *rank_speed_pace(const struct rank_speed *speed, uint32_t rank);

/* The factor of the whole run that rank-jitter gives `rank`. */
double rank_speed_factor(const struct variation_config *config, uint32_t rank);

#endif
