/*
 * sweep - runs a study: asks the store, gives the rest to workers, and stores each result as it
 * comes.
 *
 * Rules:
 *  1. What a point is, is the caller's (sweep_ops); how it is run, kept and found again is here.
 *  2. A result that depends on this machine (crash, limits, killed) is kept like any other; `retry`
 *     runs those again. An unreadable file (state "io") is always tried again.
 *  3. After any end the same call goes on where it was: the store has each point that ended.
 *  4. An engine says where points run: sweep_run() is `local`; slurm_sweep.h submits, and its tasks
 *     call sweep_run() with a part of the points each, and a store of their own.
 */
#ifndef ORRERY_SWEEP_SWEEP_H
#define ORRERY_SWEEP_SWEEP_H

#include "base/diag.h"
#include "sweep/identity.h"
#include "sweep/measure.h"
#include "sweep/progress.h"
#include "sweep/study.h"

enum { SWEEP_INPUTS = 1 << 14 };

/* The files that a point read, each once. */
struct input_list {
    struct input_file *file;
    uint32_t count, room;
};

/* `path` is made absolute. A file that is listed already stays. */
void input_list_add(struct input_list *list, const char *role, const char *path, uint64_t hash);
void input_list_release(struct input_list *list);

struct sweep_ops {
    /* In a worker: runs the point at `place` of the grid, and lists what it read. */
    void (*run)(void *context, uint32_t place, struct point_result *result,
                struct input_list *inputs);

    /* In the master: the files that the point's values name, for points that cannot say. */
    void (*named)(void *context, uint32_t place, struct input_list *inputs);

    /* In the master, for each point that will run, before there are workers: reads what they then
     * share. May be NULL. */
    void (*warm)(void *context, uint32_t place);
};

/* Some points of a study, for a store that nobody else opens. */
struct sweep_part {
    const uint32_t *ordinal; /* [count] */
    const struct identity
        *request; /* [count]: what they must be; else the program is another one */
    uint32_t count;
    const char *progress; /* a file that says how far it is: progress_save() */
};

struct sweep_options {
    const char *store;
    const char *program; /* identity_program() */
    uint32_t workers;    /* 0: one a core */
    bool is_unbound, retry;
    double time_limit_s;         /* 0: the study's */
    uint64_t memory_limit_bytes; /* 0: the study's, or this machine's over the workers */
    enum progress_show show;
    const struct sweep_part *part; /* NULL: all points */
};

/* Fills *progress for progress_summary() also where it fails after the points were found. */
enum status sweep_run(const struct study *study, const struct sweep_options *options,
                      const struct sweep_ops *ops, void *context, struct progress *progress,
                      struct diag *diag);

#endif
