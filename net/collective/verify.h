/*
 * verify - proves that a schedule does what its collective promises.
 *
 * The data flow is followed symbolically: each place of each position's data holds nothing, or one
 * piece with the set of positions whose contributions are in it. A schedule is right if
 *  1. every send has exactly one receive, of the same bytes, and the other way round; the bytes of
 *     a step are those of the pieces it carries;
 *  2. every step can start (no deadlock);
 *  3. nothing is sent that is not there, and no contribution is added twice;
 *  4. the end is what the kind must give: reductions have every position's contribution once;
 *  5. no two steps of which one writes a place can run in either order (two reductions may).
 * The fifth makes the result independent of time, so that one order proves all.
 */
#ifndef ORRERY_NET_COLLECTIVE_VERIFY_H
#define ORRERY_NET_COLLECTIVE_VERIFY_H

#include "model/collective.h"

enum { VERIFY_MOST_POSITIONS = 256, VERIFY_MOST_STEPS = 1 << 16 };

/* What the places of each position hold before and after; UINT32_MAX: nothing, or whatever. */
struct data_layout {
    uint32_t places;             /* of each position */
    uint32_t pieces;             /* numbers of pieces are below that */
    const uint32_t *begin, *end; /* [position * places + place]: a piece */
};

/* What a schedule that is right costs, counted on its graph. */
struct verified {
    uint64_t messages, total_bytes;
    uint64_t port_bytes;    /* the most that a position sends, or receives */
    uint64_t latency_terms; /* messages on the longest path */
    uint64_t time;          /* of the longest path, in the units of verify_weights */
};

/* A message of m bytes takes latency + m per_byte, a reduction m per_reduced_byte. */
struct verify_weights {
    uint64_t latency, per_byte, per_reduced_byte;
};

/* Checks `program[n]`, described, of `schedule`. The diag names position, step and piece. */
enum status verify_programs(const struct schedule_request *request, const struct schedule *schedule,
                            const struct program *program, const struct verify_weights *weights,
                            struct verified *verified, struct diag *diag);

/* Plans, describes and checks an algorithm. The request has passed its check(). */
enum status verify_algorithm(const struct collective_ops *ops,
                             const struct schedule_request *request,
                             const struct verify_weights *weights, struct verified *verified,
                             struct diag *diag);

/* The layout of model/collective.h, rule 3. */
struct data_layout *verify_standard_layout(const struct schedule_request *request, uint32_t pieces,
                                           struct arena *arena);

#endif
