/*
 * replay - a node takes the duration that was recorded, or the least duration if none was.
 *
 * ASTRA-sim replays whole microseconds and makes 0 into 1 ns (system->least_duration_ns = 1).
 */
#ifndef ORRERY_COMPUTE_MODEL_REPLAY_H
#define ORRERY_COMPUTE_MODEL_REPLAY_H

#include "model/compute.h"

extern const struct compute_ops compute_replay;

#endif
