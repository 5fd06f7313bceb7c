/*
 * cluster - the submissions of a study that are on their way: which of their tasks are still to
 * end, and what those that ended have left.
 *
 * Rules:
 *  1. Results stay in the files of their tasks until the whole submission is over and all of it is in
 *     the store; then its folder is removed. store_merge() takes no row twice.
 *  2. A submission that is over without all results was cut short: cluster_tell() says by what, and
 *     removes it; its points are submitted again like any that the store lacks.
 *  3. A task's file that a machine left damaged is set aside, and said.
 */
#ifndef ORRERY_SWEEP_CLUSTER_H
#define ORRERY_SWEEP_CLUSTER_H

#include <stdio.h>

#include "base/table.h"
#include "sweep/chunk_plan.h"
#include "sweep/progress.h"
#include "sweep/store.h"

struct submission {
    struct chunk_plan plan;
    bool *live, *is_merged; /* [tasks] */
    uint32_t *held;         /* [tasks]: results in the task's file, once it is merged */
    uint32_t live_count, running;
    bool is_gone;
};

struct cluster {
    char folder[CHUNK_PATH]; /* "STUDY.db.slurm" */
    struct submission *submission;
    uint32_t count;
    uint32_t added;   /* results that came into the store */
    uint32_t missing; /* points of submissions that were cut short */
};

/* Reads the plans beside the store at `store`. cluster_release() in every case. */
enum status cluster_open(struct cluster *cluster, const char *store, struct diag *diag);

/* One submission only: `folder` is its. */
enum status cluster_open_one(struct cluster *cluster, const char *folder, struct diag *diag);
void cluster_release(struct cluster *cluster);

/* Adds a submission whose plan was just written; `plan` goes over to the cluster. */
void cluster_add(struct cluster *cluster, const struct chunk_plan *plan);

/* Asks Slurm which tasks are still to end. */
enum status cluster_look(struct cluster *cluster, struct diag *diag);

/* Tasks that are still to end, and those that run. */
uint32_t cluster_live(const struct cluster *cluster, uint32_t *running);

/* True if a task ended whose results are in no store yet. */
bool cluster_has_results(const struct cluster *cluster);

/* Brings the results of ended tasks into `store`, counts them in `progress` (may be NULL), and
 * removes what is complete. */
enum status cluster_merge(struct cluster *cluster, struct store *store, struct progress *progress,
                          struct diag *diag);

/* Opens the store at `path` alone, after another writer has ended if need be (it is a merging job, or
 * one of us), and merges. The caller closes *store in every case. */
enum status cluster_bring_home(struct cluster *cluster, const char *path, struct store **store,
                               struct progress *progress, struct diag *diag);

/* Rule 2, on `out`. */
void cluster_tell(struct cluster *cluster, FILE *out);

/* Adds to `progress` how far the tasks are whose results are in no store yet. */
void cluster_progress(const struct cluster *cluster, struct progress *progress);

/* Keys of the requests (cluster_key()) that are with tasks still to end. */
void cluster_requests(const struct cluster *cluster, struct table *requests);

static inline uint64_t cluster_key(struct identity request)
{
    return request.word[0] ^ request.word[1];
}

#endif
