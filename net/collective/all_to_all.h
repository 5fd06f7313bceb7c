/*
 * all_to_all - all-to-all in rounds or at once; flat gathers, scatters, broadcasts and reductions.
 *
 * m = S/n goes from each position to each other; uneven sizes come with the request.
 *   linear      everything at once, to p + 1, p + 2, ..: a + m b with a link to each peer,
 *               (n-1) m b through one port. gather, scatter, broadcast, reduce: the root and every
 *               other position directly
 *   pairwise    round i: to p + i, from p - i, then the next: (n-1)(a + m b)
 * Source: Thakur, Rabenseifner, Gropp 2005.
 */
#ifndef ORRERY_NET_COLLECTIVE_ALL_TO_ALL_H
#define ORRERY_NET_COLLECTIVE_ALL_TO_ALL_H

#include "model/collective.h"

extern const struct collective_ops collective_linear;
extern const struct collective_ops collective_pairwise;

#endif
