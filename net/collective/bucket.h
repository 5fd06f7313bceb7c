/*
 * bucket - rings in one dimension or in several: all-reduce, all-gather, reduce-scatter.
 *
 * Each position's block is cut into parts; each part goes round a ring of its own, or through the
 * dimensions in an order of its own: a reduce-scatter in the first, then in the next, .., and an
 * all-gather back. In a dimension of d positions, the data of a step are all blocks with one
 * coordinate there: step j sends what belongs j + 1 back, d - 1 steps. n = product of d_i,
 * m = S/n (all-gather: m = S of one position), k parts, all at once:
 *   reduce-scatter, all-gather   sum (d_i - 1) a + (n - 1) m/k b     all-reduce: twice that
 *
 *   bidirectional-ring        one dimension, 2 parts, one each way
 *   multi-ring                `channels` parts: rings of stride s = 1, n-1, and other units mod n,
 *                             which share no directed pair of positions. On a shape of domains a
 *                             ring goes through all of a domain before the next and channel c
 *                             enters each at c, so channels leave through different NPUs. In a
 *                             full mesh it goes c, c+1, c-1, c+2, ..: of an even number of NPUs
 *                             each link of the mesh is in one ring (Walecki).
 *   hierarchical              dimension 0, then all others as one ring; 1 part
 *   torus-bucket              all dimensions in order, one direction, 1 part (one port)
 *   torus-bucket-multiport    2 parts for each of the D dimensions, starting there, one each way:
 *                             every link of the torus in both directions at every step
 * A dimension without wrap-around is a ring 0, 2, 4, .., 5, 3, 1: no step is over more than two
 * links, and no link carries two messages of one direction.
 * Sources: Patarasuk & Yuan 2009; Barnett et al. 1993 (bucket); Sack & Gropp 2012 (multiport);
 * Cho et al. 2019 (BlueConnect, hierarchical).
 */
#ifndef ORRERY_NET_COLLECTIVE_BUCKET_H
#define ORRERY_NET_COLLECTIVE_BUCKET_H

#include "model/collective.h"

/* One part in one direction: the program of `ring` (exchange.h), but all-to-all, described. */
void bucket_ring_program(const struct schedule_request *request, const struct schedule *schedule,
                         uint32_t position, struct arena *arena, struct program *program);

extern const struct collective_ops collective_bidirectional_ring;
extern const struct collective_ops collective_multi_ring;
extern const struct collective_ops collective_hierarchical;
extern const struct collective_ops collective_torus_bucket;
extern const struct collective_ops collective_torus_bucket_multiport;

#endif
