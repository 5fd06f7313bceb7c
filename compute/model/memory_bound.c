#include "compute/model/memory_bound.h"

#include <math.h>
#include <stdio.h>

#include "base/units.h"

static const double assumed_ratio =
    0.8; /* vectorised copies on every device measured reach 0.77 to 0.95 */
static const double assumed_loads = 2.3; /* header: A40, A100, H100 */
static const double assumed_start_ns = 2000;

double memory_bound_ratio(const struct device *device, enum op_class class)
{
    const double *ratio = device->memory_bound.ratio;
    if (ratio[class] > 0)
        return ratio[class];
    return ratio[OP_CLASS_ELEMENTWISE] > 0 ? ratio[OP_CLASS_ELEMENTWISE] : assumed_ratio;
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

struct bounds {
    double bytes, ratio, cached; /* share of bytes from the cache */
    double memory_ns, vector_ns, load_ns;
};

static double load_ns(const struct device *device, const struct op_shape *shape)
{
    double loads =
        device->memory_bound.scalar_loads > 0 ? device->memory_bound.scalar_loads : assumed_loads;
    double per_second = loads * device->cores * device->clock_hz;
    double numbers = (double)shape->read_bytes / (double)data_type_bytes(shape->type, 1);
    return per_second > 0 ? numbers / per_second * 1e9 : 0;
}

static struct bounds bounds_of(const struct device *device, const struct op_shape *shape,
                               bool is_scalar)
{
    struct bounds bounds = {.bytes = (double)shape->read_bytes + (double)shape->write_bytes,
                            .ratio = memory_bound_ratio(device, shape->class)};
    bounds.cached = cached_share(device, bounds.bytes);
    double speedup = bounds.cached > 0 ? device->memory_bound.cache_speedup : 1;
    bounds.memory_ns = bounds.bytes / (bounds.ratio * device->memory_Bps) * 1e9 *
                       (1 - bounds.cached * (1 - 1 / speedup));
    if (device->vector_flops > 0)
        bounds.vector_ns = (double)shape->flops / device->vector_flops * 1e9;
    if (is_scalar)
        bounds.load_ns = load_ns(device, shape);
    return bounds;
}

static void explain(const struct device *device, const struct bounds *bounds, struct op_time *out)
{
    double most_ns = fmax(bounds->memory_ns, fmax(bounds->vector_ns, bounds->load_ns));
    const char *bound = bounds->memory_ns == most_ns
                            ? bounds->cached > 0 ? "traffic, cached in part" : "traffic"
                        : bounds->vector_ns == most_ns ? "arithmetic"
                                                       : "loads of single numbers";
    char size[32], rate[32];
    units_show_bytes(size, sizeof size, bounds->bytes);
    units_show_rate(rate, sizeof rate, bounds->bytes / out->ns * 1e9);
    snprintf(out->reason, sizeof out->reason,
             "%s: %.2f us to start, %.2f us of %s; %s, %.0f %% of memory at best%s", size,
             (out->ns - most_ns) / 1e3, most_ns / 1e3, bound, rate, 100 * bounds->ratio,
             device->memory_bound.ratio[OP_CLASS_ELEMENTWISE] > 0 ? "" : ", assumed");
}

static bool time_memory_bound(const struct device *device, const struct op_shape *shape,
                              const struct op_time_options *options, struct op_time *out,
                              const char **why)
{
    *why = NULL;
    if (!is_memory_bound(shape->class))
        return false;
    if (!(device->memory_Bps > 0))
        *why = "the device's memory bandwidth is not known";
    if (*why)
        return false;
    const struct device_memory_bound *measured = &device->memory_bound;
    struct bounds bounds = bounds_of(device, shape, options->is_scalar);
    out->ns = measured->start_ns > 0 ? measured->start_ns : assumed_start_ns;
    out->ns += fmax(bounds.memory_ns, fmax(bounds.vector_ns, bounds.load_ns));
    out->is_extrapolated = !(measured->ratio[OP_CLASS_ELEMENTWISE] > 0);
    explain(device, &bounds, out);
    return true;
}

const struct op_model_ops op_model_memory_bound = {
    .name = "memory-bound",
    .summary = "bytes over the bandwidth that ops of the class reach, after a start",
    .time = time_memory_bound,
};
