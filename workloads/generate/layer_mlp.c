/* The feed-forward block of a layer: norm, products, activation, residual. */
#include "workloads/generate/layer_build.h"

static const struct linear_names up_names = LINEAR_NAMES("mlp.up");
static const struct linear_names down_names = LINEAR_NAMES("mlp.down");

static struct linear up(const struct layer_builder *builder, uint64_t ffn)
{
    uint64_t width = (builder->model->gated_mlp ? 2 : 1) * (ffn / builder->plan->tp);
    return (struct linear){up_names, builder->tokens, builder->model->hidden, width, 0, true};
}

static struct linear down(const struct layer_builder *builder, uint64_t ffn)
{
    return (struct linear){
        down_names, builder->tokens, ffn / builder->plan->tp, builder->model->hidden, 0, true};
}

/* Gated: two inputs, one result. Unfused it takes two kernels (bias and function, or function and
 * product). */
void activation_forward(struct layer_builder *builder, uint64_t rows, uint64_t width)
{
    uint64_t count = rows * width, inputs = builder->model->gated_mlp ? 2 : 1;
    uint64_t bytes = count * builder->act_bytes;
    uint32_t kernels = builder->framework->fused_activation ? 1 : 2;
    struct pass pass = {"activation", OP_CLASS_ELEMENTWISE, count, 0, inputs * bytes, bytes,
                        kernels};
    pass_push(builder, &pass);
}

void activation_backward(struct layer_builder *builder, uint64_t rows, uint64_t width)
{
    uint64_t count = rows * width, inputs = builder->model->gated_mlp ? 2 : 1;
    uint64_t bytes = count * builder->act_bytes;
    uint32_t kernels = builder->framework->fused_activation ? 1 : 2;
    struct pass pass = {"activation.backward", OP_CLASS_ELEMENTWISE, count,  0,
                        (inputs + 1) * bytes,  inputs * bytes,       kernels};
    pass_push(builder, &pass);
}

/* A parallel block with one norm: the products' input is attention's, gathered and kept there. */
static bool shares_input(const struct layer_builder *builder)
{
    return builder->model->parallel_block && builder->model->norms_per_layer < 2;
}

static void keep_products(struct layer_builder *builder, const struct linear *in,
                          const struct linear *result)
{
    if (!shares_input(builder))
        keep(builder, builder->outer_tokens * in->in * kept_bytes(builder, in));
    keep(builder, builder->tokens * in->out * builder->act_bytes);
    keep(builder, builder->tokens * result->in * kept_bytes(builder, result));
}

void mlp_products_forward(struct layer_builder *builder, uint64_t ffn)
{
    struct linear in = up(builder, ffn), result = down(builder, ffn);
    keep_products(builder, &in, &result);
    if (shares_input(builder))
        linear_forward(builder, &in);
    else
        column_forward(builder, &in);
    activation_forward(builder, builder->tokens, result.in);
    row_forward(builder, &result);
}

void mlp_products_backward(struct layer_builder *builder, uint64_t ffn)
{
    struct linear in = up(builder, ffn), result = down(builder, ffn);
    row_backward(builder, &result);
    activation_backward(builder, builder->tokens, result.in);
    if (!shares_input(builder)) {
        column_backward(builder, &in);
        return;
    }
    linear_dgrad(builder, &in); /* summed with attention's and reduced there */
    linear_wgrad(builder, &in);
}

void mlp_forward(struct layer_builder *builder)
{
    const struct model_spec *model = builder->model;
    if (!shares_input(builder))
        norm_forward(builder, builder->outer_tokens, model->hidden);
    mlp_products_forward(builder, model->ffn);
    if (model->norms_per_layer > 3)
        norm_forward(builder, builder->outer_tokens, model->hidden);
    residual_forward(builder);
}

void mlp_backward(struct layer_builder *builder)
{
    const struct model_spec *model = builder->model;
    residual_backward(builder);
    if (model->norms_per_layer > 3)
        norm_backward(builder, builder->outer_tokens, model->hidden);
    mlp_products_backward(builder, model->ffn);
    if (shares_input(builder))
        return;
    norm_backward(builder, builder->outer_tokens, model->hidden);
    uint64_t count = builder->outer_tokens * model->hidden, bytes = count * builder->act_bytes;
    struct pass pass = {"residual.backward", OP_CLASS_ELEMENTWISE, count, 0, 2 * bytes, bytes, 1};
    pass_push(builder, &pass);
}
