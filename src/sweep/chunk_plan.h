/*
 * chunk_plan - one submission of a study to a cluster: which points its tasks run, as a folder
 * beside the store that every machine sees.
 *
 *     STUDY.db.slurm/              jobs_folder()
 *       merge.log                  what merging jobs said
 *       orrery-STUDY-9f3c21aa/     a submission each, by the name of its jobs, removed when its
 *                                  results are in the store
 *         plan.json                "orrery.sweep-plan/1": this structure
 *         task.sh, merge.sh        what the cluster runs
 *         K.db, K.progress, K.log  of task K: its results (a store of its own: nobody else writes
 *                                  there), how far it is, what it said
 *
 * Rules:
 *  1. Task K runs the points K x chunk_points and on, chunk_points of them or what is left.
 *  2. The plan has the study's text, so that a study that is edited meanwhile changes nothing, and
 *     of each point the request: a task whose program makes another of it refuses to run.
 *  3. Everything is owned by plan->arena.
 */
#ifndef ORRERY_SWEEP_CHUNK_PLAN_H
#define ORRERY_SWEEP_CHUNK_PLAN_H

#include "base/arena.h"
#include "base/diag.h"
#include "sweep/identity.h"

enum { CHUNK_PATH = 4096, CHUNK_TASKS = 1000 };
#define CHUNK_JOBS "orrery-" /* what the names of jobs begin with */

struct chunk_plan {
    struct arena arena;
    const char *folder;  /* of this submission, absolute */
    const char *jobs;    /* the name of its jobs, which no other submission has */
    const char *program; /* identity_program() */
    const char *study;   /* path, as it was given, from the folder where it was */
    const char *text;    /* of the study */
    const char *store;   /* absolute */
    uint32_t chunk_points, count;
    uint32_t *ordinal;        /* [count], of the study's points */
    struct identity *request; /* [count] */
};

static inline uint32_t chunk_plan_tasks(const struct chunk_plan *plan)
{
    return (plan->count + plan->chunk_points - 1) / plan->chunk_points;
}

/* Rule 1: *first, and how many. */
uint32_t chunk_plan_part(const struct chunk_plan *plan, uint32_t task, uint32_t *first);

/* Writes FOLDER/plan.json. */
enum status chunk_plan_write(const struct chunk_plan *plan, struct diag *diag);

/* Reads the plan in `folder`. chunk_plan_release() in every case. */
enum status chunk_plan_read(struct chunk_plan *plan, const char *folder, struct diag *diag);
void chunk_plan_release(struct chunk_plan *plan);

/* -- the folder -------------------------------------------------------------------------------- */

/* A file of task `task`: "3.db". */
void chunk_file(char to[CHUNK_PATH], const char *folder, uint32_t task, const char *end);

/* The names of the submissions in `jobs_folder`, in `arena`: *count of them. None if there is no
 * such folder. */
char **chunk_submissions(struct arena *arena, const char *jobs_folder, uint32_t *count);

/* Removes a submission's folder with all in it. */
void chunk_remove(const char *folder);

#endif
