/*
 * job_sync - data parallelism of a stage (job_graph.h, rule 5) and the end of its step (rule 6).
 */
#include "workloads/generate/job_stage.h"
#include "workloads/generate/memory_model.h"
#include "workloads/generate/model_count.h"

/* -- who shares what ------------------------------------------------------------------------ */

static bool is_sharded_fully(const struct stage_writer *writer)
{
    uint32_t shard = writer->input->plan->shard_group;
    return !writer->input->plan->zero || !shard || shard == stage_members(writer, GROUP_DP_CP);
}

/* The group over which dense weights are sharded, or with zero 0 summed. */
static enum group_kind shard_kind(const struct stage_writer *writer)
{
    return is_sharded_fully(writer) ? GROUP_DP_CP : GROUP_SHARD;
}

static uint64_t divided(uint64_t amount, uint64_t parts)
{
    return amount / parts + (amount % parts != 0);
}

static uint64_t gradient_bytes(const struct stage_writer *writer, uint64_t parameters)
{
    return data_type_bytes(writer->input->plan->gradient_type, parameters);
}

/* -- gathers -------------------------------------------------------------------------------- */

/* All-gather of weights that are sharded over groups of `kind`; in the chain unless it overlaps. */
static uint32_t gather(struct stage_writer *writer, struct job_place place, enum group_kind kind,
                       uint64_t parameters, enum aside_after after)
{
    const struct train_plan *plan = writer->input->plan;
    uint32_t members = stage_members(writer, kind);
    if (!parameters || members == 1)
        return TRACE_NONE;
    uint64_t bytes = data_type_bytes(plan->weight_type, divided(parameters, members));
    struct trace_node node = stage_collective(writer, COLL_ALL_GATHER, kind, bytes, STREAM_GATHER);
    const char *text = kind == GROUP_EXPERT_DP ? "expert-weights" : "weights";
    if (!plan->overlap_weights) {
        stage_chain(writer, text, place, node, NULL, DUE_NOW);
        return TRACE_NONE; /* nobody waits for it any more */
    }
    return stage_aside(writer, text, place, node, after, 0);
}

/* Both kinds of weights; the gather to wait for is the later one. */
static uint32_t gather_both(struct stage_writer *writer, struct job_place place,
                            uint64_t parameters, uint64_t expert_parameters, enum aside_after after)
{
    uint32_t dense = gather(writer, place, shard_kind(writer), parameters, after);
    uint32_t expert = gather(writer, place, GROUP_EXPERT_DP, expert_parameters, after);
    return expert == TRACE_NONE ? dense : expert;
}

static void gather_buckets(struct stage_writer *writer, struct job_place place)
{
    const struct job_stage *stage = writer->stage;
    for (uint32_t i = 0; i < stage->piece_count; i++) {
        const struct job_bucket *bucket = &stage->bucket[stage->piece[i].bucket];
        if (bucket->first != i)
            continue;
        place.layer = stage->piece[i].layer;
        writer->gathered[i] = gather_both(writer, place, bucket->parameters,
                                          bucket->expert_parameters, AFTER_NOTHING);
    }
}

void sync_begin(struct stage_writer *writer)
{
    const struct train_plan *plan = writer->input->plan;
    if ((plan->zero == 1 || plan->zero == 2) && plan->overlap_weights)
        gather_buckets(writer, (struct job_place){PASS_STEP, 0, TRACE_NONE});
}

/* Issues the gathers of pieces up to `prefetch` turns ahead of `turn` (zero 3). */
static void gather_ahead(struct stage_writer *writer, struct sync_walk *walk, uint32_t turn)
{
    const struct job_input *input = writer->input;
    uint32_t prefetch = input->plan->overlap_weights ? input->framework->prefetch : 0;
    for (; walk->ahead < walk->count && walk->ahead <= (uint64_t)turn + prefetch; walk->ahead++) {
        uint32_t index = walk->first + walk->ahead * (uint32_t)walk->step;
        const struct job_piece *piece = &writer->stage->piece[index];
        if (piece->is_root && walk->place.pass == PASS_BACKWARD)
            continue; /* not needed, or still there */
        struct job_place place = walk->place;
        place.layer = piece->layer;
        writer->held_from[index] = job_trace_count(writer->out);
        writer->gathered[index] = gather_both(writer, place, piece->lists->parameters,
                                              piece->lists->expert_parameters, AFTER_TAIL);
    }
}

void sync_piece_begin(struct stage_writer *writer, struct sync_walk *walk, uint32_t turn)
{
    if (writer->input->plan->zero == 3)
        gather_ahead(writer, walk, turn);
    uint32_t *gathered = &writer->gathered[walk->first + turn * (uint32_t)walk->step];
    if (*gathered == TRACE_NONE)
        return;
    stage_owe(writer, *gathered, STREAM_GATHER, DUE_NOW);
    *gathered = TRACE_NONE;
}

