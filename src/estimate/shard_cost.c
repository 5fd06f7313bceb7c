#include "estimate/shard_cost.h"

#include <math.h>

/* -- volumes ---------------------------------------------------------------------------------- */

/* One of `pieces` equal collectives over `parameters` numbers of `type`. */
static double piece_ns(const struct piece_context *context, enum collective_kind kind,
                       uint64_t parameters, enum data_type type, struct rank_group group)
{
    uint64_t bytes = data_type_bytes(type, parameters);
    if (kind == COLL_ALL_GATHER)
        bytes /= group.ranks;
    return group_time_ns(context->times, (int)kind, bytes, group);
}

/* Times of one bucket of dense and expert parameters. */
struct bucket {
    double reduce_ns, gather_ns;
};

static struct bucket bucket_of(const struct piece_context *context, uint64_t parameters,
                               struct rank_group group)
{
    const struct train_plan *plan = context->plan;
    struct bucket bucket = {0};
    bool sharded = plan->zero > 0;
    bucket.reduce_ns = piece_ns(context, sharded ? COLL_REDUCE_SCATTER : COLL_ALL_REDUCE,
                                parameters, plan->gradient_type, group);
    if (sharded)
        bucket.gather_ns = piece_ns(context, COLL_ALL_GATHER, parameters, plan->weight_type, group);
    return bucket;
}

/* -- zero 0 to 2 ------------------------------------------------------------------------------ */

static double exposed(const struct piece_context *context, double total, double bucket,
                      double cover, bool overlaps)
{
    if (!overlaps)
        return total;
    double out = fmax(bucket, total - cover);
    return out + (total - out) * context->prices->device->overlap_slowdown;
}

static uint32_t buckets_of(const struct train_plan *plan, const struct shard_stage *stage)
{
    if (plan->bucket_bytes == 0)
        return stage->layers;
    uint64_t bytes = data_type_bytes(plan->gradient_type, stage->parameters);
    uint64_t buckets = (bytes + plan->bucket_bytes - 1) / plan->bucket_bytes;
    return buckets < 1 ? 1 : buckets > UINT16_MAX ? UINT16_MAX : (uint32_t)buckets;
}

static double once_a_step_ns(const struct piece_context *context, const struct shard_stage *stage)
{
    const struct train_plan *plan = context->plan;
    uint32_t count = buckets_of(plan, stage);
    struct bucket dense =
        bucket_of(context, stage->parameters / count, piece_group(plan, GROUP_DP_CP));
    struct bucket expert =
        bucket_of(context, stage->expert_parameters / count, piece_group(plan, GROUP_EXPERT_DP));
    double reduce = dense.reduce_ns + expert.reduce_ns, gather = dense.gather_ns + expert.gather_ns;
    return exposed(context, reduce * count, reduce, stage->backward_ns, plan->overlap_gradients) +
           exposed(context, gather * count, gather, stage->forward_ns, plan->overlap_weights);
}

/* -- zero 3 ----------------------------------------------------------------------------------- */

static double each_micro_batch_ns(const struct piece_context *context,
                                  const struct shard_stage *stage)
{
    const struct train_plan *plan = context->plan;
    uint32_t layers = stage->layers;
    struct rank_group shard = piece_group(plan, GROUP_SHARD);
    struct bucket dense = bucket_of(context, stage->parameters / layers, shard);
    struct bucket expert =
        bucket_of(context, stage->expert_parameters / layers, piece_group(plan, GROUP_EXPERT_DP));
    double gather = dense.gather_ns + expert.gather_ns;
    double reduce = dense.reduce_ns + expert.reduce_ns;
    reduce += piece_ns(context, COLL_ALL_REDUCE, stage->parameters / layers / shard.ranks,
                       plan->gradient_type, piece_group(plan, GROUP_REPLICA));
    double forward = stage->forward_ns / layers, backward = stage->backward_ns / layers;
    /* What a pass can hide: gathers if the next layer's begins ahead, reductions if they
     * overlap. */
    bool ahead = plan->overlap_weights && context->framework->prefetch > 0;
    double early = ahead ? gather : 0, late = plan->overlap_gradients ? reduce : 0;
    double out = 2 * (gather - early) + (reduce - late);
    out += fmax(0, early - forward) + fmax(0, early + late - backward);
    double hidden = 2 * gather + reduce - out;
    out += hidden * context->prices->device->overlap_slowdown;
    return (double)plan->micro_batches * layers * out + early + late;
}

/* -- optimizer -------------------------------------------------------------------------------- */

static double optimizer_ns(const struct piece_context *context, const struct shard_stage *stage)
{
    const struct train_plan *plan = context->plan;
    uint64_t owned = stage->parameters, experts = stage->expert_parameters;
    if (plan->zero > 0) {
        owned /= piece_group(plan, GROUP_DP_CP).ranks;
        experts /= piece_group(plan, GROUP_EXPERT_DP).ranks;
    }
    const struct op_shape shape = optimizer_shape(plan, owned + experts);
    return shape.m > 0 ? price_ns(context->prices, &shape) : 0;
}

void shard_cost_find(const struct piece_context *context, const struct shard_stage *stage,
                     struct shard_cost *cost)
{
    *cost = (struct shard_cost){0};
    if (context->is_frozen)
        return;
    cost->exposed_ns = context->plan->zero == 3 ? each_micro_batch_ns(context, stage)
                                                : once_a_step_ns(context, stage);
    cost->optimizer_ns = optimizer_ns(context, stage);
}
