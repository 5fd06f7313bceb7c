#include "workloads/generate/family.h"
#include "workloads/generate/layer_ops.h"

#include "workloads/generate/layer_build.h"

enum piece_kind layer_kind(const struct model_spec *model, uint32_t index)
{
    bool is_local = model_layer_is_local(model, index);
    if (model_layer_is_mixture(model, index))
        return is_local ? PIECE_LOCAL_MOE_LAYER : PIECE_MOE_LAYER;
    return is_local ? PIECE_LOCAL_LAYER : PIECE_DENSE_LAYER;
}

/* -- lists of a piece ------------------------------------------------------------------------- */

static bool is_layer(enum piece_kind kind)
{
    return kind != PIECE_EMBEDDING && kind != PIECE_HEAD && kind != PIECE_MTP;
}

static bool is_mixture(enum piece_kind kind)
{
    return kind == PIECE_MOE_LAYER || kind == PIECE_LOCAL_MOE_LAYER;
}

static void layer_forward(struct layer_builder *builder, bool has_experts)
{
    attention_forward(builder);
    if (has_experts)
        experts_forward(builder);
    else
        mlp_forward(builder);
}

static void layer_backward(struct layer_builder *builder, bool has_experts)
{
    if (has_experts)
        experts_backward(builder);
    else
        mlp_backward(builder);
    attention_backward(builder);
}

static void write_forward(struct layer_builder *builder, enum piece_kind kind)
{
    switch (kind) {
    case PIECE_EMBEDDING:
        embedding_forward(builder);
        return;
    case PIECE_HEAD:
        head_forward(builder);
        return;
    case PIECE_MTP:
        mtp_forward(builder);
        layer_forward(builder, builder->model->moe.experts > 0);
        head_forward(builder);
        return;
    default:
        layer_forward(builder, is_mixture(kind));
    }
}

static void write_backward(struct layer_builder *builder, enum piece_kind kind)
{
    switch (kind) {
    case PIECE_EMBEDDING:
        embedding_backward(builder);
        return;
    case PIECE_HEAD:
        head_backward(builder);
        return;
    case PIECE_MTP:
        head_backward(builder);
        layer_backward(builder, builder->model->moe.experts > 0);
        mtp_backward(builder);
        return;
    default:
        layer_backward(builder, is_mixture(kind));
    }
}

/* What waits for an item behind the last waits for the list's end. */
static void close_list(struct item_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->item[i].waits >= list->count)
            list->item[i].waits = 0;
}

/* -- sizes ------------------------------------------------------------------------------------ */

static void count_parameters(const struct layer_builder *builder, enum piece_kind kind)
{
    const struct model_spec *model = builder->model;
    const struct train_plan *plan = builder->plan;
    struct layer_piece *piece = builder->piece;
    bool has_experts = is_mixture(kind) || (kind == PIECE_MTP && model->moe.experts);
    if (kind == PIECE_EMBEDDING)
        piece->parameters = count_embedding(model, plan->tp);
    else if (kind == PIECE_HEAD) /* on a stage of its own, the head has a copy of a tied matrix */
        piece->parameters = count_head(model, plan->tp, plan->pp > 1);
    else
        piece->parameters = count_layer(model, has_experts, plan->tp);
    if (kind == PIECE_MTP)
        piece->parameters += count_mtp(model) / plan->tp;
    if (has_experts)
        piece->expert_parameters =
            model->moe.experts / plan->ep * count_expert(model, plan->expert_tp);
}

/* Numbers of the widest of a layer's tensors at one time. A feed-forward block: gathered input, its
 * gradient, that of the widest hidden tensor. Experts, whose input is kept: the gradients of both,
 * for as many rows as they get. */
static uint64_t widest_numbers(const struct layer_builder *builder, bool has_experts)
{
    const struct model_spec *model = builder->model;
    uint64_t halves = model->gated_mlp ? 2 : 1;
    uint64_t ffn = has_experts ? model->moe.shared_ffn : model->ffn;
    uint64_t block = builder->tokens * (2 * model->hidden + halves * ffn / builder->plan->tp);
    if (!has_experts)
        return block;
    uint64_t expert = halves * model->moe.ffn / builder->plan->expert_tp;
    uint64_t experts = experts_rows(builder) * (model->hidden + expert);
    return experts > block ? experts : block;
}

