/*
 * memory_report - the table of what ranks hold in their devices' memory (result->memory), as text
 * and as JSON. Nothing if no trace says so.
 */
#ifndef ORRERY_REPORT_MEMORY_REPORT_H
#define ORRERY_REPORT_MEMORY_REPORT_H

#include <stdio.h>

#include "report/json_writer.h"
#include "stats/result.h"

/* At most the 32 rows that hold most. */
void memory_text(const struct run_result *result, FILE *out);
void memory_json(const struct run_result *result, struct json_writer *json);

#endif
