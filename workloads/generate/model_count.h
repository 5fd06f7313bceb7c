/*
 * model_count - exact parameter and multiply-add counts of the pieces of a transformer, whole or of
 * one tensor-parallel rank.
 *
 * With h hidden, d head size, a heads, g key/value heads, f feed-forward size, t tensor-parallel
 * ranks:
 *   attention   h (a + 2 g) d + a d h           products; + biases, + 2 d of query and key norms
 *   mlp         2 h f, gated 3 h f
 *   norm        h, with bias 2 h
 * Llama-3 8B (h 4096, a 32, g 8, d 128, f 14336): 41,943,040, 176,160,768 and 4,096.
 * A rank holds a / t heads and max(1, g / t) key/value heads: they are copied where g < t.
 *
 * Rules:
 *  1. `tp` divides heads and feed-forward size (train_plan_check()); the vocabulary is padded up to
 *     a multiple.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_MODEL_COUNT_H
#define ORRERY_WORKLOADS_GENERATE_MODEL_COUNT_H

#include "workloads/generate/model_spec.h"

/* Parameters of one rank of `tp`. Of a layer without routed experts: attention, norms, and the mlp
 * or router and shared experts. */
uint64_t count_layer(const struct model_spec *spec, bool is_mixture, uint32_t tp);
/* One routed expert. */
uint64_t count_expert(const struct model_spec *spec, uint32_t expert_tp);
uint64_t count_embedding(const struct model_spec *spec, uint32_t tp);
/* Final norm and output matrix; `is_tied_copy`: the matrix is counted even if it is the
 * embedding's. */
uint64_t count_head(const struct model_spec *spec, uint32_t tp, bool is_tied_copy);
/* A multi-token prediction module but for its layer, head and embedding, which are others' own or
 * shared. */
uint64_t count_mtp(const struct model_spec *spec);

/* Key/value heads of one rank, vocabulary rows of one rank. */
uint32_t count_kv_heads(const struct model_spec *spec, uint32_t tp);
uint64_t count_vocab(const struct model_spec *spec, uint32_t tp);

/* Pairs of positions that attention of `seq` tokens looks at: causal seq (seq + 1) / 2, with a
 * window w < seq w seq - w (w - 1) / 2, not causal seq^2. */
uint64_t count_pairs(const struct model_spec *spec, uint64_t seq, bool is_local);

#endif
