/*
 * device - one accelerator: what its sheet says, and what was measured of it.
 *
 * Rules:
 *  1. Read from YAML: a preset (configs/devices/<name>.yaml, part of the program) or a user's own file,
 *     which may begin with `like: h100-sxm`. Every number in a preset has a source there.
 *  2. Rates are dense rates; a sheet's sparse number is never used. 0 means the device cannot or that it
 *     is not known: models that need it say so and pass the op on.
 *  3. `measured` parameters are fitted on measurements named in the file (kernel tables, never on a
 *     training run). A device without them takes its generation's, which a notice says.
 */
#ifndef ORRERY_COMPUTE_DEVICE_H
#define ORRERY_COMPUTE_DEVICE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/notice.h"
#include "model/op_shape.h"

enum device_kind { DEVICE_GPU, DEVICE_SYSTOLIC };

/* time = start + max(flops / (efficiency x peak), bytes / (bandwidth_ratio x memory rate)), refined by models */
struct device_gemm {
    double start_ns;                    /* of a kernel in a stream of kernels */
    double efficiency[DATA_TYPE_COUNT]; /* of peak, at best, in bursts; 0: as bf16 */
    double sustained[DATA_TYPE_COUNT];  /* of peak, over a long step under the power limit */
    double bandwidth_ratio;             /* of memory bandwidth */
};

/* Formula: compute/model/attention.h. */
struct device_attention {
    double start_ns;                  /* of a kernel in a stream of kernels */
    double forward[DATA_TYPE_COUNT];  /* of matrix peak while it multiplies; 0: as bf16 */
    double backward[DATA_TYPE_COUNT]; /* the same */
    double exposed_exp_ratio;         /* of the exponentials' time that products do not hide */
    double tile_ns;                   /* begin and end of one query tile on a core */
    double tail_ratio;                /* of the longest tile: cores that idle at the end */
    uint32_t tile_q, tile_kv;         /* 0: there is no such kernel */
};

/* time = start + bytes / (ratio x memory rate), faster where all fits the cache (compute/model/memory_bound.h) */
struct device_memory_bound {
    double start_ns; /* of a kernel in a stream of kernels: ramp and drain */
    double ratio
        [OP_CLASS_COUNT]; /* of memory bandwidth for large sizes, by class; 0: as elementwise */
    double scalar_ratio;  /* of kernels that load one 16-bit number at a time; 0: 0.5 */
    double cache_speedup; /* of the rate, where everything fits the cache; 0: none */
};

struct device {
    const char *name, *vendor, *about, *source;
    uint32_t year;
    enum device_kind kind;
    uint32_t cores;                                     /* SMs, CUs, TensorCores */
    double clock_hz;                                    /* boost, vector units */
    double matrix_clock_hz;                             /* that peak_flops assumes */
    uint32_t matrix_rows, matrix_columns, matrix_units; /* systolic: array shape, arrays per core */
    double peak_flops[DATA_TYPE_COUNT]; /* matrix units, dense, flop/s, whole device */
    double vector_flops;                /* fp32, flop/s */
    double special_flops;               /* exp, tanh, ..: per second */
    double memory_bytes, memory_Bps;
    double cache_bytes, cache_Bps; /* last level on chip */
    double shared_bytes;           /* per core: shared memory, VMEM */
    double launch_ns;              /* host time to launch one kernel, eager */
    double power_watts;
    double scale_up_Bps, scale_out_Bps; /* per direction and device */
    struct device_gemm gemm;
    struct device_attention attention[ATTENTION_KERNEL_COUNT]; /* tile_q 0: it has no such kernel */
    struct device_memory_bound memory_bound;
    double overlap_slowdown; /* compute takes this much longer while collectives run: 0.1 = 10 % */
};

/* `name`: a preset, or a path if it has a '/' or ends in .yaml. Text is owned by `arena`. */
enum status device_load(struct device *device, const char *name, struct arena *arena,
                        struct notices *notices, struct diag *diag);

/* Names of the presets, NULL-terminated, sorted. */
const char *const *device_names(void);

#endif
