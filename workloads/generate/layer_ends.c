/* The two ends of a model: embedding, and head with the loss; what leads into a multi-token
 * prediction module. */
#include "workloads/generate/layer_build.h"

static const struct linear_names head_names = LINEAR_NAMES("head");
static const struct linear_names transform_names = LINEAR_NAMES("head.transform");
static const struct linear_names mtp_names = LINEAR_NAMES("mtp.project");

/* -- embedding -------------------------------------------------------------------------------- */

/* Vocabulary-parallel: each rank looks up what it has, and the sum is reduced to whole rows. */
void embedding_forward(struct layer_builder *builder)
{
    const struct model_spec *model = builder->model;
    uint64_t width = model->hidden, bytes = builder->tokens * width * builder->act_bytes;
    bool is_split = builder->plan->sequence_parallel;
    struct pass look = {"embedding", OP_CLASS_EMBEDDING, builder->tokens, width, bytes, bytes, 1};
    pass_push(builder, &look);
    collective_push(builder, is_split ? "tp.reduce-scatter" : "tp.all-reduce",
                    is_split ? COLL_REDUCE_SCATTER : COLL_ALL_REDUCE, GROUP_TP, bytes);
    keep(builder, 4 * builder->tokens); /* token numbers */
    uint64_t count = builder->outer_tokens * width, outer = count * builder->act_bytes;
    struct pass positions = {"positions", OP_CLASS_ELEMENTWISE, count, 0, 2 * outer, outer, 1};
    if (model->position == POSITION_LEARNED)
        pass_push(builder, &positions);
    if (model->embedding_norm)
        norm_forward(builder, builder->outer_tokens, width);
    struct pass drop = {"dropout", OP_CLASS_ELEMENTWISE, count, 0, outer, outer + count, 1};
    if (model->dropout > 0) {
        keep(builder, count);
        pass_push(builder, &drop);
    }
}

void embedding_backward(struct layer_builder *builder)
{
    const struct model_spec *model = builder->model;
    uint64_t width = model->hidden, count = builder->outer_tokens * width;
    uint64_t outer = count * builder->act_bytes;
    struct pass drop = {
        "dropout.backward", OP_CLASS_ELEMENTWISE, count, 0, outer + count, outer, 1};
    if (model->dropout > 0)
        pass_push(builder, &drop);
    if (model->embedding_norm)
        norm_backward(builder, builder->outer_tokens, width);
    if (builder->plan->sequence_parallel)
        collective_push(builder, "tp.all-gather", COLL_ALL_GATHER, GROUP_TP, outer);
    uint64_t bytes = builder->tokens * width * builder->act_bytes;
    uint64_t sums = data_type_bytes(builder->plan->gradient_type, builder->tokens * width);
    struct pass scatter = {
        "embedding.backward", OP_CLASS_EMBEDDING, builder->tokens, width, bytes + sums, sums, 1};
    pass_push(builder, &scatter)->is_weight_gradient = true;
}

/* -- head and loss ---------------------------------------------------------------------------- */

static struct linear head(const struct layer_builder *builder)
{
    return (struct linear){head_names,
                           builder->tokens,
                           builder->model->hidden,
                           count_vocab(builder->model, builder->plan->tp),
                           0,
                           false};
}

static struct linear transform(const struct layer_builder *builder)
{
    uint64_t width = builder->model->hidden;
    return (struct linear){transform_names, builder->outer_tokens, width, width, 0, false};
}

/* Greatest logit, sum and the target's: a number per token each. */
static void loss_sums(struct layer_builder *builder)
{
    static const char *const names[] = {"loss.greatest", "loss.target", "loss.sum"};
    for (int i = 0; i < 3; i++)
        collective_push(builder, names[i], COLL_ALL_REDUCE, GROUP_TP, 4 * builder->tokens);
}

/* Unfused, the logits are cast to fp32 and gone through once more each for the exponentials and the
 * target. */
static void loss(struct layer_builder *builder, const char *name, uint64_t columns,
                 bool is_backward)
{
    uint64_t count = builder->tokens * columns, bytes = count * builder->act_bytes;
    bool is_fused = builder->framework->fused_loss;
    uint64_t read = is_fused ? bytes : 4 * count, written = is_fused ? bytes : 4 * count;
    if (!is_backward && is_fused)
        written = 4 * builder->tokens;
    struct pass pass = {name,
                        OP_CLASS_LOSS,
                        builder->tokens,
                        columns,
                        read,
                        written,
                        is_fused || is_backward ? 1 : 3};
    pass_push(builder, &pass);
}

void head_forward(struct layer_builder *builder)
{
    const struct model_spec *model = builder->model;
    struct linear logits = head(builder), dense = transform(builder);
    if (model->masked_lm) {
        keep(builder, dense.rows * dense.in * builder->act_bytes);
        linear_forward(builder, &dense);
    }
    norm_forward(builder, builder->outer_tokens, model->hidden);
    keep(builder, builder->outer_tokens * logits.in * builder->act_bytes);
    column_forward(builder, &logits);
    loss_sums(builder);
    loss(builder, "loss", logits.out, false);
    /* Logits in fp32, or in the activations' type where the loss is one kernel. */
    keep(builder,
         builder->tokens * logits.out * (builder->framework->fused_loss ? builder->act_bytes : 4));
}

void head_backward(struct layer_builder *builder)
{
    const struct model_spec *model = builder->model;
    struct linear logits = head(builder), dense = transform(builder);
    loss(builder, "loss.backward", logits.out, true);
    column_backward(builder, &logits);
    norm_backward(builder, builder->outer_tokens, model->hidden);
    if (!model->masked_lm)
        return;
    linear_dgrad(builder, &dense);
    linear_wgrad(builder, &dense);
}

/* -- multi-token prediction ------------------------------------------------------------------- */

static struct linear project(const struct layer_builder *builder)
{
    uint64_t width = builder->model->hidden;
    return (struct linear){mtp_names, builder->tokens, 2 * width, width / builder->plan->tp, 0,
                           false};
}

/* The next token's embedding and the last layer's result, each normed, side by side through a
 * product. */
void mtp_forward(struct layer_builder *builder)
{
    struct linear both = project(builder);
    embedding_forward(builder);
    norm_forward(builder, builder->outer_tokens, builder->model->hidden);
    norm_forward(builder, builder->outer_tokens, builder->model->hidden);
    keep(builder, builder->outer_tokens * both.in * builder->act_bytes);
    column_forward(builder, &both);
    uint64_t bytes = builder->tokens * both.out * builder->act_bytes;
    collective_push(builder, "tp.all-gather", COLL_ALL_GATHER, GROUP_TP, bytes);
}

void mtp_backward(struct layer_builder *builder)
{
    struct linear both = project(builder);
    uint64_t bytes = builder->tokens * builder->model->hidden * builder->act_bytes;
    if (builder->plan->sequence_parallel) /* of the slices' gradients */
        collective_push(builder, "tp.all-to-all", COLL_ALL_TO_ALL, GROUP_TP,
                        bytes / builder->plan->tp);
    column_backward(builder, &both);
    norm_backward(builder, builder->outer_tokens, builder->model->hidden);
    norm_backward(builder, builder->outer_tokens, builder->model->hidden);
    embedding_backward(builder);
}
