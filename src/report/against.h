/*
 * against - two runs of one job on two network models: makespans, and each kind of collective.
 *
 * Collectives are matched by kind and group size: the algorithms of the runs may differ (`auto`
 * sees the fabric), and several of one kind are taken together.
 */
#ifndef ORRERY_REPORT_AGAINST_H
#define ORRERY_REPORT_AGAINST_H

#include <stdio.h>

#include "report/json_writer.h"
#include "stats/result.h"

struct against {
    const struct run_result *result; /* the other run */
    const char *name, *other_name;   /* of the two network models */
};

void against_text(const struct run_result *result, const struct against *against, FILE *out);
void against_json(const struct run_result *result, const struct against *against,
                  struct json_writer *json);

#endif
