/*
 * dragonfly - groups of chassis of routers (Cray Cascade: Faanes et al., SC 2012; Kim et al., ISCA
 * 2008), with the parameters of SimGrid.
 *
 *     dragonfly:GROUPS,gl/CHASSIS,cl/ROUTERS,rl/HOSTS
 *
 * Within a chassis all routers are joined by rl cables; routers of one number in the chassis of a
 * group by cl; groups i and j by gl cables between router j of group i and router i of group j
 * (router numbers within a group, chassis 0 first, modulo their count). Each router has HOSTS NPUs.
 *
 * Route (auto): to the group's router with the cables to the target's group - within the chassis
 * first, then to the other chassis -, over, and likewise to the target's router: at most one hop
 * between groups, at most five between routers. Nothing is kept per pair.
 */
#ifndef ORRERY_NET_TOPOLOGY_DRAGONFLY_H
#define ORRERY_NET_TOPOLOGY_DRAGONFLY_H

#include "net/topology/spec.h"

extern const struct spec_kind dragonfly_kind;

/* The router of `group` that has the cables to group `other`. */
uint32_t dragonfly_gateway(const struct fabric *fabric, uint32_t group, uint32_t other);

#endif
