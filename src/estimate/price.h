/*
 * price - what one op costs on a device under a framework: the time of compute/op_time, and how far
 * the framework's kernels fall short of it.
 *
 * Rules:
 *  1. Matrix products take 1 / matrix_ratio, attention 1 / attention_ratio, memory-bound ops
 *     memory_ratio times as long as the device's models say (framework.h). Rates are sustained
 *     ones.
 *  2. Times are cached (compute/op_time_cache.h).
 */
#ifndef ORRERY_ESTIMATE_PRICE_H
#define ORRERY_ESTIMATE_PRICE_H

#include "compute/op_time_cache.h"
#include "workloads/generate/framework.h"

struct prices {
    const struct device *device;
    struct op_time_options options;
    struct op_time_cache cache;
};

/* Borrows device and framework; must not move until prices_release(). */
void prices_init(struct prices *prices, const struct device *device,
                 const struct framework *framework);
void prices_release(struct prices *prices);

/* Time of one such op, in ns. */
double price_ns(struct prices *prices, const struct op_shape *shape);

#endif
