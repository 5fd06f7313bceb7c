/*
 * lone_trace - a trace with one node of another, which may come late: for runs of a collective with
 * nothing beside it.
 */
#ifndef ORRERY_RUN_LONE_TRACE_H
#define ORRERY_RUN_LONE_TRACE_H

#include "model/trace.h"

struct lone_trace {
    struct trace trace; /* points to what follows: not to be copied */
    struct trace_node node[2];
    uint64_t parent_begin[3];
    uint32_t parent[1];
};

/* `delay_ns` of compute, if that is any, then `node` of `from`, whose names of groups it borrows;
 * NULL: no node at all. */
void lone_trace_make(struct lone_trace *lone, const struct trace *from,
                     const struct trace_node *node, uint64_t delay_ns);

#endif
