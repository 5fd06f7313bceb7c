/*
 * outcome_run - a run that was just made, as a side: what its JSON report and its timeline say.
 *
 * Ops are those of the ranks asked for. Of a folded run each rank has the ops of its class, so
 * ranks that were not simulated can be compared too.
 */
#ifndef ORRERY_COMPARE_OUTCOME_RUN_H
#define ORRERY_COMPARE_OUTCOME_RUN_H

#include "compare/outcome.h"
#include "config/config.h"
#include "stats/result.h"
#include "stats/timeline.h"

/* Ops of at most so many are added; ranks beyond are counted. If nobody asks for ranks, it is all
 * of them as long as they have no more than the second number of ops, else those that were
 * simulated. */
#define OUTCOME_MOST_OPS  20000000
#define OUTCOME_USUAL_OPS 2000000

/* Ranks that finished, collectives, inputs and settings, notices. `workload` may be NULL. */
enum status outcome_of_run(struct outcome *outcome, const struct run_result *result,
                           const struct config *config, const struct workload *workload,
                           struct diag *diag);

/* Ops of the ranks of which `like` has ops; NULL: nobody asks. */
void outcome_of_timeline(struct outcome *outcome, const struct timeline *timeline,
                         const struct run_result *result, const struct outcome *like);

#endif
