/*
 * parts - hierarchies with unequal parts: 4 NPUs joined one way here, 6 another way there.
 *
 *     parts:[COUNT](TOPOLOGY)+[COUNT](TOPOLOGY)..      "parts:2(full:4)+(ring:6),via=full"
 *
 * Ranks go through the parts in order. The parts are joined by cables with bw, lat and count:
 *   via=switch   the first `uplinks` NPUs of each part (default: all) have a cable to one switch,
 *                "join0"
 *   via=full, ring, line   NPU k of a part has a cable to NPU k of the others (of its neighbours),
 *                for the first `uplinks` (default: 1)
 *
 * Nodes of part i that are no NPUs are called "p<i>.<name>". There is one dimension; a part is not
 * made of parts.
 */
#ifndef ORRERY_NET_TOPOLOGY_PARTS_H
#define ORRERY_NET_TOPOLOGY_PARTS_H

#include "net/topology/spec.h"

extern const struct spec_kind parts_kind;

#endif
