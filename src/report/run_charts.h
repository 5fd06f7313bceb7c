/*
 * run_charts - the charts of a run, by name.
 */
#ifndef ORRERY_REPORT_RUN_CHARTS_H
#define ORRERY_REPORT_RUN_CHARTS_H

#include "config/config.h"
#include "report/chart.h"
#include "report/rank_groups.h"
#include "stats/critical_path_blame.h"
#include "stats/result.h"

/* What charts are made of; borrowed, and must outlive them. */
struct run_charts_source {
    const struct run_result *result;
    const struct config *config;
    const struct rank_groups *groups;
    const struct path_blame *blame; /* NULL: there is no critical path */
};

struct run_chart {
    const char *name;    /* "breakdown" */
    const char *summary; /* one line */

    /* Fills `chart`, which is not initialised; false if the run has nothing for it (then there is
     * nothing to release). */
    bool (*fill)(struct chart *chart, const struct run_charts_source *source);
};

/* The last has a NULL name. */
extern const struct run_chart run_charts[];

#endif
