/*
 * slurm_sweep - the engine `slurm`: a study as an array of jobs on a Slurm cluster, from a folder
 * that all its machines share. README.md, "On a Slurm cluster", says what happens when.
 *
 * Rules:
 *  1. Submitting brings home what earlier submissions have left, and submits what neither the store
 *     has nor a task that is still to end. Nothing of ours stays behind but jobs and files.
 *  2. A task runs its points as `local` does, into a store of its own (cluster.h). The last job
 *     merges them; so does the next command, whichever comes first.
 *  3. The store is opened alone, and never while jobs are waited for.
 */
#ifndef ORRERY_SWEEP_SLURM_SWEEP_H
#define ORRERY_SWEEP_SLURM_SWEEP_H

#include "sweep/cluster.h"
#include "sweep/slurm.h"
#include "sweep/sweep.h"

enum { CHUNK_POINTS = 100 };

struct slurm_options {
    const char *const *option; /* of sbatch, NULL-terminated */
    const char *task_options;  /* of `orrery sweep --chunk`, as text for a shell; "" if none */
    uint32_t chunk_points;     /* 0: CHUNK_POINTS, or more where that were over CHUNK_TASKS tasks */
    uint32_t cpus;             /* of a task: its workers; 0: what the cluster gives */
};

/* What submitting did. */
struct slurm_report {
    uint32_t added;                          /* results brought home */
    uint32_t waiting;                        /* points with tasks of earlier commands */
    uint32_t submitted, tasks;               /* points, tasks */
    char array[SLURM_ID], merging[SLURM_ID]; /* ids; merging "" if it was refused */
    char fault[320];                         /* why it was */
    char jobs[96];                           /* the name of the jobs */
};

/* Fills *progress as sweep_run() does: what the store has. */
enum status slurm_sweep_submit(const struct study *study, const struct sweep_options *options,
                               const struct slurm_options *slurm, struct progress *progress,
                               struct slurm_report *report, struct diag *diag);

/*
 * Until no task is to come, with progress, and brings the results home. A signal ends it with
 * STATUS_INTERRUPTED, which leaves the jobs as they are; so does a task that was cut short.
 */
enum status slurm_sweep_wait(const struct study *study, const struct sweep_options *options,
                             struct progress *progress, struct diag *diag);

/* What the last job does: *added results of the submission in `folder` into its store. */
enum status slurm_sweep_merge(const char *folder, uint32_t *added, struct diag *diag);

#endif
