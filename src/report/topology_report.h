/*
 * topology_report - what `orrery topo` prints of a fabric: text, or JSON with a schema version.
 */
#ifndef ORRERY_REPORT_TOPOLOGY_REPORT_H
#define ORRERY_REPORT_TOPOLOGY_REPORT_H

#include <stdio.h>

#include "net/topology/routing.h"
#include "net/topology/shift_load.h"
#include "net/topology/survey.h"

struct topology_report {
    const struct fabric *fabric;
    const struct survey *survey;
    struct routing *routing;
    const char *routing_asked; /* "auto" */
    uint32_t src, dst;         /* of the route shown; equal: none */
    uint32_t shift;            /* 0: not tried (too large) */
    struct shift_load load;    /* of `shift` */
    struct shift_load even;    /* the same, sprayed; 0 B/s: not tried */
};

void topology_report_text(const struct topology_report *report, FILE *out);
void topology_report_json(const struct topology_report *report, FILE *out);

#endif
