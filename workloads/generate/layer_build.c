#include "workloads/generate/layer_build.h"

#include <string.h>

/* -- items ------------------------------------------------------------------------------------ */

struct layer_item *item_push(struct layer_builder *builder, enum item_kind kind, const char *name)
{
    struct item_list *list = builder->list;
    if (list->count == list->room) {
        uint32_t room = list->room ? 2 * list->room : 64;
        struct layer_item *item = arena_array(builder->arena, room, sizeof *item);
        if (list->count)
            memcpy(item, list->item, list->count * sizeof *item);
        list->item = item;
        list->room = room;
    }
    struct layer_item *item = &list->item[list->count++];
    *item = (struct layer_item){.kind = kind,
                                .name = name,
                                .repeat = 1,
                                .kernels = 1,
                                .is_recompute = builder->is_recompute};
    return item;
}

void compute_push(struct layer_builder *builder, const char *name, struct op_shape shape)
{
    struct layer_item *item = item_push(builder, ITEM_COMPUTE, name);
    item->shape = shape;
    op_shape_finish(&item->shape);
}

struct layer_item *pass_push(struct layer_builder *builder, const struct pass *pass)
{
    struct layer_item *item = item_push(builder, ITEM_COMPUTE, pass->name);
    item->shape = (struct op_shape){.class = (uint8_t)pass->class,
                                    .type = (uint8_t)builder->plan->activation_type,
                                    .out_type = (uint8_t)builder->plan->activation_type,
                                    .m = pass->rows,
                                    .n = pass->columns,
                                    .read_bytes = pass->read_bytes,
                                    .write_bytes = pass->write_bytes};
    item->repeat = pass->kernels ? pass->kernels : 1;
    op_shape_finish(&item->shape);
    return item;
}

static uint32_t group_members(const struct train_plan *plan, enum group_kind group)
{
    switch (group) {
    case GROUP_TP:
        return plan->tp;
    case GROUP_CP:
        return plan->cp;
    case GROUP_EP:
        return plan->ep;
    default:
        return plan->expert_tp;
    }
}

uint32_t collective_push(struct layer_builder *builder, const char *name, enum collective_kind kind,
                         enum group_kind group, uint64_t bytes)
{
    if (group_members(builder->plan, group) < 2)
        return UINT32_MAX;
    struct layer_item *item = item_push(builder, ITEM_COLLECTIVE, name);
    item->collective = kind;
    item->group = group;
    item->bytes = bytes;
    return builder->list->count - 1;
}

void overlap_until_next(struct layer_builder *builder, uint32_t index)
{
    if (index == UINT32_MAX)
        return;
    builder->list->item[index].overlaps = true;
    builder->list->item[index].waits = builder->list->count;
}

static void pipeline_until_next(struct layer_builder *builder, uint32_t index)
{
    overlap_until_next(builder, index);
    if (index != UINT32_MAX)
        builder->list->item[index].is_pipelined = true;
}

/* -- linear layers ---------------------------------------------------------------------------- */

static bool is_low(const struct layer_builder *builder, const struct linear *linear)
{
    enum data_type type = builder->plan->compute_type;
    return linear->is_low && data_type_bytes(type, 8) <= 8;
}

static enum data_type product_type(const struct layer_builder *builder, const struct linear *linear)
{
    if (is_low(builder, linear))
        return builder->plan->compute_type;
    enum data_type flows = builder->plan->activation_type;
    bool is_tf32 = flows == TYPE_FP32 && builder->plan->compute_type == TYPE_TF32;
    return is_tf32 ? TYPE_TF32 : flows;
}

uint64_t kept_bytes(const struct layer_builder *builder, const struct linear *linear)
{
    return is_low(builder, linear) ? 1 : builder->act_bytes;
}

/* A low-precision product's operand is scaled, cast and, for the backward pass, transposed. */
static void cast(struct layer_builder *builder, const struct linear *linear, const char *name,
                 uint64_t count)
{
    double bytes = builder->framework->fp8_cast_bytes * (double)count;
    if (!is_low(builder, linear) || bytes < 2)
        return;
    struct pass pass = {.name = name,
                        .class = OP_CLASS_ELEMENTWISE,
                        .rows = count,
                        .read_bytes = (uint64_t)(bytes / 2),
                        .write_bytes = (uint64_t)(bytes / 2)};
    pass_push(builder, &pass);
}