void sync_piece_end(struct stage_writer *writer, uint32_t piece, enum job_pass pass)
{
    const struct train_plan *plan = writer->input->plan;
    const struct job_piece *of = &writer->stage->piece[piece];
    uint32_t from = writer->held_from[piece];
    if (plan->zero < 3 || from == TRACE_NONE || (of->stays && pass == PASS_FORWARD))
        return;
    uint32_t last = job_trace_count(writer->out) - 1;
    if (from <= last)
        job_trace_hold(writer->out, from, last,
                       data_type_bytes(plan->weight_type,
                                       of->lists->parameters + of->lists->expert_parameters),
                       LIFE_WEIGHT);
    writer->held_from[piece] = TRACE_NONE;
}

/* -- gradients ------------------------------------------------------------------------------ */

/* Where gathers of weights go on beside the backward pass (zero 3), gradients have a communicator
 * of their own: on one, which of the two comes first would be each rank's own time. */
static enum group_kind group_of_gradients(const struct stage_writer *writer, enum group_kind kind)
{
    if (writer->input->plan->zero < 3)
        return kind;
    switch (kind) {
    case GROUP_DP_CP:
        return GROUP_DP_CP_GRADIENTS;
    case GROUP_EXPERT_DP:
        return GROUP_EXPERT_DP_GRADIENTS;
    case GROUP_SHARD:
        return GROUP_SHARD_GRADIENTS;
    default:
        return kind;
    }
}

/* One collective over gradients: beside the chain if they overlap. */
static uint32_t reduce(struct stage_writer *writer, struct job_place place, const char *text,
                       enum collective_kind collective, enum group_kind kind, uint64_t bytes,
                       enum job_stream stream)
{
    kind = group_of_gradients(writer, kind);
    struct trace_node node = stage_collective(writer, collective, kind, bytes, stream);
    if (writer->input->plan->overlap_gradients)
        return stage_aside(writer, text, place, node, AFTER_TAIL, 0);
    return stage_chain(writer, text, place, node, NULL, DUE_NOW);
}

/* Sum of the shards that a reduce-scatter `after` has left, over replicas of the shard group. */
static void reduce_replicas(struct stage_writer *writer, struct job_place place, uint64_t bytes,
                            uint32_t after)
{
    struct trace_node node =
        stage_collective(writer, COLL_ALL_REDUCE, GROUP_REPLICA, bytes, STREAM_REPLICA);
    if (writer->input->plan->overlap_gradients)
        stage_after(writer, "gradients", place, node, after == TRACE_NONE ? writer->tail : after);
    else
        stage_chain(writer, "gradients", place, node, NULL, DUE_NOW);
}

/* Whole gradients of one bucket at a time: the chain waits for the reduction before this one, as
 * FSDP does, or they would pile up where reductions are slower than the backward pass. */
static void wait_for_reduction(struct stage_writer *writer, uint32_t next)
{
    if (writer->reducing != TRACE_NONE)
        stage_owe(writer, writer->reducing, STREAM_REDUCE, DUE_NOW);
    writer->reducing = writer->input->plan->overlap_gradients ? next : TRACE_NONE;
}

static void reduce_bucket(struct stage_writer *writer, const struct job_bucket *bucket,
                          struct job_place place)
{
    const struct train_plan *plan = writer->input->plan;
    enum collective_kind collective = plan->zero ? COLL_REDUCE_SCATTER : COLL_ALL_REDUCE;
    enum group_kind kind = shard_kind(writer);
    uint64_t bytes = gradient_bytes(writer, bucket->parameters);
    uint64_t expert_bytes = gradient_bytes(writer, bucket->expert_parameters);
    uint32_t members = stage_members(writer, kind);
    uint32_t last = TRACE_NONE;
    if (bytes && members > 1)
        last = reduce(writer, place, "gradients", collective, kind, bytes, STREAM_REDUCE);
    if (bytes && !is_sharded_fully(writer))
        reduce_replicas(writer, place, divided(bytes, members), last);
    if (expert_bytes && stage_members(writer, GROUP_EXPERT_DP) > 1)
        last = reduce(writer, place, "expert-gradients", collective, GROUP_EXPERT_DP, expert_bytes,
                      STREAM_REDUCE);
    if (plan->zero < 2 || last == TRACE_NONE)
        return;
    wait_for_reduction(writer, last);
    /* Whole until they are a share. */
    job_trace_hold(writer->out, writer->returned[bucket->last], last, bytes + expert_bytes,
                   LIFE_GRADIENT);
}

