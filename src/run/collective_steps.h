/*
 * collective_steps - how far what is said of a run's collectives holds when links are up to 10 %
 * slower or faster: a library may take another algorithm, protocol or count of channels there.
 *
 * Rules:
 *  1. A collective is run alone with what scales with a key 1.1 times as long, and 1 / 1.1 times.
 *     If a member's end is off what delay, shares and bends say by more than STEP_WITHIN of it,
 *     there is a step on the way; where it is, is found by halving.
 *  2. Of a run: the step's worth is summed over the collectives of each seat, whether they are
 *     hidden or not, and is that of the seat with most: an upper bound. Only what is more than
 *     STEP_COUNTS of what 10 % cost is said.
 *  3. Example: rings of 8 with 32 MB on H100 with the library's costs take another protocol from
 *     8.4 % slower links on, which is 19.7 us more.
 */
#ifndef ORRERY_RUN_COLLECTIVE_STEPS_H
#define ORRERY_RUN_COLLECTIVE_STEPS_H

#include "run/collective_parts.h"

#define STEP_RATIO  1.1
#define STEP_WITHIN 0.01
#define STEP_COUNTS 0.05

/* Fills the steps of the collective at hand, whose profile is complete. False if a run of it does
 * not end. */
bool collective_steps_fill(struct profiling *profiling);

#endif
