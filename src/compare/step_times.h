/*
 * step_times - the distribution of measured step times.
 *
 * Of several ranks, a step takes as long as its slowest rank. The interval is Student's, for the
 * mean of steps taken as independent (stats/samples.h, rule 4). One step has no interval.
 *
 * Worked: 98, 100, 102, 104 ms: mean 101, s = sqrt(20/3) = 2.58199, t(0.975, 3) = 3.18245, interval
 * 101 -+ 4.10853 ms; median 101.
 */
#ifndef ORRERY_COMPARE_STEP_TIMES_H
#define ORRERY_COMPARE_STEP_TIMES_H

#include "compare/outcome.h"

struct step_times {
    uint32_t count; /* 0: no steps */
    double mean_ps, median_ps, least_ps, most_ps, deviation_ps;
    bool has_interval;
    double low_ps, high_ps; /* of the mean, 95 % */
};

/* A step that a rank says twice is STATUS_BAD_INPUT. */
enum status step_times_find(struct step_times *times, const struct outcome *outcome,
                            struct diag *diag);

#endif
