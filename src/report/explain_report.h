/*
 * explain_report - where the time of a run went along its critical path, and what could be saved.
 */
#ifndef ORRERY_REPORT_EXPLAIN_REPORT_H
#define ORRERY_REPORT_EXPLAIN_REPORT_H

#include <stdio.h>

#include "config/config.h"
#include "model/trace.h"
#include "stats/critical_path_blame.h"
#include "stats/result.h"
#include "stats/sensitivity.h"

/* A run with something taken away; `status` as it ended. */
struct explain_bound {
    const char *name;
    enum status status;
    time_ps end_ps;
    char bound_by[80];   /* the part of its critical path that takes longest, "" if nothing does */
    time_ps bound_by_ps; /* and for how long */
};

struct explain_report {
    const char *version, *job, *network; /* of what, on which network model */
    const char *const *command;          /* report/origin_json.h, or NULL */
    const struct config *config;         /* for the inputs */
    const struct workload *workload;
    const struct run_result *result;
    const struct path_blame *blame;
    const struct sensitivity *sensitivity;
    const struct explain_bound *bound;
    uint32_t bound_count;
    bool is_measured;   /* parts have been: run/perturb.h */
    uint32_t most_rows; /* text: of each table; the others are one row */
};

void explain_text(const struct explain_report *report, FILE *out);
void explain_json(const struct explain_report *report, FILE *out);

#endif
