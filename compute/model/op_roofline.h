/*
 * op_roofline - the plainest time of an op: the slower of arithmetic and memory, after a start.
 *
 *   time = start + max(flops / rate, bytes / (bandwidth-ratio x bandwidth))
 *
 * Rules:
 *  1. Products and attention run at efficiency x peak of the type that device_multiplies_as()
 *     names, everything else at the vector rate. start, efficiency and bandwidth-ratio are
 *     measured.gemm of the device.
 *  2. It answers always. It knows nothing of tiles, waves and caches: small and odd shapes come out
 *     too fast.
 * Worked: gemm 4096^3 bf16 on h100-sxm (efficiency 0.8, start 2.5 us): 1.374e11 / (0.8 x 989.4e12)
 * + 2.5 us = 176 us.
 * Source: Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009.
 */
#ifndef ORRERY_COMPUTE_MODEL_OP_ROOFLINE_H
#define ORRERY_COMPUTE_MODEL_OP_ROOFLINE_H

#include "compute/op_time.h"

extern const struct op_model_ops op_model_roofline;

#endif
