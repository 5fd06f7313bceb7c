/*
 * drain - when flows that are held back by the same link finish.
 *
 * Flows of one bottleneck have the same rate, so they are served in step: a group counts the bytes
 * that each of its flows has been served, and a flow finishes when the count reaches what it was at
 * the start plus the flow's bytes. A group's change of rate is O(1), however many flows it has;
 * only flows that change groups are touched (virtual time, as in fair queueing: Demers, Keshav,
 * Shenker, "Analysis and simulation of a fair queueing algorithm", SIGCOMM 1989).
 *
 * Rules:
 *  1. Groups are 0 .. group_count - 1, flows any dense numbers. Rates are in bytes per ps.
 *  2. A flow has bytes left (drain_set), is in a group (drain_join), leaves it with what it has
 *     left (drain_leave), or is taken when it is done (drain_take).
 *  3. An instant is a whole ps and the rest of the exact time, in steps of 2^-20 ps: finishes are
 *     told to the nearest ps, but what is left of other flows counts from the exact time, so that
 *     rounding does not add up along chains of flows. drain_settle() after a round of changes,
 *     before drain_next() and drain_take().
 *  4. Flows that are done in the same ps come group by group, in an order that depends only on the
 *     calls made before.
 *  5. Bytes are counted in whole units of 2^-76 B and a rate serves a whole number of them in a
 *     step. Sums are exact (modulo 2^128, which only differences see): which of two groups of one
 *     rate a flow was in, and what others did meanwhile, changes no bit of when it is done. (With
 *     floating point it did, in the last bits, which is enough for symmetric flows to end in two
 *     instants; chains of messages amplify that.)
 */
#ifndef ORRERY_NET_MODEL_DRAIN_H
#define ORRERY_NET_MODEL_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/grow.h"
#include "base/units.h"
#include "net/model/id_heap.h"

#define DRAIN_NONE UINT32_MAX

/* The exact time is ps + rest_ps. */
struct drain_instant {
    time_ps ps;
    double rest_ps; /* -0.5 to 0.5, in whole steps */
};

typedef unsigned __int128 drain_amount; /* in units, rule 5 */

/* The most that a flow may have left; larger messages go piece by piece. */
#define DRAIN_MOST_BYTES ((uint64_t)1 << 50)

struct drain_group {
    drain_amount served; /* by each flow that was in it all along, at `since` */
    drain_amount rate;   /* per step */
    struct drain_instant since;
    uint32_t root;   /* flow + 1 that finishes first, or 0 */
    bool is_touched; /* in `touched` */
};

/* Pairing heap by finish: Fredman, Sedgewick, Sleator, Tarjan, Algorithmica 1, 1986. */
struct drain_flow {
    drain_amount finish; /* in a group: its count then; else what is left */
    uint32_t group;
    uint32_t child, next, prev; /* flow + 1; prev of a first child is its parent */
};

struct drain {
    struct drain_group *group;
    struct grow flows; /* struct drain_flow */
    struct id_heap due;
    uint32_t *touched;
    uint32_t touched_count;
};

void drain_init(struct drain *drain, uint32_t group_count);
void drain_release(struct drain *drain);

/* A flow in no group with `bytes` (at most DRAIN_MOST_BYTES) left. */
void drain_set(struct drain *drain, uint32_t flow, uint64_t bytes);

/* Steps that `bytes` take alone at one rate, to the nearest; UINT64_MAX: more than that. */
uint64_t drain_steps_alone(uint64_t bytes, double rate_B_per_ps);

/* Steps of a duration, to the nearest; UINT64_MAX: more than that. */
uint64_t drain_steps_of(double duration_ps);

/* The instant `count` times `steps` after `from`; at most the end of simulated time. */
struct drain_instant drain_after_steps(struct drain_instant from, uint32_t count, uint64_t steps);

/* The same as drain_set() with what is left at `now` of `bytes` that were alone at one rate from
 * `begin` on. */
void drain_set_left(struct drain *drain, uint32_t flow, uint64_t bytes, double rate_B_per_ps,
                    struct drain_instant begin, struct drain_instant now);

uint32_t drain_group_of(const struct drain *drain, uint32_t flow);

/* Takes `flow` out of its group, if it is in one. */
void drain_leave(struct drain *drain, uint32_t flow, struct drain_instant now);
void drain_join(struct drain *drain, uint32_t flow, uint32_t group, struct drain_instant now);
void drain_set_rate(struct drain *drain, uint32_t group, double rate_B_per_ps,
                    struct drain_instant now);

/* Works out when each group that was touched has its next finish. */
void drain_settle(struct drain *drain);

/* Time of the next finish, TIME_NEVER if there is none. */
time_ps drain_next(const struct drain *drain);

/* Calls `done` for each flow that is done in the ps `now`; it is in no group then. Returns the rest
 * of the exact time of the last of them. */
double drain_take(struct drain *drain, time_ps now, void (*done)(void *context, uint32_t flow),
                  void *context);

/* The instant `duration_ps` (>= 0) after `from`; at most the end of simulated time. */
struct drain_instant drain_after(struct drain_instant from, double duration_ps);

#endif
