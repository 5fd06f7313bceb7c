/*
 * shard_cost - what data parallelism costs a rank in one iteration: gradients reduced, weights
 * gathered, the optimizer stepped.
 *
 * With n ranks that share parameters (dp x cp; of experts, those that hold the same ones) and a
 * stage of U layers:
 *   zero 0     all-reduce of gradients after the last micro-batch
 *   zero 1, 2  reduce-scatter of gradients, all-gather of weights before the next first micro-batch
 *   zero 3     in each micro-batch all-gather of each layer before its forward and again before
 *              its backward, reduce-scatter after it; with a shard group smaller than n also an
 *              all-reduce among replicas
 * Rules:
 *  1. Overlapped gradients hide behind the last micro-batch's backward of the stage, overlapped
 *     weights behind the first one's forward, but for one bucket of each: exposed = max(bucket,
 *     total - cover). Of zero 3 a layer's traffic hides behind that layer's pass, but for the first
 *     gather and the last reduction; gathers only if the framework prefetches.
 *     30 ms in 10 buckets under 20 ms of backward: 10 ms are exposed; under 40 ms, 3 ms.
 *  2. Hidden traffic slows compute by the device's overlap_slowdown: that counts as exposed.
 *  3. The optimizer reads gradient, moments and master weight and writes back all but the gradient,
 *     and the weight.
 */
#ifndef ORRERY_ESTIMATE_SHARD_COST_H
#define ORRERY_ESTIMATE_SHARD_COST_H

#include "estimate/piece_cost.h"

/* One stage as this module needs it. */
struct shard_stage {
    uint64_t parameters, expert_parameters; /* of a rank, all of the stage */
    uint32_t layers;                        /* at least 1 */
    double forward_ns, backward_ns;         /* of one micro-batch */
};

struct shard_cost {
    double exposed_ns, optimizer_ns;
};

void shard_cost_find(const struct piece_context *context, const struct shard_stage *stage,
                     struct shard_cost *cost);

#endif
