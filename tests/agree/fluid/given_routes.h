/*
 * given_routes - a network model whose routes are those of a reference row: the fluid alone,
 * without our topologies and routing.
 */
#ifndef ORRERY_TESTS_AGREE_FLUID_GIVEN_ROUTES_H
#define ORRERY_TESTS_AGREE_FLUID_GIVEN_ROUTES_H

#include "base/doc.h"
#include "model/network.h"

/* Takes link_bw, routes ("src-dst": [links]) and hop_latency_s of `row` for the next create() of
 * network_given_routes. False if the row has no routes. Borrowed until then. */
bool given_routes_set(const struct doc *row);

extern const struct network_ops network_given_routes;

#endif
