/*
 * piece_cost - what the forward and the backward of a piece of a model cost one rank for one
 * micro-batch.
 *
 * Rules:
 *  1. A rank computes one op at a time. Traffic of expert parallel groups is exposed but for the
 *     share that the framework hides (hidden_ep), that of tensor parallel groups likewise
 *     (hidden_tp) where the plan overlaps it; other traffic marked `overlaps` is exposed by what
 *     the compute up to the item that waits for it does not cover.
 *  2. Compute takes the device's overlap_slowdown of hidden traffic longer: it counts as exposed.
 *  3. Where a framework launches each kernel, the host needs its time for each; what the device
 *     does not cover of that is TERM_HOST. So is expert_host_ns of each pass of a mixture layer.
 *  4. All that the backward repeats of the forward is TERM_RECOMPUTE, traffic and all.
 *  5. Traffic of data parallel groups is not counted here (shard_cost.h).
 */
#ifndef ORRERY_ESTIMATE_PIECE_COST_H
#define ORRERY_ESTIMATE_PIECE_COST_H

#include "estimate/price.h"
#include "estimate/terms.h"
#include "estimate/group_time.h"
#include "workloads/generate/layer_ops.h"

struct pass_cost {
    double ns; /* sum of the terms */
    double term_ns[ESTIMATE_TERM_COUNT];
};

struct piece_cost {
    struct pass_cost forward, backward;
    double recompute_ns;       /* part of the backward: the forward done again, its traffic too */
    double weight_gradient_ns; /* part of the backward that a zero-bubble schedule may delay */
};

struct piece_context {
    struct prices *prices;
    struct group_times *times;
    const struct framework *framework;
    const struct train_plan *plan;
    double dedup_ratio; /* of expert traffic, where a framework sends each token once to a node */
    bool is_frozen;     /* adapters are trained: no gradients of the model's weights */
};

void piece_cost_find(const struct piece_context *context, const struct layer_piece *piece,
                     struct piece_cost *cost);

/* The group of this rank of `kind`, in the order of ranks of the plan (train_plan.h, rule 3), which
 * has passed train_plan_check(). */
struct rank_group piece_group(const struct train_plan *plan, enum group_kind kind);

#endif
