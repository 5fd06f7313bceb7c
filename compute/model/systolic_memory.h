/*
 * systolic_memory - DRAM traffic of a matrix product with memory on chip, and how long the array
 * waits for it.
 *
 * Half of the memory on chip holds what is worked on, the other half is filled meanwhile (double
 * buffer), so the array waits for the first fold's operand, and for whatever traffic takes longer
 * than computing:
 *
 *   cycles = first + max(compute, bytes / rate)
 *
 * Traffic is that of the best of three plans: a block of results stays while inputs and filters
 * stream past it (each is read once per block column or row), or all inputs stay, or all filters
 * stay (all is read once). The largest square block needs the least traffic: Hong, Kung, "I/O
 * complexity: the red-blue pebble game", STOC 1981. 8192 x 8192 x 8192 of 2-byte words in 128 MiB,
 * 4-byte sums: blocks of 4096 (half, 64 MiB / 4 B, is 4096^2); inputs twice, filters twice, results
 * once: 5 x 128 MiB.
 *
 * Rules:
 *  1. O(1), in doubles. A rate of 0 is no limit; no memory on chip is blocks of 1.
 *  2. SCALE-Sim's memories are another thing: scalesim.h.
 */
#ifndef ORRERY_COMPUTE_MODEL_SYSTOLIC_MEMORY_H
#define ORRERY_COMPUTE_MODEL_SYSTOLIC_MEMORY_H

#include "compute/model/systolic.h"

struct systolic_memory {
    double held_bytes;                              /* on chip, both halves */
    double input_bytes, filter_bytes, output_bytes; /* of a word */
    double sum_bytes;                               /* of a partial sum */
    double bytes_per_cycle;                         /* of DRAM */
};

struct systolic_traffic {
    uint64_t block_m, block_n; /* of results that stay */
    double bytes;              /* of DRAM */
    double first_cycles;       /* for the operand of the first fold */
    double stall_cycles;       /* in all; the product takes compute_cycles and these */
};

void systolic_traffic(struct systolic_traffic *traffic, const struct systolic_memory *memory,
                      const struct systolic_array *array, const struct systolic_gemm *gemm,
                      double compute_cycles);

#endif
