/*
 * planning - a job and the cluster it runs on, opened for the search of parallel plans
 * (estimate/search.h).
 *
 * Rules:
 *  1. planning_open() fills the request but for `base`'s batch and sequence, and `most`: the
 *     caller's.
 *  2. Large: on the heap. What a search returns is of planning->arena.
 */
#ifndef ORRERY_CLI_PLANNING_H
#define ORRERY_CLI_PLANNING_H

#include "cli/inputs.h"
#include "cli/work.h"
#include "estimate/search.h"
#include "stats/result.h"

struct planning {
    struct config config;
    struct group_file groups;
    struct work work;
    struct run_result result; /* its notices */
    struct arena arena;
    struct tuner *tuner;
    struct estimate_setting setting;
    struct search_request request;
};

void planning_init(struct planning *planning);
void planning_release(struct planning *planning);

/* The cluster must name device and library. */
enum status planning_open(struct planning *planning, const struct inputs *inputs,
                          struct diag *diag);

/* What of the configuration estimates leave out, to standard error. */
void planning_say_ignored(const struct planning *planning);

#endif
