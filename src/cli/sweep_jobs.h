/*
 * sweep_jobs - orrery sweep on a Slurm cluster: what the user's command does, and what its jobs do.
 */
#ifndef ORRERY_CLI_SWEEP_JOBS_H
#define ORRERY_CLI_SWEEP_JOBS_H

#include "sweep/slurm_sweep.h"

/* Submits, says so, and waits if `waits`. */
enum status sweep_jobs_submit(const struct study *study, const struct sweep_options *options,
                              const struct slurm_options *slurm, bool waits, struct diag *diag);

/* `--chunk`: a task, by the plan in `folder`. `options` has limits and what is shown. */
enum status sweep_jobs_chunk(const char *folder, uint32_t task, struct sweep_options *options,
                             struct diag *diag);

/* `--merge`. */
enum status sweep_jobs_merge(const char *folder, struct diag *diag);

#endif
