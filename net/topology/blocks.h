/*
 * blocks - the simple kinds of topology: ring, line, full, switch; and torus, mesh and hypercube,
 * which are products of them.
 *
 * Rules:
 *  1. Each is a row of spec_kinds[]. The four simple ones build a fabric of one dimension without
 *     factors; product.h copies it along the dimensions of a product.
 *  2. A ring of 2 is one cable; a ring, line, full or switch of 1 is an NPU alone (a switch keeps
 *     its switch out).
 */
#ifndef ORRERY_NET_TOPOLOGY_BLOCKS_H
#define ORRERY_NET_TOPOLOGY_BLOCKS_H

#include "net/topology/spec.h"

extern const struct spec_kind block_ring, block_line, block_full, block_switch;
extern const struct spec_kind block_torus, block_mesh, block_hypercube;

#endif
