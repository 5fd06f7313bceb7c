/*
 * device - one accelerator: what its sheet says, and what was measured of it.
 *
 * Rules:
 *  1. Read from YAML: a preset (configs/devices/<name>.yaml, part of the program) or a user's own
 *     file. A file may begin with `like: <preset>`: it has everything that it does not say itself
 *     from there, but names. Unknown keys and numbers without units are refused.
 *  2. `facts` name the source of every number of a preset, and how far it was checked
 *     (configs/README.md); `of` lists keys, with dots for what is inside a map ("measured.gemm"). A
 *     user's file needs none.
 *  3. Rates are dense rates; a sheet's sparse number is never used. 0 means the device cannot or
 *     that it is not known: models that need it say so and pass the op on.
 *  4. `measured` parameters are fitted on measurements that the file's facts name: tables of
 *     kernels, whole; only `sustained` may be what training runs on the device show of its power
 *     limit, one value for all of them. A device without them takes those of the device it is like,
 *     or plain assumptions; a notice says so, and device.measured_of.
 *  5. A device is also found by the names it has in publications (`also:`), letter case, blanks and
 *     punctuation apart, and without what stands in parentheses: "A100-80GB SXM (Azure ND A100
 *     v4)".
 *
 * Keys: about, vendor, also, year, kind (gpu, systolic), generation, cores, clock, matrix-clock,
 * matrix-rows, matrix-columns, matrix-units, matrix-dataflow (weight, output, input), peak (map:
 * type to rate), vector, special, memory, bandwidth, cache, cache-bandwidth, shared, launch, power,
 * scale-up, scale-out, facts, measured: {gemm, attention, memory-bound, overlap-slowdown}.
 */
#ifndef ORRERY_COMPUTE_DEVICE_H
#define ORRERY_COMPUTE_DEVICE_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/notice.h"
#include "model/op_shape.h"

enum device_kind { DEVICE_GPU, DEVICE_SYSTOLIC };

/* What stays in a systolic array. */
enum device_dataflow { DATAFLOW_WEIGHT, DATAFLOW_OUTPUT, DATAFLOW_INPUT };

/* X(enumerator, name): matrix kernels of a generation are alike. */
#define DEVICE_GENERATION_LIST(X)                                                                  \
    X(GENERATION_OTHER, "other")                                                                   \
    X(GENERATION_PASCAL, "pascal")                                                                 \
    X(GENERATION_VOLTA, "volta")                                                                   \
    X(GENERATION_AMPERE, "ampere")                                                                 \
    X(GENERATION_HOPPER, "hopper")                                                                 \
    X(GENERATION_BLACKWELL, "blackwell")                                                           \
    X(GENERATION_CDNA, "cdna")                                                                     \
    X(GENERATION_GAUDI, "gaudi")                                                                   \
    X(GENERATION_TPU, "tpu")                                                                       \
    X(GENERATION_TRAINIUM, "trainium")

enum device_generation {
#define X(name, text) name,
    DEVICE_GENERATION_LIST(X)
#undef X
        GENERATION_COUNT
};

/* Formula: compute/model/gemm.h. */
struct device_gemm {
    double start_ns;                    /* of a kernel in a stream of kernels */
    double tile_ns;                     /* begin and end of one tile on a core */
    double efficiency[DATA_TYPE_COUNT]; /* of peak, at best, in bursts; 0: as bf16 */
    double sustained[DATA_TYPE_COUNT];  /* of peak, in long steps at the power limit; 0: as bf16 */
    double burst_ns;   /* a kernel of this length is half way from one to the other; 0: never */
    double tile_loss;  /* numbers: how much smaller tiles are slower */
    double wave_ratio; /* of the idle part of the last wave that is really lost */
    double bandwidth_ratio; /* of memory bandwidth */
    double ramp_ns;         /* until memory delivers it */
    double cache_ratio;     /* of cache bandwidth */
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

/* time = start + bytes / (ratio x memory rate), faster where all fits the cache
 * (compute/model/memory_bound.h) */
struct device_memory_bound {
    double start_ns;              /* of a kernel in a stream of kernels: ramp and drain */
    double ratio[OP_CLASS_COUNT]; /* of memory bandwidth, large sizes; 0: as elementwise */
    double scalar_loads;          /* numbers that a core loads per clock, one at a time; 0: 2.3 */
    double cache_speedup;         /* of the rate, where everything fits the cache; 0: none */
};

struct device {
    const char *name, *vendor, *about;
    const char *const *also; /* NULL-terminated, or NULL */
    const char *measured_of; /* rule 4: name of the file, or NULL: assumed */
    uint32_t year;
    enum device_kind kind;
    enum device_generation generation;
    enum device_dataflow dataflow;                      /* systolic */
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
    /* Per direction; for the reader: a run's rates are its network's. */
    double scale_up_Bps, scale_out_Bps;
    struct device_gemm gemm;
    struct device_attention attention[ATTENTION_KERNEL_COUNT]; /* tile_q 0: it has no such kernel */
    struct device_memory_bound memory_bound;
    double overlap_slowdown; /* compute takes this much longer while collectives run: 0.1 = 10 % */
};

/* `name`: a file that is there (with a '/' or ending in .yaml), a preset, or a published name (rule
 * 5). Text is owned by `arena`. */
enum status device_load(struct device *device, const char *name, struct arena *arena,
                        struct notices *notices, struct diag *diag);

/* The same from memory: a user's file called `name`. */
enum status device_parse(struct device *device, const char *name, const char *text, size_t length,
                         struct arena *arena, struct notices *notices, struct diag *diag);

/* The type that the matrix units multiply numbers of `type` as: itself if there is a peak rate of
 * it, else the next wider one that has (fp8 of an A100: bf16; tf32 of a V100: fp32).
 * DATA_TYPE_COUNT if none has. */
enum data_type device_multiplies_as(const struct device *device, enum data_type type);

/* A share of a table by type (efficiency, sustained, forward ..): that of bf16 where it has
 * none. */
double device_share(const double table[DATA_TYPE_COUNT], enum data_type type);

/* Names of the presets, NULL-terminated, sorted; owned by `arena`. */
const char *const *device_names(struct arena *arena);

/* The preset of that name or published name, or NULL. Reads every preset: not for loops. */
const char *device_find(const char *words);

#endif
