/*
 * routing_parts - what the files of routing share: the routing itself, and one module per way to
 * find a route.
 *
 * Rules:
 *  1. A module appends links to routing->path with route_add(), and shares with route_add_share().
 *  2. A module's state is made in <module>_create() and is a pure function of fabric and policy;
 *     what it keeps from earlier calls only saves time.
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
    bool dragonfly;          /* by arithmetic */
    bool as_simgrid;
    uint64_t seed;
    bool failed;      /* some link has */
    uint32_t attempt; /* trees: > 0 chooses otherwise, by hash, to get past a failed link */
    struct route_buffer path;
    bool sprayed;       /* the shares of `path` count */
    double *latency_ns; /* [node_count]: of the longest way to a node, for sprayed routes */
    struct product_routes *product; /* NULL: the fabric is none, or the policy is another */
    struct tree_routes *tree;       /* likewise */
    struct static_routes *fixed;    /* ROUTING_STATIC */
    struct graph_routes *graph;     /* made when first needed */
    bool bundled;                   /* a product's walk takes the first link of each bundle */
    uint32_t bundle_count;          /* 0: no bundles */
    uint32_t *bundle_of_link;
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

/* Which of `count` choices the flow (src, dst) makes at `node`: a hash with the constants of
 * base/mix.h, the same on every machine. */
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

/* ecmp on products of rings, lines, full meshes and switches; false if an end is no NPU. */
bool product_is_simple(const struct fabric *fabric);
bool product_hashed_route(struct routing *routing, uint32_t src, uint32_t dst);
uint32_t product_bundles(const struct product_routes *product, const struct fabric *fabric,
                         uint32_t *bundle_of_link);
void product_route_bundled(struct routing *routing, uint32_t src, uint32_t dst);

/*
 * Up and down trees (routing_tree.c): up-down, shortest, ecmp and spray. False, with the path in
 * any state, if there is no such route: to a switch further than one link away, to NPUs that share
 * no switch with the source, or past failed links when sprayed.
 */
struct tree_routes *tree_routes_create(const struct fabric *fabric);
void tree_routes_destroy(struct tree_routes *tree);
bool tree_route(struct routing *routing, uint32_t src, uint32_t dst);

/* The first link of each bundle on the sprayed route, as if it were a single path. */
void tree_first_route(struct routing *routing, uint32_t src, uint32_t dst, struct route *route);

/* Do the ways on from `node` always lie in one bundle? `class_of` has a number per node. */
bool tree_ways_agree(const struct routing *routing, uint32_t node, const uint32_t *class_of);

/* The numbers that make the class of a node: level, below and cover. */
enum { TREE_CLASS_WORDS = 7 };
void tree_class(const struct routing *routing, uint32_t node, uint32_t words[TREE_CLASS_WORDS]);

/* One hop between groups at most (routing_dragonfly.c); always true. */
bool dragonfly_route(struct routing *routing, uint32_t src, uint32_t dst);

/* The bundles of a routing's fabric (routing_bundle.c), which may be none. */
void bundles_create(struct routing *routing);

/* Routes from a file (routing_static.c). NULL and the diag if it cannot be read; false if it does
 * not list the pair. */
struct static_routes *static_routes_create(const struct fabric *fabric, const char *path,
                                           struct diag *diag);
void static_routes_destroy(struct static_routes *routes);
bool static_route(struct routing *routing, uint32_t src, uint32_t dst);

/* Searches: shortest, ecmp and spray on any graph (routing_graph.c). */
struct graph_routes *graph_routes_create(const struct fabric *fabric, enum net_routing policy);
void graph_routes_destroy(struct graph_routes *graph);
void graph_route(struct routing *routing, uint32_t src, uint32_t dst);

#endif
