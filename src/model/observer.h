/*
 * observer - what the scheduler tells whoever keeps the books (src/stats implements it).
 *
 * Rules:
 *  1. Calls come in simulated-time order and carry the time; an observer never changes the run.
 *  2. op_begin() returns a handle that op_end() gets back. Ops of one rank may overlap. The end of
 *     what was only a part of an op (the wait for its launch) has the type OP_TYPE_COUNT: no node
 *     is done by it.
 *  3. For communication, `peers_ps` points to the time at which every peer had arrived, TIME_NEVER
 *     while that is not known; it stays valid until op_end() of that op.
 */
#ifndef ORRERY_MODEL_OBSERVER_H
#define ORRERY_MODEL_OBSERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"
#include "model/group.h"
#include "model/op.h"
#include "model/trace.h"

enum activity { ACTIVITY_COMPUTE, ACTIVITY_COMM, ACTIVITY_MEMORY, ACTIVITY_HOST, ACTIVITY_COUNT };

/* A collective that has ended on all its members. */
struct collective_record {
    enum collective_kind kind;
    const struct comm_group *group;
    uint32_t group_index;
    uint32_t groups; /* how many groups did the same: more than 1 in a folded run */
    const char *algorithm;
    uint64_t size_bytes;
    time_ps first_arrival_ps, last_arrival_ps, last_end_ps;
    bool moves_own_sizes; /* a custom collective: size_bytes is not what it moves */
    double uneven_bytes;  /* an uneven all-to-all: mean of what a member sends to others; 0: even */
};

struct observer_ops {
    uint32_t (*op_begin)(void *self, uint32_t rank, enum activity activity, int comm_kind,
                         const time_ps *peers_ps, time_ps now);
    void (*op_end)(void *self, uint32_t rank, uint32_t handle, enum op_type type, time_ps now);
    void (*rank_end)(void *self, uint32_t rank, time_ps compute_sum_ps, time_ps now);
    /* Node `node` of a trace that says what is in memory is issued, or has ended (its end follows
     * op_end()). */
    void (*node_moves)(void *self, uint32_t rank, const struct trace *trace, uint32_t node,
                       bool has_ended, time_ps now);
    void (*collective_end)(void *self, const struct collective_record *record);
};

struct observer {
    const struct observer_ops *ops;
    void *self;
};

/*
 * What every node of every simulated rank waited for, told to who asks (src/stats/timeline.h).
 * `rank` is a seat (sched/sched.h), `node` an index in its trace, FOLLOW_NONE: none.
 */
#define FOLLOW_NONE UINT32_MAX

struct follower_ops {
    /* It has a slot of `lane` (sched/slots.h); `parent` ended last of its parents. */
    void (*issued)(void *self, uint32_t rank, uint32_t node, uint32_t lane, uint32_t parent,
                   time_ps now);
    /* It was launched after that, and begins; or, not `by_host`, began late for no reason
     * (variation.start-delay). Not called if it began when it was issued. */
    void (*began)(void *self, uint32_t rank, uint32_t node, bool by_host, time_ps now);
    /* It is a collective, and takes part in the run's collective number `meeting`. */
    void (*joined)(void *self, uint32_t rank, uint32_t node, uint32_t meeting);
    /* It has ended. `peer`: of a collective, the member whose coming its last message goes back to;
     * of a receive, the send whose message it took; of a send, the receive that it had to wait for
     * (rendezvous). */
    void (*ended)(void *self, uint32_t rank, uint32_t node, uint32_t lane, uint32_t peer_rank,
                  uint32_t peer_node, time_ps now);
};

struct follower {
    const struct follower_ops *ops; /* NULL: nobody asks */
    void *self;
};

#endif
