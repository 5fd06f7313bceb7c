/*
 * diff_report - why one run takes longer than another (stats/difference.h), as text and JSON.
 */
#ifndef ORRERY_REPORT_DIFF_REPORT_H
#define ORRERY_REPORT_DIFF_REPORT_H

#include <stdio.h>

#include "config/config.h"
#include "stats/difference.h"

/* An input that the runs do not share. */
struct diff_input {
    const char *kind; /* "job", "setting", "file" */
    const char *key;
    const char *a, *b; /* NULL: it has none */
};

/* One of the two. */
struct diff_run {
    const char *word; /* as the command line names it */
    const char *job;
    const struct run_result *result;
    const struct config *config;
};

struct diff_report {
    const char *version;
    struct diff_run a, b;
    const struct difference *difference;
    const struct diff_input *input;
    uint32_t input_count;
    uint32_t most_rows; /* text: of each table; the others are one row */
};

void diff_text(const struct diff_report *report, FILE *out);
void diff_json(const struct diff_report *report, FILE *out);

#endif
