/*
 * explain_bounds - the runs that `orrery explain` makes with something taken away (run/what_if.h):
 * those that were asked for, and the ladder of the usual ones.
 */
#ifndef ORRERY_CLI_EXPLAIN_BOUNDS_H
#define ORRERY_CLI_EXPLAIN_BOUNDS_H

#include "cli/job.h"
#include "report/explain_report.h"
#include "run/what_if.h"

enum { MOST_WHAT_IFS = 24, MOST_BOUNDS = MOST_WHAT_IFS + 9 };

struct explain_options {
    struct run_options run; /* first: job_load() reads it */
    struct what_if what_if[MOST_WHAT_IFS];
    uint32_t count;
    uint32_t rows;
    bool measure, trust, ladder;
};

struct explaining {
    struct explain_options *options;
    struct job job;
    struct timeline timeline;
    struct path_blame blame;
    struct sensitivity sensitivity;
    struct explain_bound bound[MOST_BOUNDS];
    struct what_if together; /* all that were asked for, if they are several */
    uint32_t bound_count;
};

/* Fills the bounds of a run that has ended. */
enum status explain_run_bounds(struct explaining *all, const struct simulate_watch *watch);

#endif
