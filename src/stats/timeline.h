/*
 * timeline - when each node of each simulated rank began and ended, and what it waited for.
 *
 * Rules:
 *  1. Kept only if asked for: 33 bytes a node of each *seat* (a simulated rank; in a folded run it
 *     stands for its class). timeline_begin() refuses what would take more than half of
 *     memory_limit().
 *  2. Each node was issued at an instant at which something ended: its last parent, the op before
 *     it on its lane (sched/slots.h), or, for children of ASTRA-sim's zero-cost nodes, any op of
 *     its rank. That is its `cause`, and ended when the node was issued. If it began later than
 *     that, it waited for the host to launch it; with GATE_WAKE, for nothing that is known.
 *     GATE_START: it was issued at time 0.
 *  3. `peer` is what it waited for while it ran (follower_ops.ended of model/observer.h).
 *  4. Nodes are numbered over all seats: first[seat] + index in the trace.
 *  5. Of a job with more ops than `want` allows only some ranks are followed: those wanted, evenly
 *     spaced so that they have most_shown ops (one rank at least). Other seats have no nodes here,
 *     what was waited for on them is not known, and there is no critical path to be found. A rule
 *     of the job alone, whatever memory there is.
 */
#ifndef ORRERY_STATS_TIMELINE_H
#define ORRERY_STATS_TIMELINE_H

#include "base/diag.h"
#include "model/observer.h"
#include "sched/sched.h"

#define TIMELINE_NONE UINT32_MAX

enum timeline_gate { GATE_START, GATE_PARENT, GATE_LANE, GATE_WAKE };

struct timeline_op {
    time_ps begin, end;  /* TIME_NEVER: it did not */
    uint32_t cause : 30; /* index in the same trace; none with GATE_START */
    uint32_t gate : 2;   /* enum timeline_gate */
    uint32_t peer;       /* rule 4, or TIMELINE_NONE */
};

/* Rule 5. Set in a timeline after timeline_init(). */
struct timeline_want {
    uint64_t most_ops;    /* all are followed if there are no more; 0: in any case */
    uint64_t most_shown;  /* else so many, of the ranks below */
    const uint32_t *rank; /* [rank_count], borrowed; NULL: all that are simulated */
    uint32_t rank_count;
};

struct timeline {
    const struct workload *workload; /* borrowed */
    struct timeline_want want;
    uint32_t *followed; /* [followed_count] ranks, if not all are (rule 5); else NULL */
    uint32_t followed_count;
    uint32_t seats;
    uint32_t *rank_of_seat; /* [seats] the rank that was simulated */
    uint32_t *ranks;        /* [seats] how many it stands for */
    uint32_t *first;        /* [seats + 1] rule 4 */
    struct timeline_op *op;
    uint8_t *lane;     /* of each op */
    uint32_t *meeting; /* of each op: number of the collective it took part in, or TIMELINE_NONE */
    uint32_t *ended;   /* ops in the order in which they ended */
    uint32_t ended_count, meetings;
    uint32_t *last_done; /* [seats]: the node that ended last */
    uint32_t *lane_done; /* [seats][256]: the same of each lane, + 1 */
};

extern const struct follower_ops timeline_follower;

void timeline_init(struct timeline *timeline);
void timeline_release(struct timeline *timeline);

/* Begins anew for a run of `workload`; `fold` says which ranks stand for others, NULL: none do. */
enum status timeline_begin(struct timeline *timeline, const struct workload *workload,
                           const struct rank_fold *fold, struct diag *diag);

static inline uint32_t timeline_trace(const struct timeline *timeline, uint32_t seat)
{
    return timeline->workload->trace_of_rank[timeline->rank_of_seat[seat]];
}

/* The seat of op number `op`. O(log seats). */
uint32_t timeline_seat(const struct timeline *timeline, uint32_t op);

/* When op `op` of `seat` was issued: when its cause ended. */
time_ps timeline_issued(const struct timeline *timeline, uint32_t seat, uint32_t op);

/* Ops that took part in each collective, ascending: op[first[m]] .. op[first[m + 1] - 1]. */
struct timeline_members {
    uint32_t *first, *op;
};
void timeline_members_find(const struct timeline *timeline, struct timeline_members *members);
void timeline_members_release(struct timeline_members *members);

#endif
