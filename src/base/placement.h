/*
 * placement - where on this machine the processes of a pool run, by hwloc.
 *
 * Rules:
 *  1. Only the cores that this process may use are divided, so that neighbours share as little as
 *     they can: with two packages and two processes, one on each. Up to one process a core each has
 *     its core (all of its hardware threads); with more than that none is bound.
 *  2. Memory follows: what a process touches first comes from its own node.
 *  3. Where the system refuses, processes run unbound: placement costs time, never a result.
 */
#ifndef ORRERY_BASE_PLACEMENT_H
#define ORRERY_BASE_PLACEMENT_H

#include <stdint.h>

struct placement;

/* For `count` processes. NULL: they run unbound. */
struct placement *placement_create(uint32_t count);
void placement_destroy(struct placement *placement);

/* Binds the calling process to the place of process `index`. `placement` may be NULL. */
void placement_bind(const struct placement *placement, uint32_t index);

/* Cores that this process may use, at least 1. */
uint32_t placement_cores(void);

#endif