/* Most that a layer holds besides what is kept; where the forward is repeated, also all that the
 * layer keeps. */
static uint64_t transient_bytes(const struct layer_builder *builder, enum piece_kind kind)
{
    const struct model_spec *model = builder->model;
    bool has_experts = is_mixture(kind) || (kind == PIECE_MTP && model->moe.experts);
    uint64_t rows = builder->tokens;
    if (kind == PIECE_EMBEDDING)
        return rows * model->hidden * builder->act_bytes;
    if (kind == PIECE_HEAD)
        return rows * count_vocab(model, builder->plan->tp) * builder->act_bytes;
    uint64_t bytes = widest_numbers(builder, has_experts) * builder->act_bytes;
    bool repeats = builder->plan->recompute == RECOMPUTE_FULL && is_layer(kind);
    return repeats ? bytes + builder->piece->activation_bytes_kept : bytes;
}

static void make_piece(struct layer_builder *builder, enum piece_kind kind)
{
    struct layer_piece *piece = builder->piece;
    piece->kind = kind;
    builder->is_local = kind == PIECE_LOCAL_LAYER || kind == PIECE_LOCAL_MOE_LAYER;
    builder->list = &piece->forward;
    write_forward(builder, kind);
    close_list(&piece->forward);
    uint64_t kept = piece->activation_bytes;
    builder->list = &piece->backward;
    piece->boundary_bytes = builder->outer_tokens * builder->model->hidden * builder->act_bytes;
    if (builder->plan->recompute == RECOMPUTE_FULL && is_layer(kind)) {
        builder->is_recompute = true;
        write_forward(builder, kind);
        builder->is_recompute = false;
        piece->recompute_count = piece->backward.count;
        piece->activation_bytes = piece->boundary_bytes;
    }
    piece->activation_bytes_kept = kept;
    write_backward(builder, kind);
    close_list(&piece->backward);
    count_parameters(builder, kind);
    piece->transient_bytes = transient_bytes(builder, kind);
}

/* -- the book --------------------------------------------------------------------------------- */

static bool has_piece(const struct model_spec *model, enum piece_kind kind)
{
    if (kind == PIECE_EMBEDDING || kind == PIECE_HEAD)
        return true;
    if (kind == PIECE_MTP)
        return model->mtp_layers > 0;
    for (uint32_t i = 0; i < model->layers; i++)
        if (layer_kind(model, i) == kind)
            return true;
    return false;
}

void layer_book_make(struct layer_book *book, const struct model_spec *model,
                     const struct train_plan *plan, const struct framework *framework,
                     struct arena *arena)
{
    *book = (struct layer_book){0};
    if (family_of(model)) {
        family_book(&book->piece[PIECE_HEAD], model, plan, framework, arena);
        return;
    }
    uint64_t tokens = plan->micro_batch * (plan->seq / plan->cp);
    for (enum piece_kind kind = 0; kind < PIECE_KIND_COUNT; kind++) {
        struct layer_builder builder = {
            .model = model,
            .plan = plan,
            .framework = framework,
            .arena = arena,
            .piece = &book->piece[kind],
            .tokens = tokens,
            .outer_tokens = plan->sequence_parallel ? tokens / plan->tp : tokens,
            .act_bytes = data_type_bytes(plan->activation_type, 1),
            .q_width = (uint64_t)model->heads / plan->tp * model->head_dim,
            .kv_width = (uint64_t)count_kv_heads(model, plan->tp) * model->head_dim};
        if (has_piece(model, kind))
            make_piece(&builder, kind);
    }
}

/* -- the optimizer ---------------------------------------------------------------------------- */

struct op_shape optimizer_shape(const struct train_plan *plan, uint64_t parameters)
{
    struct op_shape shape = {.class = OP_CLASS_OPTIMIZER,
                             .type = (uint8_t)plan->gradient_type,
                             .out_type = (uint8_t)plan->weight_type,
                             .m = parameters};
    uint64_t states = data_type_bytes(plan->optimizer_type, 2 * parameters);
    uint64_t weights = data_type_bytes(plan->weight_type, parameters);
    uint64_t master = plan->master_weights ? data_type_bytes(TYPE_FP32, parameters) : 0;
    shape.read_bytes =
        data_type_bytes(plan->gradient_type, parameters) + states + (master ? master : weights);
    shape.write_bytes = states + master + weights;
    op_shape_finish(&shape);
    return shape;
}
