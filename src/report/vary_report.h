/*
 * vary_report - jobs run many times: their times with intervals, which is better, and why a run is
 * slow.
 */
#ifndef ORRERY_REPORT_VARY_REPORT_H
#define ORRERY_REPORT_VARY_REPORT_H

#include <stdio.h>

#include "base/notice.h"
#include "run/sampling_figures.h"

struct vary_job {
    const char *name;   /* of the job, with its plan if there are several */
    const char *varies; /* describe_variation() */
    uint64_t seed, first_sample;
    uint32_t devices;
    uint64_t tokens; /* of a step; 0: not known */
    struct sampling sampling;
    struct sampling_figures figures;
    struct sampling_source source[MOST_SOURCES]; /* alone, without slow ranks and links */
    uint32_t source_count;                       /* 0: nobody asked, or one only */
    char link_name[SHOWN_CULPRITS][80];          /* of figures.links.top: "leaf0->spine1" */
};

struct vary_report {
    const char *version;
    const struct vary_job *job; /* in the order they were asked for */
    uint32_t count;
    double until; /* 0: none */
    const struct notices *notices;
};

void vary_text(const struct vary_report *report, FILE *out);
void vary_json(const struct vary_report *report, FILE *out);

#endif
