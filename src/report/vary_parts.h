/*
 * vary_parts - what text and JSON of vary_report share.
 */
#ifndef ORRERY_REPORT_VARY_PARTS_H
#define ORRERY_REPORT_VARY_PARTS_H

#include "report/vary_report.h"

struct vary_place {
    double key; /* ps */
    uint32_t job;
};

/* The jobs in order of a quantile, the caller's to free(); equal ones as they were asked for. */
struct vary_place *vary_ranked(const struct vary_report *report, int quantile);

#endif
