#include "estimate/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "estimate/shard_cost.h"

enum { SHARES = 1 << 10 };

/* What decides the costs and sizes of pieces. Of pipeline and data parallelism it is only whether a
 * tied head has a copy of its own (pp > 1), and whether gradients add to those before. */
struct share_key {
    uint64_t seq, micro_batch;
    uint32_t tp, cp, ep, expert_tp;
    uint32_t stride[4]; /* of their groups, which the order of ranks decides */
    uint8_t sequence_parallel, recompute, context, compute_type, activation_type, overlap_tp;
    uint8_t is_used, zero, gradient_type, weight_type, is_pipeline, accumulates;
};

struct share {
    struct share_key key;
    struct piece_cost cost[PIECE_KIND_COUNT];
    struct layer_book book; /* without its lists */
};

struct estimator {
    struct estimate_setting setting;
    struct arena arena;
    struct prices prices;
    struct group_times times;
    uint32_t *layers_before[PIECE_KIND_COUNT]; /* [l]: of that kind among the first l layers */
    struct share *share;                       /* direct-mapped cache */
};

/* -- words ------------------------------------------------------------------------------------ */

const char *estimate_term_name(enum estimate_term term)
{
    static const char *const names[] = {
#define X(name, text, about) text,
        ESTIMATE_TERM_LIST(X)
#undef X
    };
    return names[term];
}

/* -- life ------------------------------------------------------------------------------------- */

static void count_layers(struct estimator *estimator)
{
    const struct model_spec *model = estimator->setting.model;
    for (int kind = 0; kind < PIECE_KIND_COUNT; kind++) {
        uint32_t *before = arena_array(&estimator->arena, model->layers + 1u, sizeof *before);
        for (uint32_t l = 0; l < model->layers; l++)
            before[l + 1] = before[l] + (layer_kind(model, l) == (enum piece_kind)kind);
        estimator->layers_before[kind] = before;
    }
}

struct estimator *estimator_create(const struct estimate_setting *setting)
{
    struct estimator *estimator = calloc(1, sizeof *estimator);
    need_memory(estimator);
    estimator->setting = *setting;
    arena_init(&estimator->arena);
    prices_init(&estimator->prices, setting->device, setting->framework);
    group_times_init(&estimator->times, setting->system, setting->framework->network_ratio,
                     &estimator->arena);
    if (setting->domain > 0)
        estimator->times.domain = setting->domain;
    estimator->share = arena_array(&estimator->arena, SHARES, sizeof *estimator->share);
    count_layers(estimator);
    return estimator;
}

void estimator_destroy(struct estimator *estimator)
{
    if (!estimator)
        return;
    prices_release(&estimator->prices);
    arena_release(&estimator->arena);
    free(estimator);
}

/* -- shares ----------------------------------------------------------------------------------- */

static void key_of(struct share_key *key, const struct train_plan *plan)
{
    memset(key, 0, sizeof *key);
    key->seq = plan->seq;
    key->micro_batch = plan->micro_batch;
    key->tp = plan->tp;
    key->cp = plan->cp;
    key->ep = plan->ep;
    key->expert_tp = plan->expert_tp;
    key->sequence_parallel = plan->sequence_parallel;
    key->recompute = (uint8_t)plan->recompute;
    key->context = (uint8_t)plan->context;
    key->compute_type = (uint8_t)plan->compute_type;
    key->activation_type = (uint8_t)plan->activation_type;
    key->overlap_tp = plan->overlap_tp;
    key->zero = (uint8_t)plan->zero;
    key->gradient_type = (uint8_t)plan->gradient_type;
    key->weight_type = (uint8_t)plan->weight_type;
    key->is_pipeline = plan->pp > 1;
    key->accumulates = plan->micro_batches > 1;
    static const enum group_kind kinds[] = {GROUP_TP, GROUP_CP, GROUP_EP, GROUP_EXPERT_TP};
    for (size_t k = 0; plan->order && k < sizeof kinds / sizeof *kinds; k++)
        key->stride[k] = piece_group(plan, kinds[k]).stride;
    key->is_used = 1;
}

static double dedup_ratio(const struct estimator *estimator, const struct train_plan *plan)
{
    if (!estimator->setting.framework->expert_once)
        return 1;
    return expert_crossing_ratio(&estimator->setting.model->moe,
                                 group_domains(&estimator->times, piece_group(plan, GROUP_EP)));
}

static struct piece_context context_of(struct estimator *estimator, const struct train_plan *plan)
{
    return (struct piece_context){.prices = &estimator->prices,
                                  .times = &estimator->times,
                                  .framework = estimator->setting.framework,
                                  .plan = plan,
                                  .dedup_ratio = dedup_ratio(estimator, plan),
                                  .is_frozen = estimator->setting.is_frozen};
}

