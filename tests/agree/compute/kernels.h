/*
 * kernels - attention and memory-bound models against published kernel times
 * (data/validation/kernels.csv).
 *
 * Rules:
 *  1. A row is one measurement. What it ran and how it was timed follows from its series
 *     (kernels_map.c): which kernel, what ran beside it, how much host time is in it. Nothing is
 *     chosen by what a row measured.
 *  2. Rows that cannot be mapped are counted under their reason; nothing is dropped. Rows whose
 *     source leaves the shape open are compared with a usual one, apart, and do not count.
 *  3. The error of a row is |predicted - measured| / measured time; rows that print a rate only are
 *     turned into the time it means. Rows from 20 us are judged, by class and vendor.
 */
#ifndef ORRERY_TESTS_AGREE_COMPUTE_KERNELS_H
#define ORRERY_TESTS_AGREE_COMPUTE_KERNELS_H

#include <stdbool.h>

#include "compute/op_time.h"

enum kernel_column {
    KERNEL_ID,
    KERNEL_SERIES,
    KERNEL_HARDWARE,
    KERNEL_OP,
    KERNEL_SHAPE,
    KERNEL_TIME,
    KERNEL_TYPE,
    KERNEL_BYTES,
    KERNEL_NOTE,
    KERNEL_TFLOPS,
    KERNEL_VALUE_TBPS,
    KERNEL_VALUE_TFLOPS,
    KERNEL_COLUMNS
};

enum { KERNEL_STEPS = 2 };

struct kernel_case {
    const char *label;                  /* the op, as the table by class has it */
    struct op_shape step[KERNEL_STEPS]; /* one after the other; class OP_CLASS_NONE: none */
    struct op_time_options options;
    double host_ns; /* host time that the source's timings have in them */
    double measured_us;
    const char *guess;    /* what is thought to be wrong where it is, or NULL */
    bool is_assumed;      /* rule 2 */
    const char *unmapped; /* constant text: why it is none; NULL if it is */
};

/* `cell`: the columns of a row. `device` is that of its hardware. */
void kernel_map(const char *const *cell, const struct device *device, struct kernel_case *one);

/* Nanoseconds of a case by the models, all steps and host time. */
double kernel_case_ns(const struct kernel_case *one, const struct device *device);

#endif
