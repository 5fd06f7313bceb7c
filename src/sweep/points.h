/*
 * points - the points of a study: which places of its grid are left by filter and sample, in order.
 *
 * A place is a number in mixed radix: the first group of axes is its most significant digit.
 *
 * Rules:
 *  1. At most POINTS_GRID places are looked at: a larger grid is refused.
 *  2. A sample takes places without repetition by Floyd's choice (CACM 30(9), 1987) with
 *     base/mix.h: the same for the same study and seed, whatever else happens. All are taken if
 *     there are fewer.
 */
#ifndef ORRERY_SWEEP_POINTS_H
#define ORRERY_SWEEP_POINTS_H

#include "sweep/study.h"

enum { POINTS_GRID = 1 << 26 };

struct points {
    uint32_t *place;      /* [count], ascending */
    uint32_t count, grid; /* grid: before filter and sample */
};

/* In `arena`. A study without axes has one point. No point left is an error. */
enum status points_find(struct points *points, const struct study *study, struct arena *arena,
                        struct diag *diag);

/* Number of the value that axis `axis` has at `place`. */
uint32_t points_value(const struct study *study, uint32_t place, uint32_t axis);

/* value[i] = number of the value of axis i, of all axes. */
void points_values(const struct study *study, uint32_t place, uint32_t *value);

#endif
