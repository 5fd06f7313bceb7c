/*
 * roofline - time = operations / min(memory bandwidth x operational intensity, peak).
 *
 * Operational intensity = flop_count / size_bytes. In doubles, in ASTRA-sim's order, truncated to
 * whole nanoseconds: 1e12 flop on 1e9 B with 100 TFLOP/s and 1000 GB/s: intensity 1000 flop/B,
 * min(1e15, 1e14) = 1e14 flop/s, 10 ms.
 * Source: Williams, Waterman, Patterson, "Roofline", CACM 52(4), 2009.
 *
 * No operations: the bytes alone take their time. No bytes: free in the ASTRA-sim dialect
 * (system->zero_bytes_is_free), compute-bound otherwise.
 */
#ifndef ORRERY_COMPUTE_MODEL_ROOFLINE_H
#define ORRERY_COMPUTE_MODEL_ROOFLINE_H

#include "model/compute.h"

extern const struct compute_ops compute_roofline;

#endif
