/*
 * replay - a finished run as a graph of what waited for what, to be timed again with one class of
 * parameters faster or slower.
 *
 * Events are the begin and the end of every op of every simulated rank, and the coming of the last
 * member of every collective. An edge says that one event is at least so long after another:
 *  - an op begins after the ends of all its parents, of the op before it on its lane, and when the
 *    host has launched it;
 *  - it ends its time after its begin; a receive also not before the end of its send; a collective,
 *    on each member, as long as it did after the member that it waited for (critical_path.h), and
 *    after each other member as long as it takes alone if that one is last (struct replay_profile).
 *    Without a profile: as long after the last one to come as after the one that was waited for;
 *    but if that one came last and was not the one, at most half of it.
 * Each edge knows how much of its length scales with what (critical_path_parts.h). The time of the
 * run at a changed parameter is the longest path: convex and piecewise linear in the parameter.
 *
 * Rules:
 *  1. Unchanged, every event is when it was, to the picosecond: replay_init() proves it.
 *  2. What the graph leaves out: it keeps the order of ops on a lane, the algorithms of
 *     collectives, how long messages of different collectives made each other, and how long
 *     communication lasted beside the compute that it slowed.
 *     A message's time beyond that of an idle network, under a model with contention, is taken for
 *     bandwidth.
 *  3. A compute op that communication slowed for a part of its time only was slowed as long as that
 *     took: of its slowed time s/(1 + slowdown) changes with the slowdown, to first order, and with
 *     the links that the communication waits for slowdown/(1 + slowdown) of its changes. One that
 *     is slower by variation (config variation_config) takes as many times longer as a whole.
 *  4. Two bounds of an op are two edges: under the roofline model, that of the peak rate and that
 *     of local memory.
 *  5. Times are doubles: runs of up to 2^53 ps (2.5 hours of simulated time).
 */
#ifndef ORRERY_STATS_REPLAY_H
#define ORRERY_STATS_REPLAY_H

#include "feed/graph.h"
#include "stats/critical_path_parts.h"

/*
 * A collective alone: what its members need until their ends after each one comes. delay_ps[e] of
 * entry e = replay_entry(count, i, j): end of member i after member j, if that one is last by far;
 * below 0: it does not wait for it. j = count: all come at once (not of a single member).
 * share_ps[e * REPLAY_LINK_KEYS + k]: what of that changes with key PATH_PART_COUNT + k, latencies
 * and bandwidths by dimension. Far from what the links are other
 * messages may decide: a bend is a line that the delay of `entry` is not below when k changes by x,
 * time_ps + x share_ps.
 */
enum { REPLAY_LINK_KEYS = 2 * CONFIG_MAX_DIMS };

static inline uint32_t replay_entry(uint32_t count, uint32_t i, uint32_t j)
{
    return i * (count + 1) + j;
}

struct replay_bend {
    uint32_t entry, k;
    double time_ps, share_ps;
};

struct replay_profile {
    uint32_t count;       /* members */
    const uint32_t *seat; /* [count] ascending */
    const double *delay_ps, *share_ps;
    const struct replay_bend *bend; /* ascending by entry */
    uint32_t bend_count;
};

struct replay_input {
    const struct timeline *timeline;
    const struct graph *graphs;
    struct path_splitter *splitter;
    const time_ps *const *launch_ps;       /* as in sched_parts */
    const struct replay_profile *profiles; /* by number, or NULL: */
    const uint32_t *profile_of;            /* [meetings] a number, or UINT32_MAX: none */
    time_ps end_ps;                        /* of the run */
};

struct replay_share {
    double time_ps;
    uint32_t key; /* replay_key() */
};

struct replay {
    uint32_t seats;
    uint32_t events; /* in an order in which each comes after those that it waits for */
    uint32_t *first; /* [events + 1] edges to each */
    uint32_t *seat;  /* [events] */
    uint32_t *from;  /* of each edge: an event */
    double *weight_ps;
    double *change_ps; /* the part of it that is changed: replay_select() */
    uint32_t *share;   /* [edges + 1] first share of each edge */
    struct replay_share *shares;
    double *time_ps, *slope_ps; /* [events] of the last replay_at() */
};

/* What can be selected: a part (and dimension, -1: none), or the compute of a rank. */
enum { REPLAY_OWN = PATH_PART_COUNT + 2 * CONFIG_MAX_DIMS, REPLAY_KEYS };
uint32_t replay_key(enum path_part part, int dim);

/* Borrows nothing afterwards. STATUS_LAW if rule 1 does not hold, STATUS_NO_MEMORY or STATUS_LIMIT
 * if the run is too large for it. replay_release() is due in every case. */
enum status replay_init(struct replay *replay, const struct replay_input *input, struct diag *diag);
void replay_release(struct replay *replay);

/* From now on `key` is what changes; of seat `seat` only, or of all (UINT32_MAX). False: there is
 * nothing of it in the run. */
bool replay_select(struct replay *replay, uint32_t key, uint32_t seat);

/* When the run ends if what is selected takes 1 + `more` times as long, and how that changes: per
 * unit of `more`, the most or the least of what it is on both sides. O(edges). */
struct replay_time {
    double end_ps, slope_ps;
};
struct replay_time replay_at(const struct replay *replay, double more, bool is_most);

#endif
