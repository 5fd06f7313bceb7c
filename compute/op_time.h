/*
 * op_time - how long one op takes on a device, by which model, and why.
 *
 * Rules:
 *  1. A model answers for the classes it knows on the devices that have what it needs, or declines;
 *     the next of the chain is asked. The last, roofline, answers always. Why a model declined that
 *     knows the class is in op_time.note.
 *  2. Pure: same device, shape and options, same time. Cheap enough for 10^6 calls a second once a
 *     shape's search is cached (op_time_cache).
 *  3. Times are of one kernel in a stream of kernels: without the host's launch cost, which the run
 *     adds where a framework pays it.
 */
#ifndef ORRERY_COMPUTE_OP_TIME_H
#define ORRERY_COMPUTE_OP_TIME_H

#include "compute/device.h"

enum op_model {
    OP_MODEL_AUTO, /* the chain: profile, attention / gemm / systolic / memory-bound, roofline */
    OP_MODEL_ROOFLINE,
    OP_MODEL_GEMM,
    OP_MODEL_SYSTOLIC,
    OP_MODEL_ATTENTION,
    OP_MODEL_MEMORY_BOUND,
    OP_MODEL_PROFILE,
    OP_MODEL_COUNT
};

/* Classes that a framework's kernels fall short of the device's best in alike. */
enum op_sort { OP_SORT_MATRIX, OP_SORT_ATTENTION, OP_SORT_MEMORY, OP_SORT_COUNT };

enum op_sort op_sort_of(enum op_class class);

struct op_time {
    double ns;
    enum op_model model; /* that answered */
    char reason[160];    /* "132 tiles of 128x256 in 1 wave, compute-bound, 78 % of peak" */
    const char *note;    /* rule 1: constant text, or NULL */
    bool is_extrapolated;
};

struct op_time_options {
    enum op_model model;             /* asked for; AUTO: the chain */
    bool is_sustained;               /* long steps: device_gemm.sustained in place of .efficiency */
    enum attention_kernel attention; /* the device's best if it has no such kernel */
    bool is_scalar; /* kernels bound by memory load one number at a time (scalar_loads) */
    double slowness[OP_SORT_COUNT]; /* times of each sort are so many times longer; 0: 1 */
    const struct profile *profile;  /* measured times, or NULL (compute/profile.h) */
};

/* One model: row of the table in compute/op_models.c; index = enum op_model; NULL: AUTO. */
struct op_model_ops {
    const char *name, *summary;
    /* False if it declines, with why (constant text; NULL: the class is none of its own). */
    bool (*time)(const struct device *device, const struct op_shape *shape,
                 const struct op_time_options *options, struct op_time *out, const char **why);
};
extern const struct op_model_ops *const op_models[OP_MODEL_COUNT];

/* Order of the chain, ending with OP_MODEL_ROOFLINE. */
extern const enum op_model op_chain[];
extern const uint32_t op_chain_count;

/* The model of that name ("auto" too), or OP_MODEL_COUNT. */
enum op_model op_model_find(const char *name);
const char *op_model_name(enum op_model model);

/* False only if a single model was asked for and declined. */
bool op_time(const struct device *device, const struct op_shape *shape,
             const struct op_time_options *options, struct op_time *out, const char **why);

#endif
