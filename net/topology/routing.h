/*
 * routing - which links a message takes.
 *
 * Rules:
 *  1. A routing is made for one fabric and is a function: the same source, destination and seed
 *     give the same route, whatever was asked before.
 *  2. Routes are valid for any two nodes that a message may go between: NPUs, and the switches that
 *     reduce in the network.
 *  3. `share` is NULL for a single path, whose links are in order. A sprayed route has the fraction
 *     of the bytes that each link carries (shares of links out of the source sum to 1); its links
 *     are in an order such that each comes after those before it on some path.
 *  4. Failed links (bandwidth 0) are never on a route. routing_create() fails if that cuts two NPUs
 *     off from each other, and names them.
 *
 * Policies:
 *   shortest         fewest hops, ties by least latency, then by the order of links
 *   ecmp             among the shortest, by a hash of (seed, source, destination) at every node
 *   dimension-order  tori and products: dimension 0 first, the shorter way round, ties upwards
 *   up-down          trees: up to the lowest common switch and down; upward links d-mod-k by
 *                    destination (static, as SimGrid and InfiniBand's subnet managers do): at
 *                    level l, parent number d / (product of the parents below l) mod parents;
 *                    d counts NPUs leaf by leaf, which is by rank but on rails
 *   spray            a message is split by bandwidth: on trees over all upward links, on other
 *                    graphs over all next hops of shortest paths
 *   static           from a file (network.routes): lines "source destination: node node ..", the
 *                    nodes between; pairs that are not listed go as with shortest
 *   auto             dimension-order for products, up-down for trees, the minimal routes of
 *                    dragonfly.h for dragonflies, else shortest
 *   simgrid          auto with the choices of SimGrid 3.32, to compare flow by flow: on an even
 *                    ring it goes down to coordinate 0 from exactly half way round; in dragonflies of
 *                    several chassis its routes within the last group are not contiguous. Parallel
 *                    cables of a tree (xgft's last row) stay one link; SimGrid takes one of them
 *
 * Products of trees (switch:8*fattree:16) go dimension by dimension under every policy, which then
 * holds within each tree. A route that would meet a failed link is another of the policy's that
 * works (up-down: by another switch), else one of the shortest there are (`is_detour`).
 */
#ifndef ORRERY_NET_TOPOLOGY_ROUTING_H
#define ORRERY_NET_TOPOLOGY_ROUTING_H

#include "net/topology/fabric.h"

struct routing; /* opaque */

struct route {
    uint32_t count; /* links */
    const uint32_t *link;
    const double *share; /* NULL: a single path */
    double latency_ns;   /* sum over the path; sprayed: the longest */
    bool is_detour; /* links have failed, and the policy has no way round them: a shortest one */
};

/* `fabric` is borrowed until routing_destroy(). */
enum status routing_create(struct routing **routing, const struct fabric *fabric,
                           const struct network_config *config, struct diag *diag);
void routing_destroy(struct routing *routing);

/* The policy in force: never ROUTING_AUTO. */
enum net_routing routing_policy(const struct routing *routing);

/*
 * The route from `src` to `dst` (which differ). The arrays are borrowed until the next call.
 * Trees and products: O(hops); other graphs: one search per destination, kept.
 */
void routing_find(struct routing *routing, uint32_t src, uint32_t dst, struct route *route);

/*
 * With `spray` on a tree, links that lead from one switch up to interchangeable switches (and the
 * same ones down) always carry equal shares. routing_bundles() gives each link the number of its
 * bundle, 0 .. count - 1 (a link alone is a bundle of one); a solver may then treat a bundle as one
 * link of the summed bandwidth: a route has one entry per hop instead of one per link. Returns 0 if
 * the routing has no bundles (another policy, a graph, changed links): use routing_find().
 */
uint32_t routing_bundles(const struct routing *routing, const uint32_t **bundle_of_link);

/* As routing_find(), with bundles for links and share NULL. Only if there are bundles, and between
 * NPUs. */
void routing_find_bundled(struct routing *routing, uint32_t src, uint32_t dst, struct route *route);

#endif