static struct op_shape product(const struct layer_builder *builder, const struct linear *linear)
{
    enum data_type type = product_type(builder, linear);
    return (struct op_shape){.class = linear->groups ? OP_CLASS_GROUPED_GEMM : OP_CLASS_GEMM,
                             .type = (uint8_t)type,
                             .out_type = (uint8_t)builder->plan->activation_type,
                             .batch = linear->groups ? linear->groups : 1,
                             .m = linear->rows,
                             .n = linear->out,
                             .k = linear->in};
}

/* Without kernels for groups, each expert's product is launched alone. */
static void product_push(struct layer_builder *builder, const char *name,
                         const struct linear *linear, struct op_shape shape)
{
    compute_push(builder, name, shape);
    if (linear->groups && !builder->framework->fused_groups)
        builder->list->item[builder->list->count - 1].kernels = (uint32_t)linear->groups;
}

void linear_forward(struct layer_builder *builder, const struct linear *linear)
{
    cast(builder, linear, linear->name.cast, linear->rows * linear->in);
    product_push(builder, linear->name.forward, linear, product(builder, linear));
}

void linear_dgrad(struct layer_builder *builder, const struct linear *linear)
{
    cast(builder, linear, linear->name.cast_gradient, linear->rows * linear->out);
    struct op_shape shape = product(builder, linear);
    shape.n = linear->in;
    shape.k = linear->out;
    product_push(builder, linear->name.dgrad, linear, shape);
}

/* Adds to the gradient of the micro-batches before: that is read too. Of experts, each has its own
 * out x in of gradient and a share of the rows. */
void linear_wgrad(struct layer_builder *builder, const struct linear *linear)
{
    struct op_shape shape = product(builder, linear);
    uint64_t groups = linear->groups ? linear->groups : 1;
    enum data_type sum = builder->plan->gradient_type;
    shape.class = OP_CLASS_GEMM;
    shape.out_type = (uint8_t)sum;
    shape.batch = groups;
    shape.m = linear->out;
    shape.n = linear->in;
    shape.k = linear->rows / groups ? linear->rows / groups : 1;
    shape.flops = 2 * linear->rows * linear->in * linear->out;
    op_shape_finish(&shape);
    if (builder->plan->micro_batches > 1)
        shape.read_bytes += data_type_bytes(sum, groups * linear->in * linear->out);
    product_push(builder, linear->name.wgrad, linear, shape);
    builder->list->item[builder->list->count - 1].is_weight_gradient = true;
}

/* -- tensor-parallel borders ------------------------------------------------------------------ */

/* Sequence-parallel activations may be gathered in the type of the product. */
static uint64_t gather_bytes(const struct layer_builder *builder, const struct linear *linear,
                             uint64_t width)
{
    bool in_low = builder->framework->fp8_gather && is_low(builder, linear);
    return builder->outer_tokens * width * (in_low ? 1 : builder->act_bytes);
}

void column_forward(struct layer_builder *builder, const struct linear *linear)
{
    const struct train_plan *plan = builder->plan;
    uint32_t gather = UINT32_MAX;
    if (plan->sequence_parallel)
        gather = collective_push(builder, "tp.all-gather", COLL_ALL_GATHER, GROUP_TP,
                                 gather_bytes(builder, linear, linear->in));
    linear_forward(builder, linear);
    if (plan->overlap_tp)
        pipeline_until_next(builder, gather);
}

/* The reduction of the input's gradient runs behind the weights' product, and so does the second
 * gather of the input, which is kept in its sequence-parallel share, behind the input's product. */
void column_backward(struct layer_builder *builder, const struct linear *linear)
{
    const struct train_plan *plan = builder->plan;
    uint32_t gather = UINT32_MAX, reduce;
    if (plan->sequence_parallel && builder->framework->gathers_again)
        gather = collective_push(builder, "tp.all-gather-again", COLL_ALL_GATHER, GROUP_TP,
                                 gather_bytes(builder, linear, linear->in));
    linear_dgrad(builder, linear);
    overlap_until_next(builder, gather);
    if (gather != UINT32_MAX) /* the weights' product, behind the reduction, needs it */
        builder->list->item[gather].waits++;
    uint64_t bytes = builder->tokens * linear->in * builder->act_bytes;
    if (plan->sequence_parallel)
        reduce =
            collective_push(builder, "tp.reduce-scatter", COLL_REDUCE_SCATTER, GROUP_TP, bytes);
    else
        reduce = collective_push(builder, "tp.all-reduce", COLL_ALL_REDUCE, GROUP_TP, bytes);
    linear_wgrad(builder, linear);
    overlap_until_next(builder, reduce);
}

