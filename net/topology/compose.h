/*
 * compose - equal nodes, each with NICs, and the network between the NICs.
 *
 *     node: node.xml              # any topology: a file, or in one line
 *     copies: 16
 *     network: leafspine:32/4     # its NPUs become the NICs
 *     order: rail                 # optional
 *
 * Rules:
 *  1. The network must have as many NPUs as all copies have NICs together. By `order: node` (the
 *     default) NIC j of copy i is its NPU i * nics + j; by `order: rail` it is j * copies + i, so
 *     that the NICs of one number are neighbours.
 *  2. `attach: npu` joins the nodes' NPUs themselves with the network, for accelerators that have
 *     their own network ports.
 *  3. The nodes' parts are called "n<copy>/<name>"; the network's switches keep their names. Ranks
 *     are numbered copy by copy; dimension 0 is within a copy, dimension 1 across.
 *  4. `node` may also be a map of the form of lstopo_doc.h, to give what the XML of a node does not
 *     say.
 */
#ifndef ORRERY_NET_TOPOLOGY_COMPOSE_H
#define ORRERY_NET_TOPOLOGY_COMPOSE_H

#include "base/doc.h"
#include "net/topology/fabric.h"

/* `depth`: how many files lead to `doc` (topology_file.h). fabric->text is the document's path. */
enum status compose_read(const struct doc *doc, uint32_t depth, struct fabric **fabric,
                         struct diag *diag);

#endif
