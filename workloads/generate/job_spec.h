/*
 * job_spec - a training job: a model, the framework that trains it, and how it is divided over
 * devices.
 *
 * Rules:
 *  1. From a YAML file with the keys `model` (a preset's name or a file), `framework` (the same;
 *     "megatron" if absent) and `plan` (a map, train_plan.h); or from the name of a model's preset
 *     alone. Paths are relative to the file's folder.
 *  2. What is said later wins: defaults of a plan, the framework's, the file's,
 *     job_spec_override()'s.
 *  3. job_spec_finish() is told the number of devices and completes the plan; it refuses what does
 *     not fit.
 *  4. Text and structures are owned by spec->arena.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_JOB_SPEC_H
#define ORRERY_WORKLOADS_GENERATE_JOB_SPEC_H

#include "workloads/generate/framework.h"
#include "workloads/generate/model_spec.h"
#include "workloads/generate/train_plan.h"

struct job_spec {
    struct arena arena;
    const char *name; /* as given */
    uint64_t hash;    /* of the file's bytes; 0 for a preset alone */
    struct model_spec model;
    struct framework framework;
    struct train_plan plan;
};

void job_spec_init(struct job_spec *spec);
void job_spec_release(struct job_spec *spec);

/* True if the YAML file at `path` is a job: it has a key of jobs (model, framework,
 * plan) and no section of a cluster. */
bool job_spec_is_file(const char *path);

enum status job_spec_load(struct job_spec *spec, const char *name, struct notices *notices,
                          struct diag *diag);

/* Takes another framework in place of the job's, and what it decides in a plan. */
enum status job_spec_framework(struct job_spec *spec, const char *name, struct notices *notices,
                               struct diag *diag);

/* Reads "tp=8,pp=4,recompute=full" over the plan. */
enum status job_spec_override(struct job_spec *spec, const char *text, struct diag *diag);

enum status job_spec_finish(struct job_spec *spec, uint32_t devices, struct notices *notices,
                            struct diag *diag);

#endif
