/*
 * pipeline - broadcast and reduce of large data.
 *
 *   chain                broadcast: root, root + 1, ..; reduce: the other way. The data goes in c
 *                        chunks of S/c; a position sends the next when the one before has arrived:
 *                        (n - 2 + c)(a + S/c b); reduce: + (n-1) S/c r (while r < b)
 *   scatter-all-gather   broadcast: a binomial scatter of n blocks of m = S/n, then a ring
 *                        all-gather: (L + n - 1) a + 2 (n-1) m b, L = ceil(log2 n)
 * Sources: van de Geijn 1994; Thakur, Rabenseifner, Gropp 2005.
 */
#ifndef ORRERY_NET_COLLECTIVE_PIPELINE_H
#define ORRERY_NET_COLLECTIVE_PIPELINE_H

#include "model/collective.h"

extern const struct collective_ops collective_chain;
extern const struct collective_ops collective_scatter_all_gather;

#endif
