/*
 * rooted - broadcast, reduce, gather, scatter over a binomial tree, and the dissemination barrier.
 *
 * Virtual position v = (p - root) mod n; v's parent is v without its lowest set bit. A position
 * sends to one child at a time, the farthest first; L = ceil(log2 n), T message, e hand-over,
 * r reduction, m one rank's part; equal starts, no contention, n a power of two:
 *   broadcast, reduce   L (T(d) + e [+ r]) + e
 *   gather, scatter     sum over k < L of (T(m 2^k) + e), + e
 *   barrier             L (T(0) + e) + e
 * Source: Thakur, Rabenseifner, Gropp 2005; Hensgen, Finkel, Manber 1988 (dissemination).
 */
#ifndef ORRERY_NET_COLLECTIVE_ROOTED_H
#define ORRERY_NET_COLLECTIVE_ROOTED_H

#include "model/collective.h"

extern const struct collective_ops collective_binomial;
extern const struct collective_ops collective_dissemination;

#endif
