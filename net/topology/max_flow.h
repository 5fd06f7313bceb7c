/*
 * max_flow - the most that can flow from one set of nodes to another over all links of a fabric: by
 * the max-flow min-cut theorem, the bandwidth of the narrowest cut between them.
 *
 * Dinic's algorithm (1970): phases of shortest augmenting paths. O(phases x links) on networks
 * whose shortest paths saturate, which trees, tori and their like are; no recursion.
 */
#ifndef ORRERY_NET_TOPOLOGY_MAX_FLOW_H
#define ORRERY_NET_TOPOLOGY_MAX_FLOW_H

#include "net/topology/fabric.h"

enum flow_side { FLOW_SOURCE, FLOW_SINK, FLOW_BETWEEN };

/*
 * Bytes/s from all nodes v with side[v] == FLOW_SOURCE to all with FLOW_SINK. Nodes of one side are
 * as one: what flows inside a side is free. 0 if a side is empty.
 */
double max_flow(const struct fabric *fabric, const unsigned char *side /* [node_count] */);

#endif
