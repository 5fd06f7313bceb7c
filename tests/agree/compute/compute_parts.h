/*
 * compute_parts - the parts of `make agree-compute` (tests/agree/part/part.h has their rules).
 * Errors are summed up by tests/agree/compute/errors.h, tables read by tests/agree/published/csv.h.
 */
#ifndef ORRERY_TESTS_AGREE_COMPUTE_PARTS_H
#define ORRERY_TESTS_AGREE_COMPUTE_PARTS_H

#include "tests/agree/part/part.h"

/* gemm.csv: NVIDIA bf16, fp16, fp8 median 8 %, mean 12 % from 20 us; AMD and TPU 20 %. */
enum status agree_gemm(const char *shared, bool brief, FILE *out, struct part_count *count,
                       struct diag *diag);

/* scalesim_reference.csv: cycles, stalls, utilisation and accesses of every row, exactly. */
enum status agree_systolic(const char *shared, bool brief, FILE *out, struct part_count *count,
                           struct diag *diag);

/* kernels.csv: attention and memory-bound ops, by class, the same lines. */
enum status agree_kernels(const char *shared, bool brief, FILE *out, struct part_count *count,
                          struct diag *diag);

/* OpenXLA's bandwidth over size. */
enum status agree_bandwidth(const char *shared, bool brief, FILE *out, struct part_count *count,
                            struct diag *diag);

/* Kernels of a published training profile: information. */
enum status agree_profile(const char *shared, bool brief, FILE *out, struct part_count *count,
                          struct diag *diag);

#endif
