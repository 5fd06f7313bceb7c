/*
 * plan_report - the table of `orrery plan`: the fastest plans of a job on a cluster, each with what
 * its time is made of.
 *
 * Shares are of the estimated step and add up to 1. `simulated_ps` is of the same plan run in full.
 */
#ifndef ORRERY_REPORT_PLAN_REPORT_H
#define ORRERY_REPORT_PLAN_REPORT_H

#include <stdio.h>

#include "base/units.h"
#include "estimate/search.h"

struct plan_row {
    const struct search_plan *found;
    bool is_simulated;
    time_ps simulated_ps; /* 0: it did not run */
    char reason[240];     /* why it did not */
};

struct plan_table {
    const char *model, *cluster, *device, *framework;
    uint32_t devices;
    uint64_t valid, fitting; /* plans looked at; that fit in memory */
    double device_bytes;
    const struct search_plan *least; /* if none fits */
    struct plan_row *row;
    uint32_t count;
};

struct plan_format {
    const char *name;
    void (*write)(const struct plan_table *table, FILE *out);
};

/* text, json, csv; the last has a NULL name. */
extern const struct plan_format plan_formats[];

/* "tp=8,pp=4,..": what --plan takes; fits in 320 bytes. */
void plan_text(const struct train_plan *plan, char *text, size_t size);

#endif
