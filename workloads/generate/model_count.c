#include "workloads/generate/family.h"
#include "workloads/generate/model_count.h"

/* -- parameters ------------------------------------------------------------------------------- */

uint32_t count_kv_heads(const struct model_spec *spec, uint32_t tp)
{
    return spec->kv_heads > tp ? spec->kv_heads / tp : 1;
}

uint64_t count_vocab(const struct model_spec *spec, uint32_t tp)
{
    return (spec->vocab + tp - 1) / tp;
}

static uint64_t count_norm(const struct model_spec *spec)
{
    return spec->norm == NORM_LAYER && spec->norm_bias ? 2 * spec->hidden : spec->hidden;
}

/* Down projections and their norms are on every rank, up projections by head. */
static uint64_t latent_attention(const struct model_spec *spec, uint32_t tp)
{
    const struct mla_spec *mla = &spec->mla;
    uint64_t heads = spec->heads / tp;
    uint64_t q_in = spec->hidden, all = 0;
    if (mla->q_rank) {
        all += spec->hidden * mla->q_rank + mla->q_rank;
        q_in = mla->q_rank;
    }
    all += q_in * heads * (mla->nope_dim + mla->rope_dim);
    all += spec->hidden * (mla->kv_rank + mla->rope_dim) + mla->kv_rank;
    all += mla->kv_rank * heads * (mla->nope_dim + mla->v_dim);
    return all + heads * mla->v_dim * spec->hidden;
}

static uint64_t count_attention(const struct model_spec *spec, uint32_t tp)
{
    if (spec->mla.kv_rank)
        return latent_attention(spec, tp);
    uint64_t q = (uint64_t)spec->heads / tp * spec->head_dim;
    uint64_t qkv = q + 2 * (uint64_t)count_kv_heads(spec, tp) * spec->head_dim;
    uint64_t all = spec->hidden * qkv + q * spec->hidden;
    if (spec->bias != BIAS_NONE)
        all += qkv;
    if (spec->bias == BIAS_ALL)
        all += spec->hidden;
    if (spec->qk_norm)
        all += 2 * (uint64_t)spec->head_dim;
    return all;
}

static uint64_t count_mlp(const struct model_spec *spec, uint64_t ffn, uint32_t tp)
{
    uint64_t up = (spec->gated_mlp ? 2 : 1) * (ffn / tp);
    uint64_t all = spec->hidden * up + ffn / tp * spec->hidden;
    return spec->bias == BIAS_ALL ? all + up + spec->hidden : all;
}

uint64_t count_layer(const struct model_spec *spec, bool is_mixture, uint32_t tp)
{
    uint64_t all = count_attention(spec, tp) + spec->norms_per_layer * count_norm(spec);
    if (!is_mixture)
        return all + count_mlp(spec, spec->ffn, tp);
    all += spec->hidden * spec->moe.experts;
    if (spec->bias == BIAS_ALL)
        all += spec->moe.experts;
    return spec->moe.shared_ffn ? all + count_mlp(spec, spec->moe.shared_ffn, tp) : all;
}

uint64_t count_expert(const struct model_spec *spec, uint32_t expert_tp)
{
    return count_mlp(spec, spec->moe.ffn, expert_tp);
}

uint64_t count_embedding(const struct model_spec *spec, uint32_t tp)
{
    uint64_t all = count_vocab(spec, tp) * spec->hidden;
    if (spec->position == POSITION_LEARNED)
        all += spec->max_seq * spec->hidden;
    if (spec->masked_lm)
        all += 2 * spec->hidden; /* two kinds of segment */
    return spec->embedding_norm ? all + count_norm(spec) : all;
}

/* BERT has no final norm, but dense + norm + bias before its head, and a pooler with a two-way
 * head. */
static uint64_t masked_lm_head(const struct model_spec *spec, uint32_t tp)
{
    uint64_t dense = spec->hidden * spec->hidden + spec->hidden;
    return 2 * dense + count_norm(spec) + count_vocab(spec, tp) + 2 * spec->hidden + 2;
}

uint64_t count_head(const struct model_spec *spec, uint32_t tp, bool is_tied_copy)
{
    uint64_t all = spec->masked_lm ? masked_lm_head(spec, tp) : count_norm(spec);
    if (!spec->tied_embeddings || is_tied_copy)
        all += count_vocab(spec, tp) * spec->hidden;
    return all;
}

