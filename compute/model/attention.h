/*
 * attention - fused (flash) attention, forward and backward: query tiles on cores, products,
 * exponentials, memory.
 *
 * A core takes one query tile of one head (tile_q queries) and goes through the key tiles (tile_kv
 * keys) that any of its queries sees, whole tiles: causal masks and windows leave tiles out, not
 * parts of them.
 *
 *     pair    = tile_q x tile_kv scores
 *     product = 4 x tile_q x tile_kv x D / (efficiency x peak / cores)      backward: 10 x
 *     exp     = exposed_exp_ratio x tile_q x tile_kv / (special rate / cores)
 *     tile(i) = tile_ns + key tiles of query tile i x (product + exp)
 *     work    = batch x heads x sum of tile(i) / cores
 *     compute = max(longest tile, work + tail_ratio x longest tile)
 *     time    = start + max(compute, bytes / memory rate) + passes
 *
 * D is head_dim in whole 16. Each score has one exponential, which a core makes at 16 a clock on
 * most GPUs: at D = 64 on Hopper they cost about as much as the products. They are added, not
 * hidden: so the rates of FlashAttention-3 at D = 64, 128 and 256 (about 500, 650 and 750 TFLOP/s,
 * its figure 5) come out with one efficiency, and 1,322 measured context kernels on H200, where the
 * exposed share was left free, fit within 8 % of 1. Blackwell's kernels hide part of it
 * (exposed_exp_ratio).
 *
 * The last tiles run while other cores idle; kernels that begin with the longest tile waste less
 * (tail_ratio). Queries that do not fill a tile (decoding) take the heads that share a key head
 * into one tile, and where cores are left over, keys are split between them (flash-decoding).
 *
 * Bytes: queries and results of all heads once, keys and values by kv_heads (op_shape). Backward
 * kernels make two passes over memory more: dO.O before, and dQ from fp32 after (FlashAttention's
 * preprocess, postprocess): O, dO, 4 bytes zeroed, 4 read, dQ written of every query number.
 *
 * The power limit of long steps (options->is_sustained) changes nothing: rates of attention are
 * published from long runs, and its products keep the matrix units less busy than the limit allows.
 * Of the published DeepSeek-V3 profile, where traffic takes 20 of 132 cores, forward comes out 12 %
 * slower and backward 1 % faster on the 112 others (make agree-compute, part profile).
 *
 * Variable length: a shape has its mean lengths and the flops of what is really computed (flops=N
 * in the text form): a packed batch of unequal sequences has more than the formula, documents that
 * do not see each other fewer. Pairs are taken times flops / formula, the longest tile times the
 * square root of that.
 *
 * Worked: H100, bf16, 1 x 8192, 32 heads, D = 128, causal, efficiency 0.8, exposed 1, tile_ns 0:
 * product = 4 x 128 x 128 x 128 / (0.8 x 989.4e12 / 132) = 1.399 us, exp = 16384 / (4.18e12 / 132)
 * = 0.517 us; 64 query tiles with 1 .. 64 key tiles, 2080 pairs in all: work = 32 x 2080 x 1.916 us
 * / 132 = 966 us.
 *
 * Sources: Dao, "FlashAttention-2", arXiv:2307.08691; Shah et al., "FlashAttention-3",
 * arXiv:2407.08608 (tiles, exponentials against products, section 3). Parameters: configs/devices.
 */
#ifndef ORRERY_COMPUTE_MODEL_ATTENTION_H
#define ORRERY_COMPUTE_MODEL_ATTENTION_H

#include "compute/op_time.h"

/* Query tiles of one head, the key tiles they go through in all, and those of the longest. */
struct attention_tiles {
    uint64_t query_tiles, pairs, longest;
};

/* Closed form. A shape without queries or visible keys has none. */
struct attention_tiles attention_tiles(const struct op_shape *shape, uint64_t tile_q,
                                       uint64_t tile_kv);

extern const struct op_model_ops op_model_attention;

#endif
