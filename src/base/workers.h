/*
 * workers - a pool of processes that do numbered tasks, under one libev loop of their master.
 *
 * Rules:
 *  1. A worker is forked from the master, so it sees all that the master had read, and does one
 *     task after the other. A task cannot hurt the pool: a worker that crashes, or that the master
 *     ends because it took too long or too much memory, is replaced, and its task has an outcome
 *     that says so.
 *  2. A worker that somebody else killed (SIGKILL) is replaced and its task done again,
 *     WORKERS_TRIES times in all: nothing is known about the task then.
 *  3. Workers end with the master, however it ends, and leave SIGINT and SIGTERM to it: they may be
 *     sent to all processes of a terminal or job, and are no crash of a task. They end the pool:
 *     STATUS_INTERRUPTED.
 *  4. Memory is what the worker has resident, looked at every 50 ms. Time is that of the clock.
 *  5. What a worker writes to standard error is no output: its last line is the reason of a crash.
 *  6. Messages are opaque bytes. In a worker only `work` runs; all else runs in the master.
 *  7. One pool at a time in a process.
 */
#ifndef ORRERY_BASE_WORKERS_H
#define ORRERY_BASE_WORKERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/placement.h"

enum { WORKERS_TRIES = 3, WORKERS_MOST = 1024, WORKERS_REPLY_MOST = 1 << 24 };

enum work_end { WORK_DONE, WORK_CRASHED, WORK_OVER_TIME, WORK_OVER_MEMORY, WORK_KILLED };

struct work_outcome {
    enum work_end end;
    const void *reply; /* WORK_DONE: what `work` gave; until the callback returns */
    size_t length;
    char reason[320]; /* of the others: "signal 11 (Segmentation fault)", and what it said */
    uint32_t tries;
    double seconds;
};

struct workers_ops {
    /* In a worker: does the task; *reply is the worker's until its next task. */
    size_t (*work)(void *context, uint64_t task, const void **reply);

    /* The next task, or false if there is none left. */
    bool (*next)(void *context, uint64_t *task);

    /* A task ended. Anything but STATUS_OK ends the pool with it. */
    enum status (*done)(void *context, uint64_t task, const struct work_outcome *outcome,
                        struct diag *diag);

    /* Every half second. May be NULL. */
    void (*tick)(void *context);
};

struct workers_options {
    uint32_t count;
    double time_limit_s;               /* 0: none */
    uint64_t memory_limit_bytes;       /* 0: none */
    const struct placement *placement; /* NULL: unbound */
};

/* Until all tasks have ended. */
enum status workers_run(const struct workers_options *options, const struct workers_ops *ops,
                        void *context, struct diag *diag);

#endif
