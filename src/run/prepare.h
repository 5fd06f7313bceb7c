/*
 * prepare - everything a run needs before its first event: graphs, groups, plans, all checked.
 */
#ifndef ORRERY_RUN_PREPARE_H
#define ORRERY_RUN_PREPARE_H

#include "config/config.h"
#include "config/group_file.h"
#include "feed/graph.h"
#include "sched/groups.h"
#include "sched/plan.h"

struct prepared {
    struct graph *graphs; /* [workload->trace_count] */
    uint32_t graph_count;
    struct groups groups;
    bool has_groups;
    struct plan_book book;
    struct trace **custom_traces; /* of custom collectives, owned */
    uint32_t custom_trace_count, custom_trace_room;
    struct custom_plan *custom;
    uint32_t custom_count;
    uint64_t node_total; /* over all ranks */
    const uint64_t
        *variant; /* [traces] sched_free.variant, borrowed, or NULL: set after prepare() */
};

/* Checks and builds everything; on failure `prepared` needs no release. */
enum status prepare(struct prepared *prepared, const struct config *config,
                    const struct workload *workload, const struct group_file *groups,
                    struct notices *notices, struct diag *diag);
void prepared_release(struct prepared *prepared);

#endif
