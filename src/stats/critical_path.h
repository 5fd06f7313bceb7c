/*
 * critical_path - the chain of ops from the end of a run to its start, each instant in one of them.
 *
 * From the op that ended last, backwards:
 *  - an op that takes a time of its own has that time; then what it was issued after (its last
 *    parent, or the op before it on its lane), or if it was launched later than that, the host,
 *    which launches from the start of the run on;
 *  - a collective has the time since the member came that its last message on the path's rank goes
 *    back to, from message to message that was waited for; then what that member was issued after.
 *    There is no waiting on the path: who waits, waits for another rank, and the path is there;
 *  - a receive has the time of its message, from the send on; then what the send was issued after.
 *    With rendezvous, the later of the two.
 *
 * Rules:
 *  1. Pieces are in order of time, without gap or overlap: the first begins at 0, the last ends at
 *     the makespan. critical_path_check() proves it.
 *  2. In a folded run a seat stands for the ranks of its class; the path goes through one of them.
 *  3. Where several causes end in one instant, one is taken (parent before lane): there may be
 *     other paths as long.
 */
#ifndef ORRERY_STATS_CRITICAL_PATH_H
#define ORRERY_STATS_CRITICAL_PATH_H

#include "stats/timeline.h"

enum path_step_kind {
    PATH_OP,      /* compute, host work, memory, and communication that is replayed */
    PATH_NETWORK, /* a collective or message moves data */
    PATH_LAUNCH,  /* the host launches what comes before, up to this op */
    PATH_IDLE,    /* nothing: children of a zero-cost node wait for an event (ASTRA-sim) */
};

struct path_piece {
    uint32_t seat, op; /* timeline.h, rule 4 */
    time_ps from, to;  /* from < to */
    enum path_step_kind kind;
};

struct critical_path {
    struct path_piece *piece;
    uint32_t count, room;
    time_ps end; /* makespan */
};

void critical_path_init(struct critical_path *path);
void critical_path_release(struct critical_path *path);

/* The path of a finished run that ended at `end`. */
void critical_path_find(struct critical_path *path, const struct timeline *timeline,
                        bool has_rendezvous, time_ps end);

/* Rule 1; STATUS_LAW and where it is broken. */
enum status critical_path_check(const struct critical_path *path, struct diag *diag);

#endif
