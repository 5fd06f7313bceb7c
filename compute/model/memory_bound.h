/*
 * memory_bound - norms, softmax, element-wise ops, embedding, optimizer, loss and permutations:
 * bytes over bandwidth.
 *
 *     time = start + max(bytes / rate, flops / vector rate, numbers loaded singly / load rate)
 *     rate = ratio of the class x memory bandwidth
 *
 * bytes = read_bytes + write_bytes: an op that passes over its input twice says so in its bytes.
 * The start is what makes bandwidth a curve over size: a kernel of start x rate bytes reaches half
 * of it. H100 (2 us, 0.92 of 3.35 TB/s): half at 6 MB, 96 % at 150 MB. OpenXLA's measured table of
 * bandwidth over size is start + launch + bytes over one rate within 3 % on Ampere and Hopper,
 * which is why there is one.
 *
 * Up to half the last-level cache the rate is `cache_speedup` times as high, and falls to plain at
 * its size:
 *
 *     share = clamp(2 - 2 bytes / cache, 0, 1)
 *     time  = start + bytes / rate x (1 - share x (1 - 1 / speedup))
 *
 * Scalar kernels (options->is_scalar: one number per thread and load, as in early vLLM and in much
 * hand-written CUDA) are bound by loads in flight, whatever they write: each number read costs 1 /
 * (scalar_loads x cores x clock). 2.2 (A100) to 2.45 (H100) loads per clock and core fit vLLM's
 * gated activation, GELU, RMS norm and rotary embedding alike: H100 loads 2.45 x 132 x 1.98 GHz =
 * 640e9 numbers/s, 1.3 TB/s of bf16, whatever its memory does.
 *
 * Worked: H100 add of bf16, 4096 x 8192: 201.3 MB / (0.92 x 3.35 TB/s) + 2 us = 67.3 us.
 */
#ifndef ORRERY_COMPUTE_MODEL_MEMORY_BOUND_H
#define ORRERY_COMPUTE_MODEL_MEMORY_BOUND_H

#include "compute/op_time.h"

/* Share of memory bandwidth that a class reaches at large sizes: the device's, else its
 * element-wise one, else 0.8. */
double memory_bound_ratio(const struct device *device, enum op_class class);

extern const struct op_model_ops op_model_memory_bound;

#endif
