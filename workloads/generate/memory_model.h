/*
 * memory_model - what each rank of a training job holds at its high-water mark, by class and
 * pipeline stage.
 *
 * Rules:
 *  1. All ranks of a pipeline stage hold the same (experts are balanced in memory; their rows may
 *     not be).
 *  2. With P parameters of a rank (E of them experts), N members of the shard group (dp x cp, or
 *     plan->shard_group) and n of the expert-data group:
 *       weights      weight_type; zero 3: a share, and the pieces that are gathered stand in
 *                    buffers. Products of 8 bits and fewer keep a copy of each weight and its
 *                    transpose where it is used again (several micro-batches)
 *       gradients    gradient_type; zero 2 and 3: a share, and one piece's whole in buffers
 *       optimizer    2 states of optimizer_type, and a fp32 master copy; zero 1, 2 and 3: a share
 *     A share is 1 / N of P - E and 1 / n of E, rounded up. Llama-3 8B (P = 8.03e9), N = 8, zero
 *     1, bf16 weights, fp32 gradients and states: 16.1, 32.1 and 8.03 x 12 / 8 = 12.0 GB.
 *  3. Activations: of each virtual stage of the rank, what its pieces keep (layer_ops.h) times the
 *     micro-batches that the schedule has in flight (pipeline_in_flight(); interleaved: forwards go
 *     through the chunks in rounds of pp). Recompute of some layers counts the rest in full.
 *  4. Buffers: what the pipeline receives and sends (2 boundaries each way with a neighbour),
 *     gathered weights (prefetch + 1 pieces) and unsharded gradients.
 *  5. Transient: most of layer_piece.transient_bytes.
 *  6. Reserve: framework->reserve_bytes (contexts, libraries' buffers, the allocator).
 *  7. The sum is an upper bound of the high-water mark: activations and transients peak in the
 *     backward pass of the last micro-batch in flight, when everything else is held as well.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_MEMORY_MODEL_H
#define ORRERY_WORKLOADS_GENERATE_MEMORY_MODEL_H

#include "workloads/generate/layer_ops.h"

#define MEMORY_CLASS_LIST(X)                                                                       \
    X(MEMORY_WEIGHTS, "weights")                                                                   \
    X(MEMORY_GRADIENTS, "gradients")                                                               \
    X(MEMORY_OPTIMIZER, "optimizer")                                                               \
    X(MEMORY_ACTIVATIONS, "activations")                                                           \
    X(MEMORY_TRANSIENT, "transient")                                                               \
    X(MEMORY_BUFFERS, "buffers")                                                                   \
    X(MEMORY_RESERVE, "reserve")

enum memory_class {
#define X(name, text) name,
    MEMORY_CLASS_LIST(X)
#undef X
        MEMORY_CLASS_COUNT
};

extern const char *const memory_class_names[]; /* by number, NULL-terminated */

struct stage_memory {
    uint64_t bytes[MEMORY_CLASS_COUNT];
    uint64_t total_bytes;
    uint64_t parameters, expert_parameters; /* of one rank, before sharding */
};

/* What the lists were made from (layer_book_make()). */
struct memory_input {
    const struct model_spec *model;
    const struct train_plan *plan;
    const struct framework *framework;
    const struct layer_book *book;
};

/* A rank of pipeline stage `stage` (0 .. pp - 1). */
void memory_of_stage(struct stage_memory *memory, const struct memory_input *input, uint32_t stage);

/* The stage that needs most (the first of equal ones); *memory is what it needs. */
uint32_t memory_worst_stage(struct stage_memory *memory, const struct memory_input *input);

#endif
