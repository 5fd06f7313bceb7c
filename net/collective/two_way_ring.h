/*
 * two_way_ring - a ring that passes whole blocks both ways: all-gather, reduce-scatter, all-reduce.
 *
 * Each block goes ceil((n-1)/2) positions forwards and floor((n-1)/2) backwards at the same time,
 * so no position is further than half of the ring: F = ceil((n-1)/2),
 *   all-gather, reduce-scatter  F (a + m b)     all-reduce  2 F (a + m b)
 * on links that carry both directions at once; (n-1) m b through one port. Source: the two-way
 * rings of TPU collectives (Jouppi et al. 2023).
 */
#ifndef ORRERY_NET_COLLECTIVE_TWO_WAY_RING_H
#define ORRERY_NET_COLLECTIVE_TWO_WAY_RING_H

#include "model/collective.h"

extern const struct collective_ops collective_bidirectional_ring_full;

#endif
