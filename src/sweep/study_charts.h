/*
 * study_charts - the charts of a study, by name, over the rows of its results.
 *
 * Rules:
 *  1. Columns that are not asked for are chosen: what varies and matters most. The choice is in the
 *     chart's labels.
 *  2. Points are those that are "ok" and have all values; a chart of none is an error.
 */
#ifndef ORRERY_SWEEP_STUDY_CHARTS_H
#define ORRERY_SWEEP_STUDY_CHARTS_H

#include "report/chart.h"
#include "sweep/results.h"

/* What was asked for; each may be NULL or false. */
struct study_chart_request {
    const char *x, *y, *by; /* columns */
    const char *pivot;      /* pivot.h */
    bool log_x, log_y, is_median;
};

struct study_chart {
    const char *name, *summary;

    /* Fills `chart`, which is not initialised; it may point into `results` and is the caller's to
     * release if it succeeds. `results` may lose rows. */
    enum status (*fill)(struct chart *chart, struct results *results,
                        const struct study_chart_request *request, struct diag *diag);
};

/* The last has a NULL name. */
extern const struct study_chart study_charts[];

#endif
