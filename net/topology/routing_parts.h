/*
 * routing_parts - what the files of routing share: the routing itself, and one module per way to
 * find a route.
 *
 * Rules:
 *  1. A module appends links to routing->path with route_add(), and shares with route_add_share().
 *  2. A module's state is made in <module>_create() and is a pure function of fabric and policy; what
 *     it keeps from earlier calls only saves time.
 */
#ifndef ORRERY_NET_TOPOLOGY_ROUTING_PARTS_H
#define ORRERY_NET_TOPOLOGY_ROUTING_PARTS_H

#include "net/topology/routing.h"

struct route_buffer {
    uint32_t *link;
    double *share;
    uint32_t count, capacity;
};

struct routing {
    const struct fabric *fabric;
    enum net_routing policy; /* never ROUTING_AUTO */
    uint64_t seed;
    bool failed; /* some link has */
    struct route_buffer path;
    bool sprayed; /* the shares of `path` count, and: */
    double sprayed_latency_ns;
    struct product_routes *product; /* NULL: the fabric is none, or the policy is another */
    struct graph_routes *graph;     /* made when first needed */
};

void route_reserve(struct route_buffer *path);

static inline void route_add(struct routing *routing, uint32_t link)
{
    struct route_buffer *path = &routing->path;
    if (path->count == path->capacity)
        route_reserve(path);
    path->link[path->count++] = link;
}

static inline void route_add_share(struct routing *routing, uint32_t link, double share)
{
    route_add(routing, link);
    routing->path.share[routing->path.count - 1] = share;
}

/* Which of `count` choices the flow (src, dst) makes at `node`: a hash, the same on every machine. */
static inline uint32_t route_choice(uint64_t seed, uint32_t src, uint32_t dst, uint32_t node,
                                    uint32_t count)
{
    uint64_t x = seed ^ ((uint64_t)src << 32 | dst);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u + node;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x ^= x >> 32;
    return (uint32_t)(((x & UINT32_MAX) * count) >> 32);
}

/* Dimension order on products (routing_product.c). */
struct product_routes *product_routes_create(const struct fabric *fabric,
                                             const struct network_config *config,
                                             struct diag *diag);
void product_routes_destroy(struct product_routes *product);
void product_route(struct routing *routing, uint32_t src, uint32_t dst);

/* Searches: shortest, ecmp and spray on any graph (routing_graph.c). */
struct graph_routes *graph_routes_create(const struct fabric *fabric, enum net_routing policy);
void graph_routes_destroy(struct graph_routes *graph);
void graph_route(struct routing *routing, uint32_t src, uint32_t dst);

#endif
