/*
 * search - all parallel plans of a training job on a number of devices, the fastest first.
 *
 * What is tried: tensor parallel degrees up to the scale-up domain, context parallel ones while a
 * rank keeps 2,048 tokens, expert parallel ones that divide the experts, pipelines with and without
 * interleaving, micro-batches of 1 to 8, no, selective (where attention is not fused) and full
 * recompute, zero 1, and zero 3 without a pipeline. Degrees are divisors of the devices, degrees
 * inside a node powers of two. Plans that train_plan_check() refuses are left out.
 *
 * Rules:
 *  1. A plan fits if what the stage that needs most holds (memory_model.h) is at most the device's
 *     memory.
 *  2. Equal times: the plan tried first, which is the one with the smaller degrees.
 */
#ifndef ORRERY_ESTIMATE_SEARCH_H
#define ORRERY_ESTIMATE_SEARCH_H

#include "estimate/estimate.h"

struct search_request {
    const struct estimate_setting *setting;
    struct train_plan base; /* number types, overlap, seq, global_batch; degrees are ignored */
    uint32_t ranks;
    uint32_t domain; /* ranks of a scale-up domain */
    uint32_t most;   /* plans wanted */
};

struct search_plan {
    struct train_plan plan;
    struct estimate estimate;
    struct stage_memory memory;
};

struct search_result {
    struct search_plan *best; /* fastest first; `count` of them */
    uint32_t count;
    uint64_t valid, fitting;  /* plans that pass the check; that fit in memory */
    struct search_plan least; /* if none fits: the valid plan that needs least */
};

/* `best` is of `arena`. */
void search_run(const struct search_request *request, struct search_result *result,
                struct arena *arena);

#endif
