/*
 * swing - partners that swing to both sides at distances 1, 1, 3, 5, 11, .. along each dimension.
 *
 * In step s a position of even coordinate x meets x + rho(s), one of odd coordinate x - rho(s),
 * rho(s) = (1 - (-2)^(s+1)) / 3 = 1, -1, 3, -5, 11, ..: about a third of the distance of recursive
 * doubling, so less of a ring is shared. On D dimensions the steps go through the dimensions in
 * turn; the data is cut into 2D parts which start in each dimension, once as above and once with
 * the sides exchanged, so all links work. Each dimension is a power of two; L = log2 n:
 *   swing           reduce-scatter, all-gather  L a + (n-1) m/(2D) b;  all-reduce: twice that
 *                   (what is sent to a partner is what it will be the way to afterwards)
 *   swing-latency   all-reduce  L (a + S/(2D) b), the whole part at each step
 * Source: De Sensi et al., Swing, NSDI 2024.
 */
#ifndef ORRERY_NET_COLLECTIVE_SWING_H
#define ORRERY_NET_COLLECTIVE_SWING_H

#include "model/collective.h"

extern const struct collective_ops collective_swing;
extern const struct collective_ops collective_swing_latency;

#endif
