/*
 * step_report - the figures of a training step (stats/step_figures.h), as text and as JSON.
 */
#ifndef ORRERY_REPORT_STEP_REPORT_H
#define ORRERY_REPORT_STEP_REPORT_H

#include <stdio.h>

#include "report/json_writer.h"
#include "stats/result.h"
#include "stats/step_figures.h"

void step_text(const struct run_result *result, const struct step_figures *step, FILE *out);
void step_json(const struct run_result *result, const struct step_figures *step,
               struct json_writer *json);

#endif
