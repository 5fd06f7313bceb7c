/*
 * rank_time - who owns each instant of a rank: one op that runs then, a launch, or nothing.
 *
 * Rules:
 *  1. The first that applies, as in the breakdown (result.h): a compute op runs; communication
 *     runs; a remote memory access; a host op, or the host has not launched yet what the device
 *     waits for; nothing. Of several the one that began first (at one instant: the first node).
 *  2. Of what communication owns, the part before all its peers have come is waiting: for a
 *     collective, until its last member came; for a receive, until its message was sent. The rest
 *     moves data.
 *  3. It differs from the breakdown in one thing: with rendezvous, a receive waits until its send
 *     is there, and a send until its receive is (the breakdown says that nobody waits idly).
 *  4. All times of a seat sum to the end of the run. rank_time_check() proves it, and that compute,
 *     communication, memory and, without rendezvous, waiting are what the breakdown says.
 *  5. Needs a timeline of a finished run. O(n log n) in the ops of the seat.
 */
#ifndef ORRERY_STATS_RANK_TIME_H
#define ORRERY_STATS_RANK_TIME_H

#include "model/observer.h"
#include "stats/result.h"
#include "stats/timeline.h"

/* An op that takes time, or the wait for its launch. */
struct owned_op {
    uint32_t op; /* timeline.h, rule 4 */
    enum activity activity;
    bool is_launch; /* begin to end: the wait */
    time_ps begin, end;
    time_ps moving;    /* communication: when its peers had come */
    time_ps owned_ps;  /* without waited_ps */
    time_ps waited_ps; /* rule 2 */
    time_ps early_ps;  /* is_launch: the part of owned_ps that is before `early` of the call */
    uint32_t next, previous; /* of those of its activity that run, oldest first */
};

struct rank_time {
    const struct timeline *timeline;
    bool has_rendezvous;
    time_ps *peers;      /* [meetings]: when the last member came */
    struct owned_op *op; /* of the seat that was found last, by node */
    uint32_t count, room;
    time_ps idle_ps, after_ps; /* nothing runs: before, and after the end of its last op */
    /* private */
    struct rank_event *event;
    uint32_t event_room;
};

void rank_time_init(struct rank_time *time, const struct timeline *timeline, bool has_rendezvous);
void rank_time_release(struct rank_time *time);

/* The times of `seat` in a run that ended at `end`. `early`: launches before it are told apart. */
void rank_time_find(struct rank_time *time, uint32_t seat, time_ps early, time_ps end);

/* Rule 4; STATUS_LAW, and what differs. */
enum status rank_time_check(const struct rank_time *time, const struct rank_result *result,
                            time_ps end, struct diag *diag);

#endif
