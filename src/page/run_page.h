/*
 * run_page - a run as one HTML file: what the reports say (report/report.h), with charts, the
 * timeline and the network in colours.
 *
 * Rules:
 *  1. The same bytes for the same run. Of a folded run the timeline and the critical path by rank
 *     show the ranks that were simulated; all else does not depend on folding, but for the line
 *     that says so.
 *  2. Bounded: at most RUN_PAGE_ROWS rows of a table of ranks or links, and RUN_PAGE_SLICES ops
 *     of 16 ranks in the timeline; a table that leaves something out says how much, and where all
 *     of it is.
 *  3. A run that did not end well has its page too: status, reason, up to where it got.
 */
#ifndef ORRERY_PAGE_RUN_PAGE_H
#define ORRERY_PAGE_RUN_PAGE_H

#include <stdio.h>

#include "report/report.h"
#include "stats/critical_path_blame.h"
#include "stats/sensitivity.h"
#include "stats/timeline.h"

enum { RUN_PAGE_ROWS = 4096, RUN_PAGE_SLICES = 24000 };

struct run_page {
    const char *title; /* the job's name */
    const struct run_result *result;
    const struct config *config;
    const struct report_context *context;  /* version, command, workload, against, step */
    const struct path_blame *blame;        /* NULL: there is no critical path */
    const struct sensitivity *sensitivity; /* NULL: none */
    const struct timeline *timeline;       /* NULL: there is none */
};

void run_page_write(const struct run_page *page, FILE *out);

/* The data alone, JSON. */
void run_page_data(const struct run_page *page, FILE *out);

#endif
