/*
 * op_times - how long the op shapes of a job take on its device, worked out once before the run.
 *
 * A job has few distinct shapes and many nodes. The rows say which model timed what, for the
 * report.
 */
#ifndef ORRERY_RUN_OP_TIMES_H
#define ORRERY_RUN_OP_TIMES_H

#include "compute/op_time.h"
#include "config/config.h"
#include "model/trace.h"
#include "stats/result.h"

/*
 * Launches. With system.launch-overhead the host of a rank launches its nodes one after another in
 * the order of the trace, each taking launch-overhead (a collective, send or receive:
 * collective-launch-overhead), after step-overhead at the beginning; it never waits for the device
 * (a CUDA stream's queue). Node i cannot begin before the sum up to it: 1,000 kernels of 2 us under
 * 5 us launches take 5 ms.
 */
struct op_times {
    struct arena arena;
    const time_ps *
        *of_trace; /* [trace][shape]; NULL: no node has a shape, or the model sees none */
    const time_ps **launch_of_trace; /* [trace][node]; NULL: launches cost nothing */
};

/* Fills the rows of compute models in `result` (which model timed how many nodes, for how long). */
void op_times_init(struct op_times *times, const struct config *config,
                   const struct workload *workload, struct run_result *result);
void op_times_release(struct op_times *times);

#endif
