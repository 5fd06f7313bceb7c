/*
 * group_time - how long one collective of a training job takes on a system, by the library's cost
 * model.
 *
 * Rules:
 *  1. A group is `ranks` ranks that lie `stride` apart: of 64 ranks with tensor-parallel 8, a
 *     data-parallel group has 8 ranks of stride 8, one in each node of 8, and one NIC each.
 *  2. Times are those of net/collective/tuner, transfers longer by 1 / ratio. They are cached by
 *     (kind, bytes, group): asking again costs some 10 ns.
 *  3. Borrows the system; pure apart from the cache.
 */
#ifndef ORRERY_ESTIMATE_GROUP_TIME_H
#define ORRERY_ESTIMATE_GROUP_TIME_H

#include "base/arena.h"
#include "net/collective/tuner.h"

struct rank_group {
    uint32_t ranks, stride; /* at least 1 */
};

struct group_time_entry {
    uint64_t bytes;
    uint32_t ranks, stride, kind;
    double ns;
};

struct group_times {
    const struct tuner_system *system;
    uint32_t node, domain;          /* ranks of a node, of a scale-up domain */
    double ratio;                   /* of the library's rate that transfers reach, > 0 */
    struct group_time_entry *entry; /* direct-mapped cache */
};

/* The cache is of `arena`. ratio 0: 1. `domain` is the system's; a caller may lower it (a slice
 * of a torus). */
void group_times_init(struct group_times *times, const struct tuner_system *system, double ratio,
                      struct arena *arena);

/* `kind`: enum collective_kind or TUNER_SEND_RECEIVE (to the rank `stride` away); `bytes` by
 * rule 5 of model/trace.h. 0 for groups of one and for nothing to send. */
double group_time_ns(struct group_times *times, int kind, uint64_t bytes, struct rank_group group);

/* Scale-up domains that the group touches. */
uint32_t group_domains(const struct group_times *times, struct rank_group group);

#endif
