/* The core of attention: scores, softmax, values; fused or not; with its context parallelism. */
#include "workloads/generate/layer_build.h"

/* Keys and values of a rank's tokens: what a ring passes on, what an all-gather starts from. */
static uint64_t kv_bytes(const struct layer_builder *builder)
{
    return 2 * builder->tokens * builder->kv_width * builder->act_bytes;
}

/* Windows that are shorter than a rank's tokens need no ring: keys and values are gathered. */
static enum context_kind context_of(const struct layer_builder *builder)
{
    bool is_ring = builder->plan->context == CONTEXT_RING;
    return is_ring && builder->is_local ? CONTEXT_ALL_GATHER : builder->plan->context;
}

/* -- fused ------------------------------------------------------------------------------------ */

/* Attention over a rank's heads and all `seq` tokens, as if there were no context parallelism. */
static struct op_shape whole(const struct layer_builder *builder, bool is_backward)
{
    const struct model_spec *model = builder->model;
    const struct mla_spec *mla = &model->mla;
    struct op_shape shape = {
        .class = is_backward ? OP_CLASS_ATTENTION_BACKWARD : OP_CLASS_ATTENTION,
        .type = (uint8_t)builder->plan->activation_type,
        .out_type = (uint8_t)builder->plan->activation_type,
        .is_causal = !model->masked_lm,
        .heads = model->heads / builder->plan->tp,
        .kv_heads = count_kv_heads(model, builder->plan->tp),
        .head_dim = model->head_dim,
        .batch = builder->plan->micro_batch,
        .q_len = builder->plan->seq,
        .kv_len = builder->plan->seq,
        .window = builder->is_local && model->window < builder->plan->seq ? model->window : 0,
    };
    if (mla->kv_rank) { /* scores over nope + rope, values over v: the mean does the same work */
        shape.kv_heads = shape.heads;
        shape.head_dim = (mla->nope_dim + mla->rope_dim + mla->v_dim + 1) / 2;
    }
    return shape;
}

/*
 * A ring of cp ranks: rank r has pieces r and 2 cp - 1 - r of c = seq / (2 cp) tokens, so that all
 * have the same work: its own 2 c tokens, causal: c (2 c + 1) pairs; then in cp - 1 steps either
 * all its queries against one piece, or half of them against both: 2 c^2 pairs each. Together 2 cp
 * c^2 + c = (1 + .. + seq) / cp.
 */
static void ring(struct layer_builder *builder, const char *name, bool is_backward)
{
    const struct train_plan *plan = builder->plan;
    struct op_shape shape = whole(builder, is_backward);
    uint64_t bytes = kv_bytes(builder);
    struct layer_item *send =
        item_push(builder, ITEM_SEND_RECV, is_backward ? "cp.ring.backward" : "cp.ring");
    send->group = GROUP_CP;
    send->bytes = is_backward ? 2 * bytes : bytes; /* their gradients travel along */
    send->repeat = plan->cp - 1;
    send->overlaps = true;
    send->waits = builder->list->count + 1;
    shape.q_len = shape.kv_len = plan->seq / plan->cp;
    compute_push(builder, name, shape);
    shape.is_causal = false;
    if (!builder->model->masked_lm)
        shape.kv_len /= 2;
    compute_push(builder, is_backward ? "attention.ring.backward" : "attention.ring", shape);
    builder->list->item[builder->list->count - 1].repeat = plan->cp - 1;
}

/*
 * Gathered keys: a rank's two pieces of c queries see as many keys together as 2 c last queries of
 * c (cp + 1) positions would: 2 c (c (cp + 1) - 2 c) + c (2 c + 1) = 2 cp c^2 + c.
 */
static struct op_shape gathered(const struct layer_builder *builder, bool is_backward)
{
    const struct train_plan *plan = builder->plan;
    struct op_shape shape = whole(builder, is_backward);
    shape.q_len = plan->seq / plan->cp;
    if (shape.is_causal && !shape.window)
        shape.kv_len = plan->seq / (2 * plan->cp) * (plan->cp + 1);
    else if (shape.window && shape.q_len + shape.window < plan->seq)
        shape.kv_len = shape.q_len + shape.window;
    return shape;
}

static uint64_t exchanged_bytes(const struct layer_builder *builder, bool is_result)
{
    uint64_t width = builder->q_width + (is_result ? 0 : 2 * builder->kv_width);
    return builder->tokens * width * builder->act_bytes;
}

static void fused(struct layer_builder *builder, const char *name, bool is_backward)
{
    const struct train_plan *plan = builder->plan;
    enum context_kind context = context_of(builder);
    if (plan->cp == 1) {
        compute_push(builder, name, whole(builder, is_backward));
    } else if (context == CONTEXT_RING) {
        ring(builder, name, is_backward);
    } else if (context == CONTEXT_ALL_GATHER) {
        collective_push(builder, "cp.all-gather", COLL_ALL_GATHER, GROUP_CP, kv_bytes(builder));
        compute_push(builder, name, gathered(builder, is_backward));
        if (is_backward) /* gradients of the gathered keys and values */
            collective_push(builder, "cp.reduce-scatter", COLL_REDUCE_SCATTER, GROUP_CP,
                            kv_bytes(builder) * plan->cp);
    } else {
        struct op_shape shape = whole(builder, is_backward);
        shape.heads /= plan->cp;
        shape.kv_heads = shape.kv_heads > plan->cp ? shape.kv_heads / plan->cp : 1;
        collective_push(builder, "cp.all-to-all", COLL_ALL_TO_ALL, GROUP_CP,
                        exchanged_bytes(builder, is_backward));
        compute_push(builder, name, shape);
        collective_push(builder, "cp.all-to-all-back", COLL_ALL_TO_ALL, GROUP_CP,
                        exchanged_bytes(builder, !is_backward));
    }
}

