/*
 * critical_path_slack - how much later each op could end without the run ending later.
 *
 * Backwards over the ops in the order in which they ended: an op may end as late as its children,
 * the next op on its lane and the receive of its message may begin (or end), if each of those takes
 * as long as it did and all keep their order. A collective's members may come as late as its last
 * one did, and that one as late as the ends of all allow; whom a member's end goes back to
 * (critical_path.h), as late as that end allows.
 *
 * Rules:
 *  1. Ops on the critical path have none. Between computes, messages and lanes it is exact: no
 *     more, no less. Of what leads to a collective it is up to the coming of the last member: one
 *     that comes so late may still make the collective longer, by what its first messages were
 *     ahead.
 *  2. Where contention or overlap make ops slower, what is delayed can change how long others take:
 *     slack is then of the run as it was.
 */
#ifndef ORRERY_STATS_CRITICAL_PATH_SLACK_H
#define ORRERY_STATS_CRITICAL_PATH_SLACK_H

#include "base/arena.h"
#include "feed/graph.h"
#include "stats/timeline.h"

/* Of each op of a finished run that ended at `end`, [timeline->first[seats]]; the caller's to
 * free. */
time_ps *path_slack_find(const struct timeline *timeline, const struct graph *graphs, time_ps end);

/* The ops of one class that take time, of the simulated ranks. */
struct slack_row {
    const char *name;
    uint32_t ops, critical; /* critical: no slack */
    time_ps median_ps, most_ps;
};

/* "gemm", "all-reduce", "send and receive", "host-work", .. */
const char *path_op_class(const struct trace *trace, const struct trace_node *node);

/* Rows by class, in order of first appearance, in `arena`; returns how many. */
uint32_t path_slack_rows(const struct timeline *timeline, const time_ps *slack, struct arena *arena,
                         struct slack_row **rows);

#endif
