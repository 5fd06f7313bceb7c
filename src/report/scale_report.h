/*
 * scale_report - the table of `orrery scale`: one training step on more and more devices.
 *
 * Efficiency is throughput per device over that of the first row that ran. Shares are means over
 * ranks of the step's time: compute, communication that nothing hides, and the rest (waiting for
 * other ranks and pipeline bubbles, host, memory). JSON is schema "orrery.scale/1": rows with
 * step_ps, throughput in the model's unit (tokens_per_s, samples_per_s), ratios of 1; rows that did
 * not run have status and reason.
 */
#ifndef ORRERY_REPORT_SCALE_REPORT_H
#define ORRERY_REPORT_SCALE_REPORT_H

#include <stdio.h>

#include "base/diag.h"
#include "stats/result.h"
#include "stats/step_figures.h"

struct scale_row {
    uint32_t devices;
    enum status status;
    struct diag diag; /* of a row that did not run: why */
    struct step_figures step;
    time_ps end_ps;
    double compute_ratio, exposed_ratio, rest_ratio; /* of the step, add up to 1 */
};

struct scale_table {
    const char *model, *cluster;
    bool is_strong; /* the batch stays; else it grows with the devices */
    bool is_auto;   /* each row has a plan of its own */
    struct scale_row *row;
    uint32_t count;
};

/* Fills the ratios of `row` from the result of its run. */
void scale_row_fill(struct scale_row *row, const struct run_result *result);

/* Throughput per device over that of the first row that ran; 0 if this one did not. */
double scale_efficiency(const struct scale_table *table, uint32_t index);

struct scale_format {
    const char *name;
    void (*write)(const struct scale_table *table, FILE *out);
};

/* text, json, csv; the last has a NULL name. */
extern const struct scale_format scale_formats[];

/* Step time and efficiency over the number of devices, as SVG. */
void scale_plot(const struct scale_table *table, FILE *out);

#endif