uint64_t count_mtp(const struct model_spec *spec)
{
    return 2 * spec->hidden * spec->hidden + 3 * count_norm(spec);
}

/* -- layers ----------------------------------------------------------------------------------- */

bool model_layer_is_mixture(const struct model_spec *spec, uint32_t index)
{
    const struct moe_spec *moe = &spec->moe;
    return moe->experts && index >= moe->dense_layers && (index + 1) % moe->every == 0;
}

bool model_layer_is_local(const struct model_spec *spec, uint32_t index)
{
    return spec->window && !(spec->global_every && (index + 1) % spec->global_every == 0);
}

/* Layers whose feed-forward is a mixture. */
static uint32_t mixture_layers(const struct model_spec *spec)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < spec->layers; i++)
        count += model_layer_is_mixture(spec, i);
    return count;
}

static uint64_t parameters_with(const struct model_spec *spec, uint32_t experts)
{
    uint64_t mixture = mixture_layers(spec);
    uint64_t all = count_embedding(spec, 1) + count_head(spec, 1, false);
    all += (spec->layers - mixture) * count_layer(spec, false, 1);
    return all + mixture * (count_layer(spec, true, 1) + experts * count_expert(spec, 1));
}

uint64_t model_spec_parameters(const struct model_spec *spec)
{
    if (family_of(spec))
        return family_of(spec)->parameters(spec);
    return parameters_with(spec, spec->moe.experts);
}

uint64_t model_spec_active_parameters(const struct model_spec *spec)
{
    if (family_of(spec))
        return family_of(spec)->parameters(spec);
    return parameters_with(spec, spec->moe.top_k);
}

/* -- flops ------------------------------------------------------------------------------------ */

uint64_t count_pairs(const struct model_spec *spec, uint64_t seq, bool is_local)
{
    if (spec->masked_lm)
        return seq * seq;
    if (is_local && spec->window < seq)
        return spec->window * seq - spec->window * (spec->window - 1) / 2;
    return seq * (seq + 1) / 2;
}

/* Weights of a layer that a token is multiplied with: biases and norms are no products. */
static uint64_t layer_products(const struct model_spec *spec, bool is_mixture)
{
    struct model_spec bare = *spec;
    bare.bias = BIAS_NONE;
    bare.qk_norm = false;
    bare.norms_per_layer = 0;
    uint64_t all = count_layer(&bare, is_mixture, 1);
    if (spec->mla.kv_rank)
        all -= spec->mla.q_rank + spec->mla.kv_rank; /* norms of the compressed */
    return is_mixture ? all + spec->moe.top_k * count_expert(&bare, 1) : all;
}

/* Multiply-adds of one pair of positions, all heads: scores and values. */
static uint64_t pair_products(const struct model_spec *spec)
{
    const struct mla_spec *mla = &spec->mla;
    if (mla->kv_rank)
        return spec->heads * (uint64_t)(mla->nope_dim + mla->rope_dim + mla->v_dim);
    return 2 * (uint64_t)spec->heads * spec->head_dim;
}

static uint64_t head_products(const struct model_spec *spec)
{
    uint64_t transform = spec->masked_lm ? spec->hidden * spec->hidden : 0;
    return spec->vocab * spec->hidden + transform;
}

double model_spec_train_flops(const struct model_spec *spec, uint64_t seq)
{
    if (family_of(spec))
        return 6 * family_of(spec)->products(spec) * (double)seq;
    /* Multiply-adds of the forward pass; long double is exact to 2^64 and cannot overflow. */
    long double weights = (long double)head_products(spec), pairs = 0;
    for (uint32_t i = 0; i < spec->layers; i++) {
        weights += (long double)layer_products(spec, model_layer_is_mixture(spec, i));
        pairs += (long double)count_pairs(spec, seq, model_layer_is_local(spec, i));
    }
    uint64_t module = layer_products(spec, spec->moe.experts > 0) + head_products(spec) +
                      2 * spec->hidden * spec->hidden;
    weights += (long double)spec->mtp_layers * (long double)module;
    pairs += (long double)spec->mtp_layers * (long double)count_pairs(spec, seq, false);
    return (double)(6 * (weights * (long double)seq + (long double)pair_products(spec) * pairs));
}
