#include "compute/model/systolic_op.h"

#include <inttypes.h>
#include <stdio.h>

enum { SUM_BYTES = 4, SUBLANES = 8, SUBLANE_BITS = 32 };

static const enum systolic_dataflow dataflows[] = {
    [DATAFLOW_WEIGHT] = SYSTOLIC_WEIGHT,
    [DATAFLOW_OUTPUT] = SYSTOLIC_OUTPUT,
    [DATAFLOW_INPUT] = SYSTOLIC_INPUT,
};

/* The product of each batch entry or group, and how many. */
static void product_of(const struct op_shape *shape, struct systolic_gemm *gemm, uint64_t *count)
{
    *count = shape->batch > 0 ? shape->batch : 1;
    *gemm = (struct systolic_gemm){shape->m, shape->n, shape->k};
    if (shape->class == OP_CLASS_GROUPED_GEMM)
        gemm->m = systolic_ceil_div(shape->m, *count);
}

static enum data_type multiplied_as(const struct device *device, enum data_type type)
{
    enum data_type as = device_multiplies_as(device, type);
    bool has_default = type == TYPE_FP32 || type == TYPE_TF32 || type == TYPE_FP16;
    if (as == DATA_TYPE_COUNT && has_default && device->peak_flops[TYPE_BF16] > 0)
        return TYPE_BF16;
    return as;
}

static uint64_t padded(const struct device *device, enum data_type type, uint64_t stream)
{
    if (device->generation != GENERATION_TPU)
        return stream;
    uint64_t bits = 8 * data_type_bytes(type, 1);
    uint64_t tile = bits < SUBLANE_BITS ? SUBLANES * SUBLANE_BITS / bits : SUBLANES;
    return systolic_times(systolic_ceil_div(stream, tile), tile);
}

static void count_cycles(struct systolic_op *op, const struct device *device, enum data_type type,
                         const struct systolic_gemm *gemm, uint64_t count)
{
    struct systolic_folds folds;
    systolic_fold(&folds, &op->array, gemm);
    op->passes = systolic_times(systolic_times(folds.down, folds.across), count);
    uint64_t rows = op->array.rows,
             most = op->array.dataflow == SYSTOLIC_OUTPUT ? 1 : op->array.arrays;
    uint64_t best = UINT64_MAX;
    op->parts = 1;
    for (uint64_t parts = 1; parts <= most; parts *= 2) {
        uint64_t stream = padded(device, type, systolic_ceil_div(folds.stream, parts));
        uint64_t rounds = systolic_ceil_div(systolic_times(op->passes, parts), op->array.arrays);
        uint64_t cycles = systolic_times(rounds, stream > rows ? stream : rows);
        if (cycles < best) {
            best = cycles;
            op->parts = parts;
        }
    }
    uint64_t fill = 2 * rows + op->array.columns - 2;
    op->cycles = best < UINT64_MAX - fill ? best + fill : UINT64_MAX;
}

static void count_traffic(struct systolic_op *op, const struct device *device,
                          const struct op_shape *shape, const struct systolic_gemm *gemm,
                          uint64_t count)
{
    double vmem = device->shared_bytes * device->cores;
    struct systolic_memory memory = {
        .held_bytes = device->cache_bytes > vmem ? device->cache_bytes : vmem,
        .input_bytes = (double)data_type_bytes(shape->type, 1024) / 1024,
        .filter_bytes = (double)data_type_bytes(shape->type, 1024) / 1024,
        .output_bytes = (double)data_type_bytes(shape->out_type, 1024) / 1024,
        .sum_bytes = SUM_BYTES,
        .bytes_per_cycle = device->memory_Bps * device->gemm.bandwidth_ratio / op->clock_hz,
    };
    struct systolic_traffic traffic;
    systolic_traffic(&traffic, &memory, &op->array, gemm, 0);
    op->bytes = traffic.bytes * (double)count;
    if (shape->class == OP_CLASS_CONV)
        op->bytes = (double)shape->read_bytes + (double)shape->write_bytes;
    op->first_ns = traffic.first_cycles / op->clock_hz * 1e9;
    op->memory_ns = op->bytes / (device->memory_Bps * device->gemm.bandwidth_ratio) * 1e9;
}

