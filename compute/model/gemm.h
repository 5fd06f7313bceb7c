/*
 * gemm - matrix products on GPUs: tiles, waves, split K, and what caches and memory carry.
 *
 * A library cuts the result into tiles of tm x tn, and with split K the depth into s parts; each
 * unit goes to a core. For every tile that the libraries of the device's generation have, and
 * s = 1, 2, 4, 8, 16:
 *
 *   units   = batch x ceil(m / tm) x ceil(n / tn) x s     (grouped: a group's rows in place of m)
 *   waves   = u + wave-ratio x (ceil(u) - u), at least 1;          u = units / cores
 *   share   = efficiency x (1 + L (1/128 + 1/256)) / (1 + L (1/tm + 1/tn)),   L = tile-loss
 *   compute = waves x (2 tm tn depth / (share x peak / cores) + tile),  depth = k / s to 128 B
 *   memory  = (read + write) / (bandwidth-ratio x bandwidth) + ramp
 *   cache   = (units x (tm + tn) x depth x bytes + sums) / (cache-ratio x cache-bandwidth),
 *             sums = 8 s m n batch if s > 1
 *   time    = start + (compute^6 + memory^6 + cache^6)^(1/6) (+ start / 2 if s > 1: for the sum)
 *
 * and the least time is taken. Rules:
 *  1. Parameters are measured.gemm of the device. Between a burst and the power limit, efficiency
 *     is sustained + (efficiency - sustained) / (1 + t / burst), t: the time at efficiency;
 *     options->is_sustained takes sustained.
 *  2. A type that the device does not multiply runs as the next wider one (device_multiplies_as());
 *     its bytes stay.
 *  3. A convolution is an implicit product; its gathers cost a quarter of the rate (0.55 to 0.65 of
 *     peak on A100 and H100 in published ResNet profiles, against 0.8 of products).
 *  4. Groups of a grouped product are taken as of equal size; who knows better adds the busiest
 *     group's rows.
 *
 * Worked: h100-sxm, 4096^3 bf16: 512 tiles of 128 x 256 on 132 SMs: 4 waves of 2 x 128 x 256 x 4096
 * / (0.87 x 7.495 TFLOP/s) + 1.57 us = 42.7 us; 171 us, + 4 us; measured: 176 us
 * (tests/agree/compute).
 * Sources: the idea of tiles and waves is NVIDIA's "Matrix multiplication background" guide; the
 * form is ours.
 */
#ifndef ORRERY_COMPUTE_MODEL_GEMM_H
#define ORRERY_COMPUTE_MODEL_GEMM_H

#include "compute/op_time.h"

extern const struct op_model_ops op_model_gemm;

#endif
