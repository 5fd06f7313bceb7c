/*
 * workers_parts - what the files of workers share: the pool, its workers, and a worker's own side.
 */
#ifndef ORRERY_BASE_WORKERS_PARTS_H
#define ORRERY_BASE_WORKERS_PARTS_H

#include <stdio.h>
#include <sys/types.h>

/* libev's headers alias its watcher types by design. */
#define EV_STRICT_ALIASING 1
#include <ev.h>

#include "base/workers.h"

struct pool;

struct worker {
    struct pool *pool;
    uint32_t index;
    pid_t pid;             /* 0: none */
    int to, from;          /* pipes; -1 */
    FILE *words;           /* what it writes to standard error */
    bool is_busy, is_over; /* is_over: its end has been ordered, `end` says why */
    uint64_t task;
    uint32_t tries;
    double start_s;
    enum work_end end;
    unsigned char *reply;
    size_t length, room;
    ev_io readable;
    ev_child child;
    ev_timer limit;
};

struct pool {
    const struct workers_options *options;
    const struct workers_ops *ops;
    void *context;
    struct ev_loop *loop;
    struct worker *worker;
    uint32_t living, busy;
    enum status status;
    struct diag *diag;
    ev_signal interrupt, terminate;
    ev_timer tick, memory;
};

/* In the forked process: binds it, and does tasks until the master's pipe ends. */
_Noreturn void worker_serve(const struct worker *worker, pid_t master, int tasks, int replies);

/* Why its task has no reply: `how` is of waitpid(). */
void worker_describe(struct worker *worker, int how, struct work_outcome *outcome);

/* What the process has resident, 0 if it is gone. */
uint64_t worker_resident_bytes(pid_t pid);

#endif