/* -- written scores --------------------------------------------------------------------------- */

/* Batched products of heads: `forward` of scores (seq x seq . d) or of values (seq x d . seq). */
static void head_product(struct layer_builder *builder, const char *name, uint64_t n, uint64_t k)
{
    const struct train_plan *plan = builder->plan;
    uint64_t heads = builder->q_width / builder->model->head_dim;
    struct op_shape shape = {.class = OP_CLASS_GEMM,
                             .type = (uint8_t)plan->activation_type,
                             .out_type = (uint8_t)plan->activation_type,
                             .batch = plan->micro_batch * heads,
                             .m = plan->seq / plan->cp,
                             .n = n,
                             .k = k};
    compute_push(builder, name, shape);
}

static uint64_t score_numbers(const struct layer_builder *builder)
{
    uint64_t heads = builder->q_width / builder->model->head_dim;
    return builder->tokens * heads * builder->plan->seq;
}

static void softmax(struct layer_builder *builder, const char *name, uint32_t inputs)
{
    uint64_t numbers = score_numbers(builder), seq = builder->plan->seq;
    uint64_t bytes = numbers * builder->act_bytes;
    /* Unfused: scaling and masking apart. */
    uint32_t kernels = builder->framework->fused_activation ? 1 : 3;
    struct pass pass = {name, OP_CLASS_SOFTMAX, numbers / seq, seq, inputs * bytes, bytes, kernels};
    pass_push(builder, &pass);
}

static void score_dropout(struct layer_builder *builder, const char *name)
{
    uint64_t numbers = score_numbers(builder), bytes = numbers * builder->act_bytes;
    if (!(builder->model->dropout > 0))
        return;
    struct pass pass = {name, OP_CLASS_ELEMENTWISE, numbers, 0, bytes, bytes + numbers, 1};
    pass_push(builder, &pass);
}

static void written_forward(struct layer_builder *builder)
{
    uint64_t seq = builder->plan->seq, dim = builder->model->head_dim;
    head_product(builder, "attention.scores", seq, dim);
    softmax(builder, "softmax", 1);
    score_dropout(builder, "attention.dropout");
    head_product(builder, "attention.values", dim, seq);
}

static void written_backward(struct layer_builder *builder)
{
    uint64_t seq = builder->plan->seq, dim = builder->model->head_dim;
    head_product(builder, "attention.values.dgrad", seq, dim);
    head_product(builder, "attention.values.wgrad", dim, seq);
    score_dropout(builder, "attention.dropout.backward");
    softmax(builder, "softmax.backward", 2);
    head_product(builder, "attention.scores.dgrad", dim, seq);
    head_product(builder, "attention.scores.wgrad", dim, seq);
}

/* -- both ------------------------------------------------------------------------------------- */

/* Latent attention is never written out: keys differ in size from values. */
static bool is_fused(const struct layer_builder *builder)
{
    return builder->framework->fused_attention || builder->model->mla.kv_rank ||
           builder->plan->cp > 1;
}

/*
 * Kept: queries, keys and values; of fused attention its result (which the output product keeps)
 * and a number per row; of written scores the softmax, and with dropout its mask (1 byte) and its
 * result: 5 bytes per score (Korthikanti 2022, section 4.1). Selective recompute keeps neither.
 */
static void keep_core(struct layer_builder *builder)
{
    const struct model_spec *model = builder->model;
    uint64_t qkv = builder->q_width + 2 * builder->kv_width, result = builder->q_width;
    if (model->mla.kv_rank) {
        uint64_t heads = model->heads / builder->plan->tp;
        result = heads * model->mla.v_dim;
        qkv = 2 * heads * (model->mla.nope_dim + model->mla.rope_dim) + result;
    }
    struct linear out = {.is_low = true};
    uint64_t kept = kept_bytes(builder, &out);
    keep(builder, builder->tokens * qkv * builder->act_bytes);
    keep(builder, builder->tokens * result * kept); /* input of the output product */
    if (builder->plan->recompute == RECOMPUTE_SELECTIVE)
        return;
    if (is_fused(builder)) {
        if (kept != builder->act_bytes)
            keep(builder, builder->tokens * result * builder->act_bytes);
        keep(builder, 4 * builder->tokens * model->heads / builder->plan->tp);
        return;
    }
    uint64_t each = builder->act_bytes;
    if (model->dropout > 0)
        each += 1 + builder->act_bytes;
    keep(builder, score_numbers(builder) * each);
}

static void core_items(struct layer_builder *builder)
{
    if (is_fused(builder))
        fused(builder, "attention", false);
    else
        written_forward(builder);
}

void core_forward(struct layer_builder *builder)
{
    keep_core(builder);
    core_items(builder);
}

void core_backward(struct layer_builder *builder)
{
    if (builder->plan->recompute == RECOMPUTE_SELECTIVE) {
        builder->is_recompute = true;
        core_items(builder);
        builder->is_recompute = false;
    }
    if (is_fused(builder))
        fused(builder, "attention.backward", true);
    else
        written_backward(builder);
}
