/*
 * model_spec - the architecture of a neural network, as its paper's table of hyper-parameters gives it.
 *
 * Rules:
 *  1. From YAML: a preset (configs/models/<name>.yaml, part of the program) or a user's file. Unknown keys are
 *     errors with a suggestion; every preset names its source and the published parameter count, which the
 *     tests hold model_spec_parameters() against.
 *  2. Counts are exact integers.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_MODEL_SPEC_H
#define ORRERY_WORKLOADS_GENERATE_MODEL_SPEC_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/notice.h"

enum model_family { MODEL_TRANSFORMER, MODEL_RESNET, MODEL_DLRM };
enum norm_kind { NORM_LAYER, NORM_RMS };
enum position_kind { POSITION_LEARNED, POSITION_ROTARY, POSITION_ALIBI, POSITION_NONE };

/* Mixture of experts; experts == 0: dense. */
struct moe_spec {
    uint32_t experts, top_k, shared_experts;
    uint64_t ffn, shared_ffn; /* hidden size of one expert, of all shared ones together */
    uint32_t dense_layers;    /* the first layers that are dense (DeepSeek) */
    uint32_t every;           /* a layer in `every` is mixture (1: all) */
    double capacity_factor;   /* 0: dropless */
    double imbalance;         /* rows of the busiest expert rank over the mean, 1 = balanced */
};

/* Latent attention (DeepSeek): 0 if not used. */
struct mla_spec {
    uint32_t q_rank, kv_rank, rope_dim, nope_dim, v_dim;
};

struct model_spec {
    const char *name, *about, *source;
    enum model_family family;
    uint32_t layers;
    uint64_t hidden, ffn, vocab, max_seq;
    uint32_t heads, kv_heads, head_dim;
    bool gated_mlp, has_bias, tied_embeddings, parallel_block, qk_norm;
    enum norm_kind norm;
    enum position_kind position;
    uint64_t window; /* sliding window of local layers, 0: none */
    uint32_t
        global_every; /* of sliding-window models: one layer in so many is global; 0: all local */
    double dropout;
    struct moe_spec moe;
    struct mla_spec mla;
    uint32_t mtp_layers;           /* multi-token prediction */
    uint64_t published_parameters; /* 0: unknown */
    /* ResNet, DLRM: see resnet.h, dlrm.h */
    const struct resnet_spec *resnet;
    const struct dlrm_spec *dlrm;
};

enum status model_spec_load(struct model_spec *spec, const char *name, struct arena *arena,
                            struct notices *notices, struct diag *diag);
const char *const *model_spec_names(void);

uint64_t model_spec_parameters(const struct model_spec *spec);        /* all */
uint64_t model_spec_active_parameters(const struct model_spec *spec); /* of one token */
/* Model flops of one sequence of `seq` tokens, forward and backward, without recompute; attention causal. */
double model_spec_train_flops(const struct model_spec *spec, uint64_t seq);

#endif
