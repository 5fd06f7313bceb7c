/*
 * traffic_report - what `orrery traffic` found, as text, JSON or CSV.
 *
 * JSON: schema orrery.traffic/1, times in ps, flows in the order of the list. CSV: a line a flow.
 */
#ifndef ORRERY_REPORT_TRAFFIC_REPORT_H
#define ORRERY_REPORT_TRAFFIC_REPORT_H

#include <stdio.h>

#include "base/notice.h"
#include "net/traffic/traffic.h"

struct traffic_report {
    const char *what; /* pattern or file */
    const struct config *config;
    const struct traffic *traffic;
    const struct traffic_result *result;
    const struct notices *notices;
};

/* What the links did, as of a run: for report/links.h and the heat map. Borrowed from `result`. */
struct run_result traffic_links(const struct traffic_result *result);

struct traffic_format {
    const char *name;
    void (*write)(const struct traffic_report *report, FILE *out);
};

/* text, json, csv; the last has a NULL name. */
extern const struct traffic_format traffic_formats[];

#endif
