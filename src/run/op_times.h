/*
 * op_times - how long the op shapes of a job take on its device, worked out once before the run.
 *
 * A job has few distinct shapes and many nodes. The rows say which model timed what, for the report.
 */
#ifndef ORRERY_RUN_OP_TIMES_H
#define ORRERY_RUN_OP_TIMES_H

#include "compute/op_time.h"
#include "config/config.h"
#include "model/trace.h"
#include "stats/result.h"

struct op_times {
    struct arena arena;
    const time_ps *
        *of_trace; /* [trace][shape]; NULL: no node has a shape, or the model sees none */
};

/* Fills the rows of compute models in `result` (which model timed how many nodes, for how long). */
void op_times_init(struct op_times *times, const struct config *config,
                   const struct workload *workload, struct run_result *result);
void op_times_release(struct op_times *times);

#endif
