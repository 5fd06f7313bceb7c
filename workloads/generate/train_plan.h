/*
 * train_plan - how a training job is divided over ranks, and the numbers it trains in.
 *
 * Rules:
 *  1. From YAML (the map `plan` of a job file: train_plan_read()) or filled by a caller, over
 *     train_plan_defaults(); train_plan_check() completes what is 0 (dp from the device count,
 *     micro-batches from the batch) and refuses what does not fit, with the reason and the nearest
 *     valid choice.
 *  2. ranks = tp x cp x dp x pp; expert ranks are ep x expert_tp, taken out of tp x cp x dp.
 *  3. `order` places ranks: the first letter varies fastest ("tp-cp-ep-dp-pp" is Megatron's).
 *  4. Layers go evenly to the pp x interleave virtual stages. Where they do not divide, one fewer
 *     on the first and the last stage (embedding and loss count as a layer each), or on the last
 *     alone, is taken if that divides; else `uneven` is needed: the stages in the middle get one
 *     more than those at both ends.
 *  5. Key/value heads are copied where there are fewer than tensor-parallel ranks.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_TRAIN_PLAN_H
#define ORRERY_WORKLOADS_GENERATE_TRAIN_PLAN_H

#include "base/fields.h"
#include "model/op_shape.h"
#include "workloads/generate/model_spec.h"

enum pipeline_schedule { PIPE_1F1B, PIPE_INTERLEAVED, PIPE_GPIPE, PIPE_ZERO_BUBBLE };
enum recompute {
    RECOMPUTE_NONE,
    RECOMPUTE_SELECTIVE,
    RECOMPUTE_FULL
}; /* selective: attention core */
enum context_kind { CONTEXT_RING, CONTEXT_ALL_TO_ALL, CONTEXT_ALL_GATHER };

struct train_plan {
    uint32_t ranks; /* devices */
    uint32_t tp, pp, cp, dp, ep, expert_tp;
    uint32_t interleave;                     /* virtual pipeline stages of a rank, 1: none */
    bool uneven;                             /* rule 4 */
    uint64_t seq, micro_batch, global_batch; /* tokens, sequences, sequences */
    uint64_t micro_batches;                  /* of a pipeline per step: derived */
    bool sequence_parallel;
    enum pipeline_schedule schedule;
    enum recompute recompute;
    uint32_t recompute_layers; /* FULL: of each virtual stage; 0: all */
    enum context_kind context;
    uint32_t zero;                  /* 0-3: optimizer, gradients, weights sharded over dp x cp */
    uint32_t shard_group;           /* hybrid sharding: ranks of a shard group; 0: all of dp x cp */
    uint64_t bucket_bytes;          /* of gradients; 0: one bucket per layer */
    enum data_type compute_type;    /* of large matrix products: bf16, fp16, fp8, fp4 */
    enum data_type activation_type; /* of what flows between: bf16 or fp16 */
    enum data_type weight_type, gradient_type, optimizer_type; /* stored */
    bool master_weights;                                       /* fp32 copies beside weight_type */
    bool overlap_gradients, overlap_weights;                   /* communication behind compute */
    bool overlap_tp, overlap_pp;
    uint32_t domain;   /* ranks of the cluster's scale-up domain, 0: not known; no key of files */
    const char *order; /* rule 3; NULL: "tp-cp-ep-dp-pp" */
};

extern const char *const schedule_names[];  /* "1f1b": enum pipeline_schedule */
extern const char *const recompute_names[]; /* "none": enum recompute */
extern const char *const context_names[];   /* "ring": enum context_kind */

/* One rank, bf16, Megatron's mixed precision (fp32 gradients, master weights and optimizer). */
void train_plan_defaults(struct train_plan *plan);

extern const struct field train_plan_fields[]; /* the keys; the last has a NULL key */

/* Reads map `map` over what `plan` holds. Keys are the members' names with '-' ("micro-batch"). */
enum status train_plan_read(struct train_plan *plan, const struct field_reader *reader,
                            const struct doc_node *map);

enum status train_plan_check(struct train_plan *plan, const struct model_spec *model,
                             struct notices *notices, struct diag *diag);

/* Layers of virtual stage v (0 .. pp x interleave - 1; rank v mod pp of a pipeline): [*first,
 * *first + count), by rule
 * 4. The plan must have passed train_plan_check(). */
uint32_t stage_layers(const struct model_spec *model, const struct train_plan *plan, uint32_t stage,
                      uint32_t *first);

#endif
