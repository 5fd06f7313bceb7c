/*
 * goodput_run - the same job simulated failure by failure (goodput.h), on the event engine.
 *
 * Rules:
 *  1. Run `sample` of `seed` lasts `days` of simulated time (at most 200: time is 64 bits of ps).
 *     It begins with all nodes whole and a snapshot that counts.
 *  2. At the end what was done since the last snapshot counts as useful: the job is not stopped by
 *     a failure then.
 */
#ifndef ORRERY_GOODPUT_GOODPUT_RUN_H
#define ORRERY_GOODPUT_GOODPUT_RUN_H

#include "goodput/goodput.h"

enum { GOODPUT_MOST_DAYS = 200 };

struct goodput goodput_run(const struct goodput_input *input, double interval_s, double days,
                           uint64_t seed, uint64_t sample);

#endif
