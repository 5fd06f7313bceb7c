/*
 * cayley - the kinds that are one dimension or product to no one: twisted tori and large
 * hypercubes.
 *
 * Twisted torus (Camara et al., IEEE TPDS 21(12), 2010; TPU v4's twisted slices: Jouppi et al.,
 * ISCA 2023): a torus in which going once round dimension d also shifts by twist[d] in the longest
 * dimension (the last of several). "torus:4x4x8,twist=4x4x0". It keeps the logical dimensions;
 * routes are searched.
 *
 * A cube is a hypercube of 2^k NPUs as one graph, the factor of hypercubes that have more bits than
 * a product has dimensions.
 */
#ifndef ORRERY_NET_TOPOLOGY_CAYLEY_H
#define ORRERY_NET_TOPOLOGY_CAYLEY_H

#include "net/topology/spec.h"

/* Made by expanding torus (all of its sizes; the twist in the value of key KEY_FIRST_OWN) and
 * hypercube (one size); they have no names in the one-line form. */
extern const struct spec_kind cayley_twisted, cayley_cube;

/* The dimension that twists shift. */
uint32_t cayley_longest(const struct spec_factor *torus);

#endif
