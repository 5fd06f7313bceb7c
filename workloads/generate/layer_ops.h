/*
 * layer_ops - what one rank does for one piece of a model and one micro-batch: the one list that
 * the trace generator, the closed-form estimate and the memory model all read.
 *
 * Rules:
 *  1. Pieces: embedding, a layer (dense or mixture; global or local attention), a multi-token
 *     prediction module, the head with the loss. Each has a forward and a backward list, in the
 *     order of execution, for the rank's own share of the work (tp, cp, ep, sp done). What a stage
 *     does once a step (gradients, weights, the optimizer) follows from the parameters of its
 *     pieces.
 *  2. An item is either compute (an op_shape, finished) or communication (kind, group, bytes by
 *     rule 5 of model/trace.h; of a send-receive: what goes to the next rank of the group). An item
 *     with `overlaps` set may run beside the compute that follows it up to the item that `waits`
 *     for it. A collective that is pipelined with a product stands before it.
 *  3. A repeated send-receive that overlaps, and the repeated compute that waits for it, go step by
 *     step: step i of the one is needed by step i of the other (a ring of key and value blocks).
 *  4. Activation bytes kept from forward to backward, and weights, stand in the piece, per rank.
 *  5. Experts see the rows of the busiest rank (moe.imbalance), or their capacity.
 *  6. Bytes of memory-bound items are set from the tensors that the kernel really reads and writes;
 *     where a framework does not fuse, `repeat` counts its kernels.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_LAYER_OPS_H
#define ORRERY_WORKLOADS_GENERATE_LAYER_OPS_H

#include "model/op.h"
#include "workloads/generate/framework.h"
#include "workloads/generate/train_plan.h"

enum piece_kind {
    PIECE_EMBEDDING,
    PIECE_DENSE_LAYER,
    PIECE_MOE_LAYER,
    PIECE_LOCAL_LAYER,     /* dense, sliding window */
    PIECE_LOCAL_MOE_LAYER, /* mixture, sliding window */
    PIECE_MTP,             /* a multi-token prediction module, its loss too */
    PIECE_HEAD,
    PIECE_KIND_COUNT
};
enum group_kind {
    GROUP_TP,
    GROUP_CP,
    GROUP_EP,
    GROUP_DP,
    GROUP_PP,
    GROUP_DP_CP,
    GROUP_EXPERT_DP,
    GROUP_EXPERT_TP,
    GROUP_SHARD,
    GROUP_REPLICA,
    GROUP_EMBEDDING,
    GROUP_DP_CP_GRADIENTS, /* the same ranks once more: job_groups.h */
    GROUP_EXPERT_DP_GRADIENTS,
    GROUP_SHARD_GRADIENTS,
    GROUP_KIND_COUNT
};

enum item_kind {
    ITEM_COMPUTE,
    ITEM_COLLECTIVE,
    ITEM_SEND_RECV /* ring step to the next of the group */
};

struct layer_item {
    enum item_kind kind;
    const char *name;      /* "qkv", "attention", "mlp.up", "tp.all-gather": constant text */
    struct op_shape shape; /* ITEM_COMPUTE */
    enum collective_kind collective;
    enum group_kind group;
    uint64_t bytes; /* model/trace.h rule 5 */
    bool overlaps;  /* rule 2 */
    /* Overlaps with the product after it, as far as the framework manages (hidden_tp). */
    bool is_pipelined;
    uint32_t waits;          /* index of the item that needs its result; 0: the end of the list */
    uint32_t repeat;         /* the same item so many times in a row, at least 1 */
    uint32_t kernels;        /* that the host launches for one of them, at least 1 */
    bool is_weight_gradient; /* backward: may be delayed (zero-bubble) */
    bool is_recompute;       /* backward: part of the repeated forward */
};

struct item_list {
    struct layer_item *item;
    uint32_t count, room;
};

struct layer_piece {
    enum piece_kind kind;
    struct item_list forward, backward;
    uint32_t recompute_count; /* the first so many items of `backward` repeat the forward (FULL): a
                                 layer that is not recomputed begins behind them */
    uint64_t parameters;      /* of this rank, before sharding by zero; experts apart */
    uint64_t expert_parameters;
    uint64_t local_bytes; /* weights that only this rank has, and steps at once: embedding tables */
    uint64_t activation_bytes;      /* kept for one micro-batch from forward to backward */
    uint64_t activation_bytes_kept; /* the same of a layer that FULL does not recompute */
    uint64_t transient_bytes;       /* most needed at once beside that while it runs */
    uint64_t boundary_bytes;        /* passed on to the next layer (or stage), per rank */
};

struct layer_book {
    struct layer_piece piece[PIECE_KIND_COUNT]; /* empty lists where a model has no such piece */
};

/*
 * Lists are owned by `arena`. The plan must have passed train_plan_check(). A model of another
 * family (family.h) is one piece here, PIECE_HEAD.
 */
void layer_book_make(struct layer_book *book, const struct model_spec *model,
                     const struct train_plan *plan, const struct framework *framework,
                     struct arena *arena);

/* Kind of layer `index` of the model. */
enum piece_kind layer_kind(const struct model_spec *model, uint32_t index);

/* One step of the optimizer over `parameters` numbers of a rank: reads gradients, both states and
 * the master copy (without one, the weights themselves), writes states, master copy and weights.
 * fp32 gradients and states, master copy, bf16 weights: 16 bytes read, 14 written of each. */
struct op_shape optimizer_shape(const struct train_plan *plan, uint64_t parameters);

/* Copies of a token that cross between `domains` domains over those of an all-to-all that sends one
 * per expert: of k experts spread evenly a token needs d (1 - (1 - 1/d)^k) domains. 8 experts on 2:
 * 1.99 of 8, 0.249. */
double expert_crossing_ratio(const struct moe_spec *moe, uint32_t domains);

#endif
