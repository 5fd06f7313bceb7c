/*
 * breakdown - the observer that keeps the books of a run: where each rank's time goes, and what
 * each kind of collective cost.
 *
 * Rules:
 *  1. A rank's time is cut at every begin and end of an op; each piece goes to one category
 *     (result.h), so categories sum to the finish time by construction.
 *  2. A piece of exposed communication belongs to the op that began first. The part of it before
 *     all peers had arrived is waiting; what is known at the end of a piece is enough to tell.
 *  3. O(1) per begin and end.
 */
#ifndef ORRERY_STATS_BREAKDOWN_H
#define ORRERY_STATS_BREAKDOWN_H

#include "base/grow.h"
#include "model/observer.h"
#include "stats/memory_track.h"
#include "stats/result.h"

struct active_op;
struct rank_book;

struct collective_book {
    struct collective_row row;
    double operation_bytes; /* as nccl-tests count them, summed */
    double bus_bytes;       /* the same through a member's port */
};

struct breakdown {
    struct rank_book *rank;
    uint32_t rank_count;
    struct grow active; /* struct active_op */
    uint32_t free_active;
    struct collective_book *collective;
    uint32_t collective_count, collective_room;
    struct group_row *group; /* [group_count] */
    uint32_t group_count;
    struct memory_track memory;
};

extern const struct observer_ops breakdown_observer;

/* Books for `rank_count` ranks and `group_count` groups. False if address space is exhausted. */
bool breakdown_init(struct breakdown *breakdown, uint32_t rank_count, uint32_t group_count);
void breakdown_release(struct breakdown *breakdown);

/* Closes ranks that have not finished at `now` (a run that was stopped or is stuck). */
void breakdown_close(struct breakdown *breakdown, time_ps now);

/* Copies ranks, collectives and groups into `result` (its arena). */
void breakdown_fill(const struct breakdown *breakdown, struct run_result *result);

#endif
