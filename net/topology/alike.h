/*
 * alike - which nodes of a fabric have the same surroundings: colour refinement.
 *
 * Nodes begin with their role as colour; in every round a node's colour takes in those of its
 * neighbours, with the bandwidth, latency and count of the links both ways. Nodes that some
 * symmetry of the fabric exchanges always end in one class. The reverse holds for trees, and not
 * always in general: one class is what symmetry looks like, not its proof.
 */
#ifndef ORRERY_NET_TOPOLOGY_ALIKE_H
#define ORRERY_NET_TOPOLOGY_ALIKE_H

#include "net/topology/fabric.h"

/*
 * Writes the class of every node, 0, 1, .. in order of first appearance; returns how many there
 * are. *settled is false if the rounds ended before the classes did (very long lines): then there
 * may be more.
 */
uint32_t alike_classes(const struct fabric *fabric, uint32_t *class_of /* [node_count] */,
                       bool *settled);

#endif
