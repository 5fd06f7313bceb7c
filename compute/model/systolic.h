/*
 * systolic - how many cycles a matrix product takes on a systolic array, in closed form.
 *
 * An array of R x C multipliers computes (M x K) . (K x N) in folds: what stays in the array is cut
 * into pieces of R x C, and each piece has the third dimension streamed past it.
 *
 *   dataflow   stays      height   width   stream   cycles of a fold
 *   output     results    M        N       K        R + C + K - 2
 *   weight     filters    K        N       M        2R + C + M - 2
 *   input      inputs     K        M       N        2R + C + N - 2
 *
 * R + C - 2 is the skew of the wavefront; what is stationary, except results, is loaded in R
 * cycles. Source: Samajdar et al., "A systematic methodology for characterizing scalability of DNN
 * accelerators using SCALE-Sim", ISPASS 2020, in the form that the code of SCALE-Sim v2 and v3
 * computes. 256 x 128 x 256 (M, N, K) on 32 x 32: 8 x 4 folds of 318: 10,176; weight 350: 11,200;
 * input 222 of 8 x 8 folds: 14,208. (SCALE-Sim prints the number of the last cycle, which is one
 * less.)
 *
 * Rules:
 *  1. All is O(1). Cycles and words saturate at UINT64_MAX.
 *  2. Dimensions are at least 1 (promise).
 *  3. Folds are independent, so `arrays` arrays take ceil(folds / arrays) of them after each other.
 */
#ifndef ORRERY_COMPUTE_MODEL_SYSTOLIC_H
#define ORRERY_COMPUTE_MODEL_SYSTOLIC_H

#include <stdint.h>

enum systolic_dataflow { SYSTOLIC_OUTPUT, SYSTOLIC_WEIGHT, SYSTOLIC_INPUT, SYSTOLIC_DATAFLOWS };

struct systolic_array {
    uint64_t rows, columns;
    uint64_t arrays; /* that share the folds; 0 is 1 */
    enum systolic_dataflow dataflow;
};

struct systolic_gemm {
    uint64_t m, n, k;
};

struct systolic_folds {
    uint64_t height, width, stream;   /* the table above */
    uint64_t down, across;            /* fold grid: ceil(height / R), ceil(width / C) */
    uint64_t last_rows, last_columns; /* of the array that the last fold of a direction uses */
    uint64_t fold_cycles;
};

struct systolic_time {
    uint64_t folds, cycles;
    double mapped_ratio; /* of the multipliers hold something; mean over folds */
    double busy_ratio;   /* multiply-adds done / (multipliers x cycles) */
};

/* Words that go between the array and its memories when nothing is kept between folds. */
struct systolic_reads {
    uint64_t input, filter, output; /* output: written; partial sums of each fold count */
};

/* Names: "output", "weight", "input"; "os", "ws", "is" are found too. SYSTOLIC_DATAFLOWS if
 * none. */
const char *systolic_dataflow_name(enum systolic_dataflow dataflow);
enum systolic_dataflow systolic_dataflow_find(const char *name);

void systolic_fold(struct systolic_folds *folds, const struct systolic_array *array,
                   const struct systolic_gemm *gemm);

void systolic_time(struct systolic_time *time, const struct systolic_array *array,
                   const struct systolic_gemm *gemm);

void systolic_reads(struct systolic_reads *reads, const struct systolic_array *array,
                    const struct systolic_gemm *gemm);

/* a x b, at most UINT64_MAX. */
static inline uint64_t systolic_times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* a / b, rounded up; b > 0. */
static inline uint64_t systolic_ceil_div(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

#endif
