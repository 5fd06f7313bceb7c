/*
 * find_tree - sees a tree of switches in a graph that came without levels: a leaf-spine or fat-tree
 * written as a list of links, rails with their NVSwitches.
 *
 * Rules:
 *  1. A graph is a tree if all nodes but the NPUs are switches, NPUs have links to switches only,
 *     every link has its way back, a switch's level (hops to the nearest NPU) differs by one from
 *     its neighbours', the NPUs below each switch are an arithmetic progression of ranks, and some
 *     switch has all NPUs below it.
 *  2. Then levels and `below` are set as if the fabric had been built as one: routing goes up and
 *     down, drawings have levels. The dimensions stay as they are.
 *  3. A graph that is none is left alone; so is one in which looking would take very long.
 */
#ifndef ORRERY_NET_TOPOLOGY_FIND_TREE_H
#define ORRERY_NET_TOPOLOGY_FIND_TREE_H

#include "net/topology/fabric.h"

/* Called before any changes. True if it is a tree: fabric->is_tree is set. */
bool find_tree(struct fabric *fabric);

#endif
