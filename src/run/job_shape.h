/*
 * job_shape - what the traces of a job are once it is left open which ranks they name.
 *
 * Traces of one shape have the same nodes, durations, sizes, tags and dependencies, and use groups
 * and peers in the same places; which groups and peers those are may differ. A trace's groups and
 * peers are numbered by first use: its *slots*. Two ranks of one shape do the same if what fills
 * their slots is alike, which message_types.h and partition.h look at.
 *
 * A peer slot is all messages to, or from, one peer as the trace names it. Sums of hashes of (tag,
 * size) say which: sender and receiver name the same messages if these are equal.
 */
#ifndef ORRERY_RUN_JOB_SHAPE_H
#define ORRERY_RUN_JOB_SHAPE_H

#include "base/arena.h"
#include "run/prepare.h"

struct peer_slot {
    uint32_t node;           /* one of the nodes that name the peer */
    uint64_t sent, received; /* sums over the messages to it, from it; 0: none */
};

struct trace_shape {
    uint32_t shape;    /* equal: the same shape */
    uint32_t *group;   /* [group_count] group name of each slot, or TRACE_NONE: all ranks */
    uint32_t *slot_of; /* [node] group slot of a collective, peer slot of a message */
    struct peer_slot *peer;
    uint32_t group_count, peer_count;
    bool names_a_root; /* a rooted collective names its root */
};

struct job_shape {
    struct arena arena;
    struct trace_shape *of_trace; /* [workload->trace_count] */
    uint32_t shape_count;
};

/* O(nodes + edges) of the distinct traces. */
void job_shape_init(struct job_shape *job, const struct workload *workload,
                    const struct graph *graphs, const uint64_t *variant);
void job_shape_release(struct job_shape *job);

#endif
