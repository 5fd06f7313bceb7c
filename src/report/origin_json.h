/*
 * origin_json - where a report comes from, so that its run can be made again: the list "command",
 * and the list "inputs" of every file that was read, with the hash of its bytes.
 */
#ifndef ORRERY_REPORT_ORIGIN_JSON_H
#define ORRERY_REPORT_ORIGIN_JSON_H

#include "config/config.h"
#include "model/trace.h"
#include "report/json_writer.h"

/* Arguments of `orrery run`, NULL-terminated; nothing if `command` is NULL. */
void origin_json_command(struct json_writer *json, const char *const *command);

/* Files of the configuration, then traces if `workload` is not NULL. */
void origin_json_inputs(struct json_writer *json, const struct config *config,
                        const struct workload *workload);

#endif
