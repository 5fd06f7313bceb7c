/*
 * layer_build - how lists of layer_ops.h are written: sizes of a rank's share, one kind of item at
 * a time. Only the layer_*.c files and families (family.h) include it.
 *
 * Rules:
 *  1. A block (attention, mlp, experts, ..) has a forward and a backward function; both append to
 *     `list`.
 *  2. Names are constant text.
 *  3. `keep` adds to what the piece keeps from forward to backward; only forward functions call it.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_LAYER_BUILD_H
#define ORRERY_WORKLOADS_GENERATE_LAYER_BUILD_H

#include "workloads/generate/layer_ops.h"
#include "workloads/generate/model_count.h"

struct layer_builder {
    const struct model_spec *model;
    const struct train_plan *plan;
    const struct framework *framework;
    struct arena *arena;
    struct item_list *list; /* that is being written */
    struct layer_piece *piece;
    bool is_recompute; /* items belong to a repeated forward */
    bool is_local;     /* the layer's attention has a window */

    /* Tokens of one micro-batch on a rank; of them outside of tensor-parallel products; bytes of an
     * activation. */
    uint64_t tokens, outer_tokens, act_bytes;
    uint64_t q_width, kv_width; /* heads of the rank x head size */
};

/* Names of the items of a linear layer. */
struct linear_names {
    const char *forward, *dgrad, *wgrad, *cast, *cast_gradient;
};
#define LINEAR_NAMES(text)                                                                         \
    {                                                                                              \
        text, text ".dgrad", text ".wgrad", text ".cast", text ".cast-gradient"                    \
    }

/* rows x in  .  in x out; `groups` > 0: that many experts share the rows. */
struct linear {
    struct linear_names name;
    uint64_t rows, in, out, groups;
    bool is_low; /* in plan->compute_type where that has 8 bits or fewer */
};

void linear_forward(struct layer_builder *builder, const struct linear *linear);
/* Gradient of the input; its result is what the layer before needs. */
void linear_dgrad(struct layer_builder *builder, const struct linear *linear);
void linear_wgrad(struct layer_builder *builder, const struct linear *linear);

/* Bytes kept of the input of a linear layer, per number: one if it is kept in fp8. */
uint64_t kept_bytes(const struct layer_builder *builder, const struct linear *linear);

/* A memory-bound kernel over `count` numbers that reads and writes so many bytes each, `kernels`
 * times. */
struct pass {
    const char *name;
    enum op_class class;
    uint64_t rows, columns; /* of elementwise: rows numbers, columns 0 */
    uint64_t read_bytes, write_bytes;
    uint32_t kernels;
};
struct layer_item *pass_push(struct layer_builder *builder, const struct pass *pass);

/* A collective of the group; nothing if it has one member. Returns its index, or UINT32_MAX. */
uint32_t collective_push(struct layer_builder *builder, const char *name, enum collective_kind kind,
                         enum group_kind group, uint64_t bytes);
struct layer_item *item_push(struct layer_builder *builder, enum item_kind kind, const char *name);
void compute_push(struct layer_builder *builder, const char *name, struct op_shape shape);
/* Item `index` (UINT32_MAX: none) runs beside what follows until the item that is pushed next. */
void overlap_until_next(struct layer_builder *builder, uint32_t index);

/* -- tensor-parallel borders -----------------------------------------------------------------
 * Into products: all-gather of the sequence (sequence parallel), or nothing. Out of products:
 * reduce-scatter, or all-reduce. `width` numbers per token. Backward the other way round.
 */

/* A product with column-parallel weights: the border, then the product. */
void column_forward(struct layer_builder *builder, const struct linear *linear);
void column_backward(struct layer_builder *builder, const struct linear *linear);
/* Row-parallel weights: the product, then the border. */
void row_forward(struct layer_builder *builder, const struct linear *linear);
void row_backward(struct layer_builder *builder, const struct linear *linear);

/* -- small blocks ------------------------------------------------------------------------------ */

void norm_forward(struct layer_builder *builder, uint64_t rows, uint64_t columns);
void norm_backward(struct layer_builder *builder, uint64_t rows, uint64_t columns);
/* Bias, dropout and the sum with the residual. */
void residual_forward(struct layer_builder *builder);
void residual_backward(struct layer_builder *builder);

static inline void keep(struct layer_builder *builder, uint64_t bytes)
{
    builder->piece->activation_bytes += bytes;
}

/* -- blocks, each in its own file ----------------------------------------------------------- */

void attention_forward(struct layer_builder *builder);
void attention_backward(struct layer_builder *builder);
void mlp_forward(struct layer_builder *builder);
void mlp_backward(struct layer_builder *builder);
/* Rows that a rank's experts get. */
uint64_t experts_rows(const struct layer_builder *builder);
void experts_forward(struct layer_builder *builder);
void experts_backward(struct layer_builder *builder);
void embedding_forward(struct layer_builder *builder);
void embedding_backward(struct layer_builder *builder);
void head_forward(struct layer_builder *builder);
void head_backward(struct layer_builder *builder);
/* What stands before the layer of a multi-token prediction module. */
void mtp_forward(struct layer_builder *builder);
void mtp_backward(struct layer_builder *builder);

/* Of layer_attention.c: the core with its context parallelism, between the projections. */
void core_forward(struct layer_builder *builder);
void core_backward(struct layer_builder *builder);

/* Of layer_mlp.c, for shared experts too. */
void activation_forward(struct layer_builder *builder, uint64_t rows, uint64_t width);
void activation_backward(struct layer_builder *builder, uint64_t rows, uint64_t width);
void mlp_products_forward(struct layer_builder *builder, uint64_t ffn);
void mlp_products_backward(struct layer_builder *builder, uint64_t ffn);

#endif
