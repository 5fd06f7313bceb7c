#include "compute/model/memory_bound.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"

static const double assumed_ratio =
    0.8; /* vectorised copies on every device measured reach 0.77 to 0.95 */
static const double assumed_scalar = 0.5; /* A100, H100: 0.50, 0.58 */
static const double assumed_start_ns = 2000;

double memory_bound_ratio(const struct device *device, enum op_class class, bool is_scalar)
{
    const struct device_memory_bound *measured = &device->memory_bound;
    double ratio = measured->ratio[class];
    if (!(ratio > 0))
        ratio = measured->ratio[OP_CLASS_ELEMENTWISE];
    if (!(ratio > 0))
        ratio = assumed_ratio;
    if (!is_scalar || class != OP_CLASS_ELEMENTWISE)
        return ratio;
    return fmin(ratio, measured->scalar_ratio > 0 ? measured->scalar_ratio : assumed_scalar);
}

/* Of the header: the share that the cache serves. */
static double cached_share(const struct device *device, double bytes)
{
    if (!(device->memory_bound.cache_speedup > 1) || !(device->cache_bytes > 0))
        return 0;
    return fmin(1, fmax(0, 2 - 2 * bytes / device->cache_bytes));
}

static bool is_memory_bound(enum op_class class)
{
    return class >= OP_CLASS_NORM && class <= OP_CLASS_PERMUTE;
}

static bool time_memory_bound(const struct device *device, const struct op_shape *shape,
                              const struct op_time_options *options, struct op_time *out,
                              const char **why)
{
    *why = NULL;
    if (!is_memory_bound(shape->class))
        *why = "not bound by memory";
    else if (!(device->memory_Bps > 0))
        *why = "the device's memory bandwidth is not known";
    if (*why)
        return false;
    const struct device_memory_bound *measured = &device->memory_bound;
    double bytes = (double)shape->read_bytes + (double)shape->write_bytes;
    double ratio = memory_bound_ratio(device, shape->class, options->is_scalar);
    double share = cached_share(device, bytes);
    double speedup = share > 0 ? measured->cache_speedup : 1;
    double memory_ns = bytes / (ratio * device->memory_Bps) * 1e9 * (1 - share * (1 - 1 / speedup));
    double vector_ns =
        device->vector_flops > 0 ? (double)shape->flops / device->vector_flops * 1e9 : 0;
    bool has_start = measured->start_ns > 0;
    double start_ns = has_start ? measured->start_ns : assumed_start_ns;
    out->ns = start_ns + fmax(memory_ns, vector_ns);
    out->is_extrapolated = !(measured->ratio[OP_CLASS_ELEMENTWISE] > 0);
    char size[32], rate[32];
    units_show_bytes(size, sizeof size, bytes);
    units_show_rate(rate, sizeof rate, bytes / out->ns * 1e9);
    snprintf(out->reason, sizeof out->reason,
             "%s in %.2f us start and %.2f us of %s%s: %s, %.0f %% of memory at best%s", size,
             start_ns / 1e3, fmax(memory_ns, vector_ns) / 1e3,
             vector_ns > memory_ns ? "arithmetic" : "traffic", share > 0 ? " (cached in part)" : "",
             rate, 100 * ratio, has_start ? "" : ", assumed");
    return true;
}

const struct op_model_ops op_model_memory_bound = {
    .name = "memory-bound",
    .summary = "bytes over the bandwidth that ops of the class reach, after a start",
    .time = time_memory_bound,
};