void sync_gradients(struct stage_writer *writer, uint32_t piece, struct job_place place)
{
    const struct train_plan *plan = writer->input->plan;
    const struct job_bucket *bucket = &writer->stage->bucket[writer->stage->piece[piece].bucket];
    bool is_time = plan->zero >= 2 ||
                   (plan->overlap_gradients && place.micro_batch + 1 == writer->micro_batches);
    place.layer = writer->stage->piece[piece].layer;
    if (is_time && bucket->first == piece)
        reduce_bucket(writer, bucket, place);
}

/* -- the end of the step -------------------------------------------------------------------- */

static const struct job_place at_step = {PASS_STEP, 0, TRACE_NONE};

static void all_reduce(struct stage_writer *writer, const char *text, enum group_kind kind,
                       uint64_t bytes)
{
    if (!bytes || stage_members(writer, kind) == 1)
        return;
    stage_chain(writer, text, at_step,
                stage_collective(writer, COLL_ALL_REDUCE, kind, bytes, STREAM_STEP), NULL, DUE_NOW);
}

/* The chain waits for the last collective of a stream. */
static void catch_up(struct stage_writer *writer, enum job_stream stream)
{
    const struct lane *lane = &writer->lane[stream];
    if (lane->last != TRACE_NONE && !lane->is_behind)
        stage_owe(writer, lane->last, stream, DUE_NOW);
}

/* Sums over ranks that hold a copy of the same weights beside their data-parallel peers. */
static void reduce_copies(struct stage_writer *writer)
{
    const struct job_input *input = writer->input;
    const struct train_plan *plan = input->plan;
    uint32_t stage = writer->stage->stage;
    uint64_t embedding = count_vocab(input->model, plan->tp) * input->model->hidden, norms = 0;
    for (uint32_t i = 0; i < writer->stage->piece_count; i++) {
        uint32_t each = writer->stage->piece[i].is_root ? 0 : input->model->norms_per_layer;
        norms += each * input->model->hidden;
    }
    if (plan->sequence_parallel && norms)
        all_reduce(writer, "norm-gradients", GROUP_TP, gradient_bytes(writer, norms));
    if (input->model->tied_embeddings && (stage == 0 || stage == plan->pp - 1))
        all_reduce(writer, "embedding-gradients", GROUP_EMBEDDING,
                   gradient_bytes(writer, embedding));
}

/* Parameters that a rank's optimizer steps. */
static uint64_t stepped(const struct stage_writer *writer)
{
    const struct job_stage *stage = writer->stage;
    uint64_t dense = writer->input->plan->zero ? stage_members(writer, shard_kind(writer)) : 1;
    uint64_t expert = writer->input->plan->zero ? stage_members(writer, GROUP_EXPERT_DP) : 1;
    return divided(stage->parameters, dense) + divided(stage->expert_parameters, expert);
}

static void step_optimizer(struct stage_writer *writer)
{
    struct op_shape shape = optimizer_shape(writer->input->plan, stepped(writer));
    struct trace_node node = {.type = OP_COMPUTE, .stream = STREAM_COMPUTE, .group = TRACE_NONE};
    stage_chain(writer, "optimizer", at_step, node, &shape, DUE_NOW);
}

void sync_step(struct stage_writer *writer)
{
    const struct job_stage *stage = writer->stage;
    const struct train_plan *plan = writer->input->plan;
    if (!plan->overlap_gradients && plan->zero < 2) {
        for (uint32_t b = stage->bucket_count; b-- > 0;)
            reduce_bucket(writer, &stage->bucket[b], at_step);
    }
    catch_up(writer, STREAM_REDUCE);
    catch_up(writer, STREAM_REPLICA);
    reduce_copies(writer);
    all_reduce(writer, "gradient-norm", GROUP_TP, sizeof(float));
    all_reduce(writer, "gradient-norm", GROUP_PP, sizeof(float));
    if (plan->zero)
        all_reduce(writer, "gradient-norm", GROUP_DP_CP, sizeof(float));
    step_optimizer(writer);
    if ((plan->zero == 1 || plan->zero == 2) && !plan->overlap_weights)
        gather_buckets(writer, at_step);
}

uint64_t sync_fixed_bytes(const struct stage_writer *writer)
{
    const struct job_input *input = writer->input;
    const struct memory_input of = {input->model, input->plan, input->framework, input->book};
    struct stage_memory memory;
    memory_of_stage(&memory, &of, writer->stage->stage);
    return memory.bytes[MEMORY_WEIGHTS] + memory.bytes[MEMORY_GRADIENTS] +
           memory.bytes[MEMORY_OPTIMIZER];
}
