/*
 * lone_schedule - one algorithm's schedule over all ranks of a network, to look at: proved, priced,
 * exported.
 *
 * The algorithm is one over all ranks: flat by itself or by ":flat", or any on a network of one
 * dimension; or an MSCCL file. It is made with its data described (model/collective.h, rule 4).
 */
#ifndef ORRERY_RUN_LONE_SCHEDULE_H
#define ORRERY_RUN_LONE_SCHEDULE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "config/config.h"
#include "model/collective.h"
#include "net/collective/verify.h"

struct lone_schedule {
    struct arena arena;
    const char *name; /* as configured */
    const struct collective_ops *ops;
    struct schedule_request request;
    struct schedule schedule;
    struct program *program; /* [n] */
};

/*
 * `name` as in a configuration (borrowed); `bytes` as in trace.h rule 5; the shape is that of
 * config->network. Fails if the algorithm cannot run it, or does not say what its messages carry.
 * To be released in every case.
 */
enum status lone_schedule_make(struct lone_schedule *lone, const struct config *config,
                               enum collective_kind kind, uint64_t bytes, const char *name,
                               struct diag *diag);
void lone_schedule_release(struct lone_schedule *lone);

/*
 * Proves it (net/collective/verify.h) and prints what was counted, on a line:
 *   ring: all-reduce of 16 ranks is right: 480 messages, .. B in all, .. B by the busiest port; T =
 *   30 a + 240000000 b + 120000000 r
 * (of the closed form if there is one, else the messages that came one after the other).
 */
enum status lone_schedule_print_proof(const struct lone_schedule *lone, FILE *out,
                                      struct diag *diag);

#endif
