/*
 * goodput_report - the useful time of a job whose devices fail: which interval, how many spares.
 */
#ifndef ORRERY_REPORT_GOODPUT_REPORT_H
#define ORRERY_REPORT_GOODPUT_REPORT_H

#include <stdio.h>

#include "base/notice.h"
#include "goodput/goodput.h"
#include "stats/samples.h"

enum { GOODPUT_ROWS = 16 };

struct goodput_row {
    const char *name; /* "best", "Young", "given" */
    struct goodput form;
    bool is_simulated;
    struct sample_estimate useful; /* of the runs */
};

/* A way to go on after a failure, at its own best interval (or the one that was given). */
struct goodput_choice {
    char name[48];
    struct goodput_input input;
    struct goodput form;
    bool is_simulated;
    struct sample_estimate useful;
};

struct goodput_report {
    const char *version, *job;
    const struct goodput_input *input;
    double checkpoint_bytes, storage_Bps; /* 0: not known */
    struct goodput_row row[GOODPUT_ROWS]; /* the first is what the job does */
    uint32_t row_count;
    struct goodput_choice choice[GOODPUT_ROWS];
    uint32_t choice_count;
    bool is_interval_given; /* for all choices */
    uint32_t runs;
    double days;
    uint64_t seed;
    const struct notices *notices;
};

void goodput_text(const struct goodput_report *report, FILE *out);
void goodput_json(const struct goodput_report *report, FILE *out);

#endif