/* Pipelined with the product, the reduction stands before it. */
static void reduce_forward(struct layer_builder *builder, const struct linear *linear)
{
    bool is_split = builder->plan->sequence_parallel;
    uint64_t bytes = builder->tokens * linear->out * builder->act_bytes;
    collective_push(builder, is_split ? "tp.reduce-scatter" : "tp.all-reduce",
                    is_split ? COLL_REDUCE_SCATTER : COLL_ALL_REDUCE, GROUP_TP, bytes);
}

void row_forward(struct layer_builder *builder, const struct linear *linear)
{
    /* An all-reduce needs the whole sum: only its sequence-parallel half is pipelined. */
    const struct train_plan *plan = builder->plan;
    bool is_pipelined = plan->overlap_tp && plan->sequence_parallel && plan->tp > 1;
    if (is_pipelined) {
        reduce_forward(builder, linear);
        uint32_t index = builder->list->count - 1;
        linear_forward(builder, linear);
        pipeline_until_next(builder, index);
        return;
    }
    linear_forward(builder, linear);
    reduce_forward(builder, linear);
}

void row_backward(struct layer_builder *builder, const struct linear *linear)
{
    const struct train_plan *plan = builder->plan;
    uint32_t gather = UINT32_MAX;
    if (plan->sequence_parallel)
        gather = collective_push(builder, "tp.all-gather", COLL_ALL_GATHER, GROUP_TP,
                                 builder->outer_tokens * linear->out * builder->act_bytes);
    linear_dgrad(builder, linear);
    if (plan->overlap_tp)
        pipeline_until_next(builder, gather);
    linear_wgrad(builder, linear);
}

/* -- small blocks ----------------------------------------------------------------------------- */

/* Unfused, an RMS norm is a row of small kernels (square, mean, root, product, cast); layer norms
 * are one kernel in every framework. */
static uint32_t norm_kernels(const struct layer_builder *builder)
{
    return builder->framework->fused_norm || builder->model->norm == NORM_LAYER ? 1 : 4;
}

void norm_forward(struct layer_builder *builder, uint64_t rows, uint64_t columns)
{
    uint64_t bytes = rows * columns * builder->act_bytes;
    keep(builder, bytes);
    struct pass pass = {"norm", OP_CLASS_NORM, rows, columns, bytes, bytes, norm_kernels(builder)};
    pass_push(builder, &pass);
}

void norm_backward(struct layer_builder *builder, uint64_t rows, uint64_t columns)
{
    uint64_t bytes = rows * columns * builder->act_bytes;
    struct pass pass = {"norm.backward", OP_CLASS_NORM,        rows, columns, 2 * bytes,
                        bytes,           norm_kernels(builder)};
    pass_push(builder, &pass);
}

/* A mask of dropout is a byte per number. */
static uint64_t mask_bytes(const struct layer_builder *builder, uint64_t count)
{
    return builder->model->dropout > 0 ? count : 0;
}

void residual_forward(struct layer_builder *builder)
{
    uint64_t count = builder->outer_tokens * builder->model->hidden;
    uint64_t bytes = count * builder->act_bytes, mask = mask_bytes(builder, count);
    keep(builder, mask);
    bool has_bias = builder->model->bias == BIAS_ALL;
    if (builder->framework->fused_activation || !(has_bias || mask)) {
        struct pass pass = {"residual", OP_CLASS_ELEMENTWISE, count, 0, 2 * bytes, bytes + mask, 1};
        pass_push(builder, &pass);
        return;
    }
    struct pass add = {"residual", OP_CLASS_ELEMENTWISE, count, 0, 2 * bytes, bytes, 1};
    struct pass bias = {"bias", OP_CLASS_ELEMENTWISE, count, 0, bytes, bytes, 1};
    struct pass drop = {"dropout", OP_CLASS_ELEMENTWISE, count, 0, bytes, bytes + mask, 1};
    if (has_bias)
        pass_push(builder, &bias);
    if (mask)
        pass_push(builder, &drop);
    pass_push(builder, &add);
}

/* The gradient of the sum is a copy that costs nothing; that of the branch is added where the
 * branches meet. */
void residual_backward(struct layer_builder *builder)
{
    uint64_t count = builder->outer_tokens * builder->model->hidden;
    uint64_t bytes = count * builder->act_bytes, mask = mask_bytes(builder, count);
    if (!mask)
        return;
    struct pass drop = {"dropout.backward", OP_CLASS_ELEMENTWISE, count, 0, bytes + mask, bytes, 1};
    pass_push(builder, &drop);
}
