/*
 * model_spec - the architecture of a neural network, as its paper's table of hyper-parameters gives
 * it.
 *
 * Rules:
 *  1. From YAML: a preset (configs/models/<name>.yaml, part of the program, listed in model_files
 *     of preset_files.h) or a user's file. `like: <preset>` takes everything from another and
 *     changes what follows. Unknown keys are errors with a suggestion; every preset names its
 *     source and the published parameter count, which the tests hold model_spec_parameters()
 *     against.
 *  2. Counts are exact integers (workloads/generate/model_count.h has them piece by piece).
 *  3. Layer i (from 0) is a mixture if i >= moe.dense_layers and (i + 1) is a multiple of
 *     moe.every; it is local if there is a window and (i + 1) is not a multiple of global_every.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_MODEL_SPEC_H
#define ORRERY_WORKLOADS_GENERATE_MODEL_SPEC_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/notice.h"

enum model_family { MODEL_TRANSFORMER, MODEL_RESNET, MODEL_DLRM };
enum norm_kind { NORM_LAYER, NORM_RMS };
enum position_kind { POSITION_LEARNED, POSITION_ROTARY, POSITION_ALIBI, POSITION_NONE };
enum bias_kind { BIAS_NONE, BIAS_ALL, BIAS_QKV }; /* of linear layers */

/* Mixture of experts; experts == 0: dense. */
struct moe_spec {
    uint32_t experts, top_k, shared_experts;
    uint64_t ffn, shared_ffn; /* hidden size of one expert, of all shared ones together */
    uint32_t dense_layers;    /* the first layers that are dense (DeepSeek) */
    uint32_t every;           /* a layer in `every` is mixture (1: all) */
    double capacity_factor;   /* 0: dropless */
    double imbalance;         /* rows of the busiest expert rank over the mean, 1 = balanced */
};

/* Latent attention (DeepSeek): kv_rank 0 if not used. q_rank 0: queries are not compressed. */
struct mla_spec {
    uint32_t q_rank, kv_rank, rope_dim, nope_dim, v_dim;
};

struct model_spec {
    const char *name, *about, *source;
    const char *checked;     /* "seen", "memory": whether `source` was at hand */
    const char *const *also; /* other names, as tables of measurements use them; NULL: none */
    enum model_family family;
    uint32_t layers;
    uint64_t hidden, ffn, vocab, max_seq;
    uint32_t heads, kv_heads, head_dim;
    bool gated_mlp, tied_embeddings, parallel_block, qk_norm;
    enum bias_kind bias;
    enum norm_kind norm;
    bool norm_bias;           /* of layer norms; RMS norms have none */
    uint32_t norms_per_layer; /* 2; 4 where outputs are normed too (Gemma), 1: parallel block */
    bool embedding_norm;      /* BLOOM */
    bool masked_lm; /* BERT: not causal; segments, a transform before the head, a pooler */
    enum position_kind position;
    uint64_t window;       /* sliding window of local layers, 0: none */
    uint32_t global_every; /* with a window: one layer in so many is global; 0: all local */
    double dropout;
    struct moe_spec moe;
    struct mla_spec mla;
    uint32_t mtp_layers; /* multi-token prediction: modules behind the last layer */
    uint64_t published_parameters, published_active; /* 0: unknown */
    const char *published_note; /* why our count differs by more than 1 %, or NULL */
    /* ResNet, DLRM: see resnet.h, dlrm.h */
    const struct resnet_spec *resnet;
    const struct dlrm_spec *dlrm;
};

/* `name`: a preset, one of a preset's `also` names, or a path (embedded_is_path()). Text is owned
 * by `arena`. */
enum status model_spec_load(struct model_spec *spec, const char *name, struct arena *arena,
                            struct notices *notices, struct diag *diag);

/* The same from memory; `name` is used in messages. */
enum status model_spec_parse(struct model_spec *spec, const char *name, const char *text,
                             size_t length, struct arena *arena, struct notices *notices,
                             struct diag *diag);

/* The name of the preset that is called so or has it in `also`, letter case apart; NULL if there is
 * none. */
const char *model_spec_find(const char *name);

/* Rule 3. */
bool model_layer_is_mixture(const struct model_spec *spec, uint32_t index);
bool model_layer_is_local(const struct model_spec *spec, uint32_t index);

/* All but multi-token prediction modules, which published counts leave out. */
uint64_t model_spec_parameters(const struct model_spec *spec);
uint64_t model_spec_active_parameters(const struct model_spec *spec); /* of one token */

/* Model flops of one sequence of `seq` tokens, forward and backward, without recompute: 3 x the
 * forward products, with attention over the pairs that the mask leaves, top-k and shared experts,
 * multi-token prediction. */
double model_spec_train_flops(const struct model_spec *spec, uint64_t seq);

#endif
