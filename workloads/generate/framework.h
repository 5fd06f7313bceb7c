/*
 * framework - what a training framework does with a model: which kernels are fused, what overlaps,
 * what the host costs. One YAML per family in configs/frameworks/, each value with its reason.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_FRAMEWORK_H
#define ORRERY_WORKLOADS_GENERATE_FRAMEWORK_H

#include "workloads/generate/train_plan.h"

struct framework {
    const char *name, *about, *source;
    bool fused_attention;                   /* flash attention; otherwise scores are written */
    enum attention_kernel attention_kernel; /* of fused attention: which */
    bool fused_norm, fused_activation, fused_rotary, fused_loss;
    bool one_graph;              /* compiled step or CUDA graphs: no launch per kernel */
    double launch_ns;            /* host time per kernel where not one_graph; 0: the device's */
    double collective_launch_ns; /* host time per collective; 0: as a kernel */
    double expert_host_ns; /* exposed host time of a mixture layer's pass: counts of tokens are read
                                    back before experts can be launched */
    double step_ns;        /* host time of a step: data, logging, loss scaling */
    bool overlap_gradients, overlap_weights, overlap_tp, overlap_pp; /* defaults of a plan */
    /* Share of the traffic that runs behind compute where the plan overlaps it, 0 to 1. */
    double hidden_tp, hidden_pp, hidden_ep;
    uint32_t prefetch;     /* FSDP: units gathered ahead */
    double fp8_cast_bytes; /* extra bytes per element for casts and transposes in fp8 */
    bool fp8_gather;       /* sequence-parallel activations are gathered in fp8 */
    bool gathers_again;    /* products' inputs are gathered again for their weights' gradient */
    bool fused_router;     /* top-k, maps and balance loss of a router are one kernel */
    bool fused_groups;     /* one kernel for the products of all experts of a rank */
    /* Layers are laid out so that pipeline stages take equal time, head and all. */
    bool balanced_stages;
    bool expert_once; /* a token crosses to a node once, not once per expert (DeepEP, HybridEP) */
    double matrix_ratio; /* of the device's sustained rate that its kernels reach, default 1 */
    /* Of the device's attention rate (FlashAttention 1 or 2 on Hopper), default 1. */
    double attention_ratio;
    double memory_ratio;  /* bytes of memory-bound ops over those of fused ones, default 1 */
    double network_ratio; /* of the library's rate that its collectives reach, default 1 */
    enum data_type weight_type, gradient_type, optimizer_type; /* defaults of a plan */
    bool master_weights;
    double reserve_bytes; /* held by contexts, libraries and the allocator beside the tensors */
};

/* `name`: a preset (framework_files of preset_files.h) or a path; `like: <preset>` starts from
 * another. */
enum status framework_load(struct framework *framework, const char *name, struct arena *arena,
                           struct notices *notices, struct diag *diag);

/* Sets what the framework decides in a plan that nobody has said otherwise yet: number types,
 * overlap. */
void framework_plan(const struct framework *framework, struct train_plan *plan);

#endif
