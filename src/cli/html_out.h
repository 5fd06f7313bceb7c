/*
 * html_out - `orrery run --html FILE`: the page of a run (page/run_page.h).
 */
#ifndef ORRERY_CLI_HTML_OUT_H
#define ORRERY_CLI_HTML_OUT_H

#include "cli/job.h"

/* Runs the job again without timeline and critical path, for which there was no room: a notice. */
enum status html_out_run_plain(struct job *job, const struct simulate_watch *hook);

/* Writes the page; complete, or not at all. */
enum status html_out(const struct job *job, const struct report_context *context,
                     struct diag *diag);

#endif
