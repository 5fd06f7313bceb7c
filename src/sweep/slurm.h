/*
 * slurm - what we ask of a Slurm cluster, by its own commands: sbatch submits, squeue says what is
 * still to come. Nothing of ours keeps running.
 *
 * Rules:
 *  1. Jobs are known by a name that is written down before they are submitted: whoever is killed
 *     between the two still finds them.
 *  2. A command that is not there, or refuses, is STATUS_IO with what it said.
 */
#ifndef ORRERY_SWEEP_SLURM_H
#define ORRERY_SWEEP_SLURM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

enum { SLURM_OPTIONS = 32, SLURM_ID = 64 };

struct slurm_job {
    const char *name, *script;
    const char *log;           /* its output: a path, "%a" is the number of the task */
    const char *after;         /* runs when this job has ended, however; NULL: at once */
    uint32_t tasks;            /* of an array, numbered from 0; 0: no array */
    uint32_t cpus;             /* of a task; 0: the cluster's default */
    const char *const *option; /* "partition=x", NULL-terminated */
};

/* STATUS_USAGE if an option is one that this program gives itself. */
enum status slurm_check_options(const char *const *option, struct diag *diag);

/* STATUS_IO if Slurm's commands are not on this machine. */
enum status slurm_check(struct diag *diag);

/* `id`: of the job. */
enum status slurm_submit(const struct slurm_job *job, char id[SLURM_ID], struct diag *diag);

/*
 * live[k]: task k of the array of that name waits, runs or is ending; of `tasks` tasks. *count of
 * them, *running those that have begun.
 */
enum status slurm_live(const char *name, bool *live, uint32_t tasks, uint32_t *count,
                       uint32_t *running, struct diag *diag);

#endif
