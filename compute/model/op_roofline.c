#include "compute/model/op_roofline.h"

#include <stdio.h>

static double rate_of(const struct device *device, const struct op_shape *shape,
                      const struct op_time_options *options)
{
    bool is_matrix = op_class_is_product(shape->class) || op_class_is_attention(shape->class);
    enum data_type type = device_multiplies_as(device, shape->type);
    if (!is_matrix && device->vector_flops > 0)
        return device->vector_flops;
    if (type == DATA_TYPE_COUNT)
        return device->vector_flops;
    const struct device_gemm *gemm = &device->gemm;
    return device->peak_flops[type] *
           device_share(options->is_sustained ? gemm->sustained : gemm->efficiency, type);
}

static bool roofline_time(const struct device *device, const struct op_shape *shape,
                          const struct op_time_options *options, struct op_time *out,
                          const char **why)
{
    (void)why;
    double rate = rate_of(device, shape, options);
    double bytes = (double)shape->read_bytes + (double)shape->write_bytes;
    double compute_ns = rate > 0 ? (double)shape->flops / rate * 1e9 : 0;
    double memory_ns = bytes / (device->gemm.bandwidth_ratio * device->memory_Bps) * 1e9;
    bool is_compute = compute_ns > memory_ns;
    out->ns = device->gemm.start_ns + (is_compute ? compute_ns : memory_ns);
    snprintf(out->reason, sizeof out->reason, "%s-bound: %.4g flop at %.4g TFLOP/s, %.4g bytes",
             is_compute ? "compute" : "memory", (double)shape->flops, rate / 1e12, bytes);
    return true;
}

const struct op_model_ops op_model_roofline = {
    .name = "roofline",
    .summary = "start + max(flops / rate, bytes / bandwidth)",
    .time = roofline_time,
};
