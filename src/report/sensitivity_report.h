/*
 * sensitivity_report - what one percent of each parameter is worth, and how far that holds, as a
 * part of what `orrery explain` prints.
 */
#ifndef ORRERY_REPORT_SENSITIVITY_REPORT_H
#define ORRERY_REPORT_SENSITIVITY_REPORT_H

#include <stdio.h>

#include "report/json_writer.h"
#include "stats/sensitivity.h"

/* Two tables, of parameters and of ranks (`most_rows` of those), in percent of the makespan. */
void sensitivity_text(const struct sensitivity *sensitivity, uint32_t most_rows, FILE *out);

/* Two lists in the map at hand, "sensitivity" and "rank_sensitivity", in picoseconds. */
void sensitivity_json(const struct sensitivity *sensitivity, struct json_writer *json);

#endif
