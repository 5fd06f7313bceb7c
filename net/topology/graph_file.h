/*
 * graph_file - a topology as a YAML (or JSON) list of nodes and links.
 *
 *     nodes:
 *       - {name: gpu, role: npu, count: 8}        # gpu0 .. gpu7: the ranks, in this order
 *       - {name: sw, role: switch}
 *     links:
 *       - {a: gpu, b: sw, bandwidth: 50GB/s, latency: 500ns}
 *       - {ring: "gpu[0-3]", bandwidth: 25GB/s, latency: 300ns, count: 2}
 *     dims: [4, 2]                                # optional
 *
 * Rules:
 *  1. Roles: npu, switch, nic, host. Names, groups and selections are those of node_set.h.
 *  2. A link joins selection `a` with selection `b`, each way. If both have several nodes, `pair`
 *     says how: each (a's first with b's first, ..), all (every a with every b), blocks (a's nodes
 *     dealt to b's in equal blocks: leaves) or deal (one by one, round and round: rails).
 *     Instead of a and b, `ring`, `line` or `full` joins the nodes of one selection.
 *  3. `bandwidth` is that of one cable and direction, `bandwidth-back` that from b to a if it
 *     differs; `one-way: true`: there is no way back; `count` parallel cables; `latency` of a
 *     cable. `defaults: {bandwidth: .., latency: ..}` serves the links that do not say.
 *  4. `dims` are the sizes of the rank number's dimensions, the first varying fastest; they must
 *     multiply out to the number of NPUs.
 */
#ifndef ORRERY_NET_TOPOLOGY_GRAPH_FILE_H
#define ORRERY_NET_TOPOLOGY_GRAPH_FILE_H

#include "base/doc.h"
#include "net/topology/fabric.h"

/* The fabric that `doc` describes; fabric->text is the document's path. */
enum status graph_file_read(const struct doc *doc, struct fabric **fabric, struct diag *diag);

#endif
