/*
 * timeline_out - the file of `orrery run --timeline`.
 */
#ifndef ORRERY_CLI_TIMELINE_OUT_H
#define ORRERY_CLI_TIMELINE_OUT_H

#include "report/timeline_json.h"

/* Can the list be read? Before the run: a mistake is told at once. */
enum status timeline_out_check(const char *path, const char *ranks, uint32_t rank_count,
                               struct diag *diag);

/*
 * Writes the timeline of a run, which was filled, to `path` (complete, or not at all): of `ranks`
 * ("0,8-15"), or with NULL of each rank that was simulated. What does not fit is a notice of the
 * result.
 */
enum status timeline_out(const char *path, const char *ranks, const char *job,
                         const struct timeline *timeline, struct run_result *result,
                         struct diag *diag);

#endif
