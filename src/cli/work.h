/*
 * work - what a command runs: traces from files, or a training job generated for the cluster.
 *
 * Rules:
 *  1. With --cluster the command's word is a job: a file (workloads/generate/job_spec.h) or the
 *     name of a model's preset. --cluster takes a file of the one-file form without `workload`, or
 *     a topology.
 *  2. With --cluster and --workload, and no word, traces run there under the settings of a
 *     generated job (run/job_config.h), so that what `orrery generate` wrote takes as long as the
 *     job itself.
 *  3. Without --cluster the word is the one-file form, or ASTRA-sim's files are given by options.
 *  4. A job's groups take the place of those of files; both is an error.
 */
#ifndef ORRERY_CLI_WORK_H
#define ORRERY_CLI_WORK_H

#include "cli/inputs.h"
#include "model/trace.h"
#include "workloads/generate/job_graph.h"
#include "workloads/generate/job_spec.h"

struct work {
    struct job_spec spec; /* if has_spec */
    bool has_spec;
    bool has_framework; /* rule 2: only spec.framework is there */
    struct layer_book book;
    struct job_graph job;
    bool has_job; /* generated */
    struct workload files;
    bool has_files;
    struct workload scaled; /* of the files */
    bool has_scaled;
};

void work_init(struct work *work);
void work_release(struct work *work);

/* Reads configuration and, of a job, its specification. */
enum status work_configure(struct work *work, const struct inputs *inputs, struct config *config,
                           struct group_file *groups, struct notices *notices, struct diag *diag);

/* Then reads the traces, or generates them and fills `groups`. */
enum status work_open(struct work *work, const struct config *config, struct group_file *groups,
                      struct notices *notices, struct diag *diag);

/* What work_open() made. */
const struct workload *work_load_of(const struct work *work);

#endif
