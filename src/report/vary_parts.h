/*
 * vary_parts - what text and JSON of vary_report share: which job is better.
 *
 * Jobs are compared by the time of a run; where all know their tokens and have not as many, by the
 * time for a token.
 */
#ifndef ORRERY_REPORT_VARY_PARTS_H
#define ORRERY_REPORT_VARY_PARTS_H

#include "report/vary_report.h"

struct vary_place {
    double key; /* ps, of a run or for a token */
    uint32_t job;
};

bool vary_is_by_token(const struct vary_report *report);

/* The jobs in order of a quantile, the caller's to free(); equal ones as they were asked for. */
struct vary_place *vary_ranked(const struct vary_report *report, int quantile);

/* The probability that a run of job `a` is faster than one of `b` (samples_beats()). False if one
 * of them has a single sample. */
bool vary_beats(const struct vary_report *report, uint32_t a, uint32_t b,
                struct sample_estimate *beats);

#endif