static const struct share *share_of(struct estimator *estimator,
                                    const struct piece_context *context)
{
    struct share_key key;
    key_of(&key, context->plan);
    struct share *share = &estimator->share[hash_bytes(&key, sizeof key, 0) & (SHARES - 1)];
    if (memcmp(&share->key, &key, sizeof key) == 0)
        return share;
    struct arena arena;
    arena_init(&arena);
    memset(&share->book, 0, sizeof share->book);
    layer_book_make(&share->book, estimator->setting.model, context->plan,
                    estimator->setting.framework, &arena);
    share->key = key;
    for (int kind = 0; kind < PIECE_KIND_COUNT; kind++) {
        struct layer_piece *piece = &share->book.piece[kind];
        piece_cost_find(context, piece, &share->cost[kind]);
        piece->forward = piece->backward = (struct item_list){0};
    }
    arena_release(&arena);
    return share;
}

/* -- stages ----------------------------------------------------------------------------------- */

/* All chunks of one stage, for one micro-batch. */
struct stage {
    struct shard_stage shard;
    double weight_gradient_ns;
    double term_ns[ESTIMATE_TERM_COUNT];
};

static double stage_ns(const struct stage *stage)
{
    return stage->shard.forward_ns + stage->shard.backward_ns;
}

/* `kept` of the `count` pieces are not recomputed. */
static void add_pieces(struct stage *stage, const struct share *share, enum piece_kind kind,
                       uint32_t count, uint32_t kept)
{
    if (count == 0)
        return;
    const struct piece_cost *cost = &share->cost[kind];
    const struct layer_piece *piece = &share->book.piece[kind];
    double saved = cost->recompute_ns * kept;
    stage->shard.parameters += piece->parameters * count;
    stage->shard.expert_parameters += piece->expert_parameters * count;
    stage->shard.forward_ns += cost->forward.ns * count;
    stage->shard.backward_ns += cost->backward.ns * count - saved;
    stage->weight_gradient_ns += cost->weight_gradient_ns * count;
    for (int t = 0; t < ESTIMATE_TERM_COUNT; t++)
        stage->term_ns[t] += (cost->forward.term_ns[t] + cost->backward.term_ns[t]) * count;
    stage->term_ns[TERM_RECOMPUTE] -= saved;
}

/* Layers of one stage by kind; those behind the first recompute_layers of a chunk keep what they
 * made. */
struct layer_count {
    uint32_t all[PIECE_KIND_COUNT], kept[PIECE_KIND_COUNT], layers;
};

static void add_range(const struct estimator *estimator, uint32_t first, uint32_t count,
                      uint32_t *to)
{
    static const enum piece_kind kinds[] = {PIECE_DENSE_LAYER, PIECE_MOE_LAYER, PIECE_LOCAL_LAYER,
                                            PIECE_LOCAL_MOE_LAYER};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const uint32_t *before = estimator->layers_before[kinds[k]];
        to[kinds[k]] += before[first + count] - before[first];
    }
}

static void count_stage(const struct estimator *estimator, const struct train_plan *plan,
                        uint32_t index, struct layer_count *count)
{
    memset(count, 0, sizeof *count);
    uint32_t again = plan->recompute_layers;
    for (uint32_t c = 0; c < plan->interleave; c++) {
        uint32_t first;
        uint32_t layers =
            stage_layers(estimator->setting.model, plan, c * plan->pp + index, &first);
        count->layers += layers;
        add_range(estimator, first, layers, count->all);
        if (again > 0 && again < layers)
            add_range(estimator, first + again, layers - again, count->kept);
    }
}

static void fill_stage(const struct estimator *estimator, const struct train_plan *plan,
                       const struct share *share, uint32_t index, struct stage *stage)
{
    memset(stage, 0, sizeof *stage);
    struct layer_count count;
    count_stage(estimator, plan, index, &count);
    for (int kind = 0; kind < PIECE_KIND_COUNT; kind++)
        add_pieces(stage, share, (enum piece_kind)kind, count.all[kind], count.kept[kind]);
    stage->shard.layers = count.layers > 0 ? count.layers : 1;
    if (index == 0)
        add_pieces(stage, share, PIECE_EMBEDDING, 1, 0);
    if (index == plan->pp - 1) {
        add_pieces(stage, share, PIECE_HEAD, 1, 0);
        add_pieces(stage, share, PIECE_MTP, estimator->setting.model->mtp_layers, 0);
    }
}

/* -- the pipeline ----------------------------------------------------------------------------- */

struct pipeline {
    struct stage slowest, fattest; /* most time; most parameters */
    struct stage sum;
};

static void add_stage(struct stage *sum, const struct stage *stage, double times)
{
    sum->shard.forward_ns += stage->shard.forward_ns * times;
    sum->shard.backward_ns += stage->shard.backward_ns * times;
    sum->weight_gradient_ns += stage->weight_gradient_ns * times;
    for (int t = 0; t < ESTIMATE_TERM_COUNT; t++)
        sum->term_ns[t] += stage->term_ns[t] * times;
}

/* Layers laid out so that stages are alike: each takes the mean, but the last no less than the
 * head. */
