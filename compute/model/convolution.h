/*
 * convolution - a convolution as the matrix product that an array computes (implicit GEMM).
 *
 * m = positions of the result, n = filters, k = channels x filter area. Two countings of positions:
 * true, floor((in + 2 pad - dilation (filter - 1) - 1) / stride) + 1; and SCALE-Sim's,
 * ceil((in - filter + stride) / stride), which counts a last window that hangs over the edge (its
 * words outside do not exist). Equal if stride divides in - filter. 230 wide, filter 7, stride 2:
 * true 112, SCALE-Sim 113.
 *
 * Rules:
 *  1. A padded input is written with its padding included, or with `pad`; SCALE-Sim knows no pad.
 *  2. 0 as stride, dilation, batch or groups is 1. Groups are products of their own: `count` times.
 */
#ifndef ORRERY_COMPUTE_MODEL_CONVOLUTION_H
#define ORRERY_COMPUTE_MODEL_CONVOLUTION_H

#include "base/diag.h"
#include "compute/model/systolic.h"

struct convolution {
    uint64_t batch, groups;
    uint64_t input_height, input_width, channels;
    uint64_t filter_height, filter_width, filters;
    uint64_t stride_height, stride_width;
    uint64_t pad_height, pad_width, dilation;
};

enum convolution_counting { CONVOLUTION_TRUE, CONVOLUTION_SCALESIM };

struct convolution_gemm {
    struct systolic_gemm gemm;
    uint64_t count;                       /* products: groups */
    uint64_t output_height, output_width; /* positions */
};

/* Fails if a filter is larger than its input, or if groups do not divide channels and filters. */
enum status convolution_gemm(struct convolution_gemm *result, const struct convolution *conv,
                             enum convolution_counting counting, struct diag *diag);

#endif
