/*
 * simulate - the whole of a run: check everything, simulate, prove the laws, give the result.
 *
 * Rules:
 *  1. `config` and `workload` are borrowed and not changed. Several runs may exist in one process.
 *  2. preflight() finds everything that can be found without simulating; simulate() calls it first.
 *  3. A finding about the simulated system (stuck, mismatch, limit) is in result->status and in the
 *     return value; the result is then valid up to result->end_ps. For all other failures the
 *     result is empty and `diag` says why.
 */
#ifndef ORRERY_RUN_SIMULATE_H
#define ORRERY_RUN_SIMULATE_H

#include "base/diag.h"
#include "config/config.h"
#include "config/group_file.h"
#include "model/trace.h"
#include "sched/sched.h"
#include "stats/critical_path_blame.h"
#include "stats/link_series.h"
#include "stats/rank_terms.h"
#include "stats/result.h"
#include "stats/sensitivity.h"
#include "stats/timeline.h"

/* Called every few thousand events; return false to stop the run cleanly (STATUS_INTERRUPTED). */
struct simulate_watch {
    bool (*watch)(void *context, time_ps now, uint64_t events);
    void *context;
};

/* What a run is asked beside its result; each may be NULL. */
struct simulate_also {
    const struct simulate_watch *watch;
    struct timeline *timeline;       /* filled, in a finished run; the caller's to release */
    struct link_series *links;       /* filled, if the network model sees links; initialised */
    struct path_blame *blame;        /* with timeline: its critical path, proved; initialised */
    struct rank_terms *terms;        /* with blame: its ranks' times, proved; initialised */
    struct sensitivity *sensitivity; /* with blame: initialised; a notice says if there is none */
    const struct sched_free *free;   /* takes no time in this run */
};

/* Parses nothing and simulates nothing: cross-checks traces, groups, network and algorithms. */
enum status preflight(const struct config *config, const struct workload *workload,
                      const struct group_file *groups, struct notices *notices, struct diag *diag);

/* Runs to the end. `watch` may be NULL. result must be initialised; release it in every case. */
enum status simulate(const struct config *config, const struct workload *workload,
                     const struct group_file *groups, const struct simulate_watch *watch,
                     struct run_result *result, struct diag *diag);

/* The same, with more asked of it. */
enum status simulate_also(const struct config *config, const struct workload *workload,
                          const struct group_file *groups, const struct simulate_also *also,
                          struct run_result *result, struct diag *diag);

#endif