static void balance(const struct estimator *estimator, const struct train_plan *plan,
                    const struct share *share, struct pipeline *pipeline)
{
    struct stage mean, head;
    memset(&mean, 0, sizeof mean);
    memset(&head, 0, sizeof head);
    add_stage(&mean, &pipeline->sum, 1.0 / plan->pp);
    add_pieces(&head, share, PIECE_HEAD, 1, 0);
    add_pieces(&head, share, PIECE_MTP, estimator->setting.model->mtp_layers, 0);
    pipeline->slowest = stage_ns(&head) > stage_ns(&mean) ? head : mean;
}

static void find_pipeline(const struct estimator *estimator, const struct train_plan *plan,
                          const struct share *share, struct pipeline *pipeline)
{
    memset(pipeline, 0, sizeof *pipeline);
    for (uint32_t s = 0; s < plan->pp; s++) {
        struct stage stage;
        fill_stage(estimator, plan, share, s, &stage);
        add_stage(&pipeline->sum, &stage, 1);
        if (s == 0 || stage_ns(&stage) > stage_ns(&pipeline->slowest))
            pipeline->slowest = stage;
        uint64_t parameters = stage.shard.parameters + stage.shard.expert_parameters;
        if (s == 0 || parameters > pipeline->fattest.shard.parameters +
                                       pipeline->fattest.shard.expert_parameters)
            pipeline->fattest = stage;
    }
    if (estimator->setting.framework->balanced_stages)
        balance(estimator, plan, share, pipeline);
}

static double bubble_ns(const struct train_plan *plan, const struct pipeline *pipeline)
{
    double slowest = stage_ns(&pipeline->slowest);
    double others = fmax(0, stage_ns(&pipeline->sum) - slowest);
    if (plan->schedule == PIPE_ZERO_BUBBLE)
        others *= fmax(0, 1 - 2 * pipeline->slowest.weight_gradient_ns / slowest);
    return plan->schedule == PIPE_GPIPE ? others : others / plan->interleave;
}

static void add_messages(struct estimator *estimator, const struct train_plan *plan,
                         const struct share *share, double *term_ns)
{
    if (plan->pp < 2)
        return;
    struct rank_group group = piece_group(plan, GROUP_PP);
    group.ranks = 2;
    double one = group_time_ns(&estimator->times, TUNER_SEND_RECEIVE,
                               share->book.piece[PIECE_EMBEDDING].boundary_bytes, group);
    double share_out = plan->overlap_pp ? 1 - estimator->setting.framework->hidden_pp : 1;
    uint32_t chunks = plan->interleave;
    /* Forward: received before each chunk; backward the same; sent as often. */
    term_ns[TERM_PP] += (double)plan->micro_batches * 2 * chunks * one * share_out;
    term_ns[TERM_BUBBLE] += 2 * (plan->pp - 1) * one;
}

/* -- the whole -------------------------------------------------------------------------------- */

static void rate(const struct estimator *estimator, const struct train_plan *plan,
                 struct estimate *estimate)
{
    double step_s = estimate->step_ns * 1e-9, devices = plan->ranks;
    double sequences = (double)plan->global_batch;
    estimate->tokens_per_s = sequences * (double)plan->seq / step_s / devices;
    estimate->flops_per_s =
        sequences * model_spec_train_flops(estimator->setting.model, plan->seq) / step_s / devices;
    double peak = estimator->setting.device->peak_flops[plan->compute_type];
    estimate->mfu_ratio = peak > 0 ? estimate->flops_per_s / peak : 0;
}

void estimate_plan(struct estimator *estimator, const struct train_plan *plan,
                   struct estimate *estimate)
{
    memset(estimate, 0, sizeof *estimate);
    struct piece_context context = context_of(estimator, plan);
    const struct share *share = share_of(estimator, &context);
    struct pipeline pipeline;
    find_pipeline(estimator, plan, share, &pipeline);
    double *term_ns = estimate->term_ns;
    for (int t = 0; t < ESTIMATE_TERM_COUNT; t++)
        term_ns[t] = pipeline.slowest.term_ns[t] * (double)plan->micro_batches;
    term_ns[TERM_BUBBLE] += bubble_ns(plan, &pipeline);
    add_messages(estimator, plan, share, term_ns);
    struct shard_cost cost;
    shard_cost_find(&context, &pipeline.fattest.shard, &cost);
    term_ns[TERM_DP] += cost.exposed_ns;
    term_ns[TERM_OPTIMIZER] += cost.optimizer_ns;
    term_ns[TERM_STEP] += estimator->setting.framework->step_ns;
    for (int t = 0; t < ESTIMATE_TERM_COUNT; t++)
        estimate->step_ns += term_ns[t];
    rate(estimator, plan, estimate);
}

void estimate_memory(struct estimator *estimator, const struct train_plan *plan,
                     struct stage_memory *memory)
{
    struct piece_context context = context_of(estimator, plan);
    struct memory_input input = {.model = estimator->setting.model,
                                 .plan = plan,
                                 .framework = estimator->setting.framework,
                                 .book = &share_of(estimator, &context)->book};
    memory_worst_stage(memory, &input);
}
