/* Attention of a layer: norm, projections (grouped heads or latent), rotary positions, output,
 * residual. */
#include "workloads/generate/layer_build.h"

static const struct linear_names qkv_names = LINEAR_NAMES("qkv");
static const struct linear_names out_names = LINEAR_NAMES("attention.out");
static const struct linear_names q_down_names = LINEAR_NAMES("q.down");
static const struct linear_names q_up_names = LINEAR_NAMES("q.up");
static const struct linear_names kv_down_names = LINEAR_NAMES("kv.down");
static const struct linear_names kv_up_names = LINEAR_NAMES("kv.up");

/* -- between projections and core ------------------------------------------------------------- */

static uint64_t qk_numbers(const struct layer_builder *builder)
{
    const struct model_spec *model = builder->model;
    if (model->mla.kv_rank) /* one rotary key for all heads */
        return builder->tokens * ((uint64_t)model->heads / builder->plan->tp + 1) *
               model->mla.rope_dim;
    return builder->tokens * (builder->q_width + builder->kv_width);
}

static void rotate(struct layer_builder *builder, const char *name)
{
    if (builder->model->position != POSITION_ROTARY)
        return;
    uint64_t count = qk_numbers(builder), bytes = count * builder->act_bytes;
    uint32_t kernels = builder->framework->fused_rotary ? 1 : 4; /* two products, a turn, a sum */
    struct pass pass = {name, OP_CLASS_ELEMENTWISE, count, 0, bytes, bytes, kernels};
    pass_push(builder, &pass);
}

static void qk_norms(struct layer_builder *builder, bool is_backward)
{
    const struct model_spec *model = builder->model;
    if (!model->qk_norm || model->mla.kv_rank)
        return;
    uint64_t rows = qk_numbers(builder) / model->head_dim;
    if (is_backward)
        norm_backward(builder, rows, model->head_dim);
    else
        norm_forward(builder, rows, model->head_dim);
}

/* -- projections ------------------------------------------------------------------------------ */

static struct linear qkv(const struct layer_builder *builder)
{
    return (struct linear){qkv_names,
                           builder->tokens,
                           builder->model->hidden,
                           builder->q_width + 2 * builder->kv_width,
                           0,
                           true};
}

static struct linear out(const struct layer_builder *builder)
{
    const struct model_spec *model = builder->model;
    uint64_t width = builder->q_width;
    if (model->mla.kv_rank)
        width = (uint64_t)model->heads / builder->plan->tp * model->mla.v_dim;
    return (struct linear){out_names, builder->tokens, width, model->hidden, 0, true};
}

/* The four products of latent attention; those down are done by each tensor-parallel rank for its
 * tokens. */
struct latent {
    struct linear q_down, q_up, kv_down, kv_up;
};

static struct latent latent_of(const struct layer_builder *builder)
{
    const struct model_spec *model = builder->model;
    const struct mla_spec *mla = &model->mla;
    uint64_t heads = model->heads / builder->plan->tp, qk = mla->nope_dim + mla->rope_dim;
    uint64_t q_in = mla->q_rank ? mla->q_rank : model->hidden;
    return (struct latent){
        .q_down = {q_down_names, builder->outer_tokens, model->hidden, mla->q_rank, 0, true},
        .q_up = {q_up_names, builder->tokens, q_in, heads * qk, 0, true},
        .kv_down = {kv_down_names, builder->outer_tokens, model->hidden,
                    mla->kv_rank + mla->rope_dim, 0, true},
        .kv_up = {kv_up_names, builder->tokens, mla->kv_rank, heads * (mla->nope_dim + mla->v_dim),
                  0, true},
    };
}

static void latent_forward(struct layer_builder *builder)
{
    struct latent latent = latent_of(builder);
    const struct mla_spec *mla = &builder->model->mla;
    uint64_t rows = builder->outer_tokens;
    keep(builder, rows * latent.kv_down.in * kept_bytes(builder, &latent.kv_down));
    if (mla->q_rank) {
        linear_forward(builder, &latent.q_down);
        norm_forward(builder, rows, mla->q_rank);
        keep(builder, rows * mla->q_rank * kept_bytes(builder, &latent.q_up));
    }
    column_forward(builder, &latent.q_up);
    linear_forward(builder, &latent.kv_down);
    norm_forward(builder, rows, mla->kv_rank);
    keep(builder, rows * mla->kv_rank * kept_bytes(builder, &latent.kv_up));
    column_forward(builder, &latent.kv_up);
}

static void latent_backward(struct layer_builder *builder)
{
    struct latent latent = latent_of(builder);
    const struct mla_spec *mla = &builder->model->mla;
    column_backward(builder, &latent.kv_up);
    norm_backward(builder, builder->outer_tokens, mla->kv_rank);
    linear_dgrad(builder, &latent.kv_down);
    linear_wgrad(builder, &latent.kv_down);
    column_backward(builder, &latent.q_up);
    if (!mla->q_rank)
        return;
    norm_backward(builder, builder->outer_tokens, mla->q_rank);
    linear_dgrad(builder, &latent.q_down);
    linear_wgrad(builder, &latent.q_down);
}

/* -- the block -------------------------------------------------------------------------------- */

/* A parallel block shares one norm and one pair of borders between attention and mlp: they are
 * written with the mlp (layer_mlp.c), and attention is left with its products. */
void attention_forward(struct layer_builder *builder)
{
    const struct model_spec *model = builder->model;
    struct linear in = qkv(builder), result = out(builder);
    bool is_parallel = model->parallel_block;
    norm_forward(builder, builder->outer_tokens, model->hidden);
    if (model->mla.kv_rank) {
        latent_forward(builder);
    } else {
        keep(builder, builder->outer_tokens * in.in * kept_bytes(builder, &in));
        column_forward(builder, &in);
    }
    qk_norms(builder, false);
    rotate(builder, "rotary");
    core_forward(builder);
    if (is_parallel) {
        linear_forward(builder, &result);
        return;
    }
    row_forward(builder, &result);
    if (model->norms_per_layer > 2)
        norm_forward(builder, builder->outer_tokens, model->hidden);
    residual_forward(builder);
}

static void sum_branches(struct layer_builder *builder)
{
    uint64_t count = builder->outer_tokens * builder->model->hidden;
    uint64_t bytes = count * builder->act_bytes;
    struct pass pass = {"residual.backward", OP_CLASS_ELEMENTWISE, count, 0, 2 * bytes, bytes, 1};
    pass_push(builder, &pass);
}

void attention_backward(struct layer_builder *builder)
{
    const struct model_spec *model = builder->model;
    struct linear in = qkv(builder), result = out(builder);
    if (model->parallel_block) {
        linear_dgrad(builder, &result);
        linear_wgrad(builder, &result);
    } else {
        residual_backward(builder);
        if (model->norms_per_layer > 2)
            norm_backward(builder, builder->outer_tokens, model->hidden);
        row_backward(builder, &result);
    }
    core_backward(builder);
    rotate(builder, "rotary.backward");
    qk_norms(builder, true);
    if (model->mla.kv_rank)
        latent_backward(builder);
    else
        column_backward(builder, &in);
    norm_backward(builder, builder->outer_tokens, model->hidden);
    sum_branches(builder);
}
