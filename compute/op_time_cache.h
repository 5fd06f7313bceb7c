/*
 * op_time_cache - times of shapes already asked for: what makes 10^6 calls a second out of a
 * search.
 *
 * Rules:
 *  1. One cache serves one device and one set of options, which it borrows until
 *     op_time_cache_release().
 *  2. Shapes are finished (op_shape_finish()): equal bytes are equal work.
 *  3. Answers are those of op_time(); a pointer lives until the next call.
 */
#ifndef ORRERY_COMPUTE_OP_TIME_CACHE_H
#define ORRERY_COMPUTE_OP_TIME_CACHE_H

#include "base/table.h"
#include "compute/op_time.h"

struct op_time_row {
    struct op_shape shape;
    struct op_time time;
};

struct op_time_cache {
    const struct device *device;
    const struct op_time_options *options;
    struct table rows; /* hash of a shape's bytes to its row */
    struct op_time_row *row;
    uint32_t count, room;
};

void op_time_cache_init(struct op_time_cache *cache, const struct device *device,
                        const struct op_time_options *options);
void op_time_cache_release(struct op_time_cache *cache);

/* The time of `shape`. If the one model that options ask for declines it, roofline's. */
const struct op_time *op_time_cache_get(struct op_time_cache *cache, const struct op_shape *shape);

#endif
