/*
 * explain_run - what simulate_also() is asked of a finished run beside its result: its critical
 * path, where the time of it went, slack, sensitivities; where the time of its ranks went.
 */
#ifndef ORRERY_RUN_EXPLAIN_RUN_H
#define ORRERY_RUN_EXPLAIN_RUN_H

#include "run/op_times.h"
#include "run/prepare.h"
#include "run/simulate.h"

struct explained {
    const struct config *config;
    const struct workload *workload;
    const struct group_file *groups;
    struct prepared *prepared;
    const struct op_times *times;
    const struct simulate_also *also; /* timeline, blame; the others or NULL */
    struct run_result *result;        /* gets notices */
};

/* STATUS_LAW if a sum is not that of the run. */
enum status explain_run(const struct explained *run, struct diag *diag);

#endif
