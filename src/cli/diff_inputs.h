/*
 * diff_inputs - what two runs were told that is not the same: job and plan, settings (every row of
 * --print-config), files by the hash of their bytes.
 *
 * Not listed: run.fold and workload.traces, a file that moved but has the same bytes.
 */
#ifndef ORRERY_CLI_DIFF_INPUTS_H
#define ORRERY_CLI_DIFF_INPUTS_H

#include "cli/job.h"
#include "report/diff_report.h"

/* Rows in `arena`; returns how many. */
uint32_t diff_inputs_find(const struct job *a, const struct job *b, struct arena *arena,
                          struct diff_input **rows);

#endif
