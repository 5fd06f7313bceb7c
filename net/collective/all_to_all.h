/*
 * all_to_all - all-to-all in rounds, at once, and over domains; flat gathers and scatters.
 *
 * m = S/n goes from each position to each other; uneven sizes come with the request (linear and
 * pairwise). On a shape of domains of G = dim[0], N = n/G domains:
 *   linear      everything at once, to p + 1, p + 2, ..: a + m b with a link to each peer,
 *               (n-1) m b through one port. gather, scatter, broadcast, reduce: the root and every
 *               other position directly
 *   pairwise    round i: to p + i, from p - i, then the next: (n-1)(a + m b)
 *   two-step    in the domain, position l gets all that goes to an l-th position of any domain; then
 *               along rails what goes there: (G-1)(a + N m b) + (N-1)(a + G m b)
 *   rail-aware  for one domain after the other: its members' parts to the position on the right
 *               rail, which sends them on in one message while the next are collected:
 *               (a + m b) + (N-1)(a + G m b) with a link to each peer of the domain
 * Sources: Thakur, Rabenseifner, Gropp 2005; MSCCL two-step; NCCL 2.12 PXN.
 */
#ifndef ORRERY_NET_COLLECTIVE_ALL_TO_ALL_H
#define ORRERY_NET_COLLECTIVE_ALL_TO_ALL_H

#include "model/collective.h"

extern const struct collective_ops collective_linear;
extern const struct collective_ops collective_pairwise;
extern const struct collective_ops collective_two_step;
extern const struct collective_ops collective_rail;

#endif
