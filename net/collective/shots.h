/*
 * shots - all-reduce between all pairs at once.
 *
 *   one-shot   every position sends all it has to every other, and adds what it gets, one after the
 *              other: a + S b + (n-1) S r with a link to each peer; (n-1) S b through one port
 *   two-shot   a reduce-scatter and an all-gather, each of n-1 messages of m = S/n at once:
 *              2 (a + m b) + (n-1) m r with a link to each peer; 2 (n-1) m b through one port
 * Source: the all-pairs schedules of MSCCL (Cowan et al. 2023).
 */
#ifndef ORRERY_NET_COLLECTIVE_SHOTS_H
#define ORRERY_NET_COLLECTIVE_SHOTS_H

#include "net/collective/lanes.h"

extern const struct collective_ops collective_one_shot;
extern const struct collective_ops collective_two_shot;

/*
 * The two halves of two-shot, for others to use, over the members first, first + stride, .. of
 * which the position is number `own` of `count`: after step `last`, member i gets the `width`
 * pieces from i * width on and adds them (reduce), or sends its own (gather). Uses the slots
 * slot .. slot + count - 2. Return the last step.
 */
struct shot_group {
    uint32_t first, stride, count, own, width;
};
uint32_t shots_reduce_scatter(struct lanes *lanes, const struct shot_group *group, uint32_t slot,
                              uint32_t last);
uint32_t shots_all_gather(struct lanes *lanes, const struct shot_group *group, uint32_t slot,
                          uint32_t last);

#endif