static const char *refuse(const struct device *device, const struct op_shape *shape)
{
    if (device->matrix_rows == 0 || device->matrix_columns == 0)
        return "the device does not say matrix-rows and matrix-columns";
    if (device->memory_Bps <= 0 || device->gemm.bandwidth_ratio <= 0)
        return "the device does not say its memory bandwidth";
    if (multiplied_as(device, shape->type) == DATA_TYPE_COUNT)
        return "the device does not multiply this type";
    return shape->m == 0 || shape->n == 0 || shape->k == 0 ? "the shape is empty" : NULL;
}

bool systolic_op(struct systolic_op *op, const struct device *device, const struct op_shape *shape,
                 bool is_sustained, const char **why)
{
    *why = NULL;
    if (!op_class_is_product(shape->class))
        return false;
    *why = device->kind == DEVICE_SYSTOLIC ? refuse(device, shape) : "not a systolic device";
    if (*why)
        return false;
    uint64_t units = device->matrix_units > 0 ? device->matrix_units : 1;
    uint64_t cores = device->cores > 0 ? device->cores : 1, count;
    *op = (struct systolic_op){.array = {.rows = device->matrix_rows,
                                         .columns = device->matrix_columns,
                                         .arrays = cores * units,
                                         .dataflow = dataflows[device->dataflow]}};
    struct systolic_gemm gemm;
    product_of(shape, &gemm, &count);
    enum data_type type = multiplied_as(device, shape->type);
    op->clock_hz =
        device->peak_flops[type] /
        (2.0 * (double)op->array.rows * (double)op->array.columns * (double)op->array.arrays);
    count_cycles(op, device, type, &gemm, count);
    count_traffic(op, device, shape, &gemm, count);
    const struct device_gemm *measured = &device->gemm;
    double share = device_share(is_sustained ? measured->sustained : measured->efficiency, type);
    double reached_hz = op->clock_hz * (share > 0 ? share : 1);
    op->compute_ns = (double)op->cycles / reached_hz * 1e9;
    double wait_ns = op->memory_ns > op->compute_ns ? op->memory_ns - op->compute_ns : 0;
    op->stall_cycles = (wait_ns + op->first_ns) * reached_hz / 1e9;
    return true;
}

static bool systolic_op_time(const struct device *device, const struct op_shape *shape,
                             const struct op_time_options *options, struct op_time *out,
                             const char **why)
{
    struct systolic_op op;
    if (!systolic_op(&op, device, shape, options->is_sustained, why)) {
        if (device->kind != DEVICE_SYSTOLIC && options->model != OP_MODEL_SYSTOLIC)
            *why = NULL; /* no news in the chain of a GPU */
        return false;
    }
    bool is_compute = op.compute_ns >= op.memory_ns;
    out->ns = device->gemm.start_ns + op.first_ns + (is_compute ? op.compute_ns : op.memory_ns);
    double peak = 2.0 * (double)op.array.rows * (double)op.array.columns * (double)op.array.arrays *
                  op.clock_hz;
    snprintf(out->reason, sizeof out->reason,
             "%" PRIu64 " passes%s on %" PRIu64 " arrays of %" PRIu64 "x%" PRIu64 ", %" PRIu64
             " cycles, %.0f stalled, %s-bound, %.0f %% of peak",
             op.passes, op.parts > 1 ? " in parts" : "", op.array.arrays, op.array.rows,
             op.array.columns, op.cycles, op.stall_cycles, is_compute ? "compute" : "memory",
             100 * (double)shape->flops / (out->ns * 1e-9 * peak));
    return true;
}

const struct op_model_ops op_model_systolic = {
    .name = "systolic",
    .summary =
        "passes over arrays of multipliers, padding, hidden loads, memory on chip (TPU, NPU)",
    .time = systolic_op_time,
};
