/*
 * domain_all_to_all - all-to-all through the scale-up domain: domains of G = dim[0], N = n/G of
 * them.
 *
 * m = S/n goes from each position to each other.
 *   two-step    in the domain, position l gets all that goes to an l-th position of any domain; then
 *               along rails what goes there: (G-1)(a + N m b) + (N-1)(a + G m b)
 *   rail-aware  for one domain after the other: its members' parts to the position on the right
 *               rail, which sends them on in one message while the next are collected:
 *               (a + m b) + (N-1)(a + G m b) with a link to each peer of the domain
 * Sources: MSCCL's two-step all-to-all; NCCL 2.12 PXN.
 */
#ifndef ORRERY_NET_COLLECTIVE_DOMAIN_ALL_TO_ALL_H
#define ORRERY_NET_COLLECTIVE_DOMAIN_ALL_TO_ALL_H

#include "model/collective.h"

extern const struct collective_ops collective_two_step;
extern const struct collective_ops collective_rail;

#endif
