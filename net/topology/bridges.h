/*
 * bridges - single cables without which a fabric falls apart (Tarjan 1974, without recursion).
 */
#ifndef ORRERY_NET_TOPOLOGY_BRIDGES_H
#define ORRERY_NET_TOPOLOGY_BRIDGES_H

#include "net/topology/fabric.h"

struct bridge {
    uint32_t link; /* one direction of the cable */
    uint32_t npus; /* the fewer of the NPUs on its two sides; at least 2 */
};

/*
 * How many single cables cut two or more NPUs from two or more others, and the one that cuts off
 * the most. In a fabric with one-way links none are looked for.
 */
uint32_t bridges_find(const struct fabric *fabric, struct bridge *worst);

#endif
