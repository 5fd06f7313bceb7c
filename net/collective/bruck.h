/*
 * bruck - few messages, any n: Bruck's all-gather and all-to-all, and parallel aggregated trees.
 *
 *   bruck, radix r  In round k, w = r^k, each position sends to the r-1 positions d w away at once.
 *     all-gather   what it has, d w ahead: ceil(log_r n) a + .. ; r = 2: L a + (n-1) m b
 *     all-to-all   the blocks whose distance has the digit d there; they travel by digits:
 *                  r = 2: L a + sum over k of (blocks with bit k) m b, about L S/2 b
 *     A position hands over what it received in a round one after the other.
 *   pat             all-gather: distance 2^k from far to near, so the far messages are short; block
 *     b reaches b + d by the bits of d from the highest. reduce-scatter is the same backwards.
 *     `chunks` limits the blocks of one message (a buffer's size): sum of ceil(blocks / limit)
 *     messages, 0: no limit, L a + (n-1) m b.
 * Sources: Bruck et al. 1997; Jeaugey 2025 (PAT, arXiv 2506.20252).
 */
#ifndef ORRERY_NET_COLLECTIVE_BRUCK_H
#define ORRERY_NET_COLLECTIVE_BRUCK_H

#include "model/collective.h"

extern const struct collective_ops collective_bruck;
extern const struct collective_ops collective_pat;

#endif
