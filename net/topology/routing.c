#include "net/topology/routing_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/names.h"
#include "net/topology/fabric_check.h"

enum { MOST_ATTEMPTS = 32 };

void route_reserve(struct route_buffer *path)
{
    path->capacity = path->capacity ? 2 * path->capacity : 64;
    path->link = realloc(path->link, path->capacity * sizeof *path->link);
    path->share = realloc(path->share, path->capacity * sizeof *path->share);
    need_memory(path->link && path->share);
}

static bool has_failed_links(const struct fabric *fabric)
{
    if (!fabric->has_changes)
        return false;
    for (uint32_t i = 0; i < fabric->link_count; i++)
        if (!(fabric->link[i].bandwidth_Bps > 0))
            return true;
    return false;
}

static enum net_routing resolve(const struct fabric *fabric, enum net_routing policy)
{
    if (policy != ROUTING_AUTO && policy != ROUTING_SIMGRID)
        return policy;
    if (fabric->is_product)
        return ROUTING_DIMENSION_ORDER;
    return fabric->is_tree ? ROUTING_UP_DOWN : ROUTING_SHORTEST;
}

static enum status check_policy(const struct fabric *fabric, enum net_routing policy,
                                struct diag *diag)
{
    if (policy == ROUTING_DIMENSION_ORDER && !fabric->is_product) {
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "dimension-order routing needs a torus, mesh or product, "
                  "not \"%.100s\"",
                  fabric->text);
        diag_hint(diag, "use routing auto, shortest, ecmp or spray");
        return diag->status;
    }
    if (policy == ROUTING_UP_DOWN && !fabric->is_tree) {
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "up-down routing needs a tree of switches, not "
                  "\"%.100s\"",
                  fabric->text);
        diag_hint(diag, "use routing auto, shortest, ecmp or spray");
        return diag->status;
    }
    return STATUS_OK;
}

static bool has_tree_factor(const struct fabric *fabric)
{
    bool has_tree = false;
    for (uint32_t d = 0; d < fabric->dim_count; d++)
        has_tree = has_tree || fabric->dim[d].kind == FABRIC_TREE;
    return fabric->is_product && has_tree;
}

/*
 * Products whose factors are trees go dimension by dimension under every policy, which then holds
 * within the trees; shares by bandwidth would not be right with changed links. Of simple products
 * ecmp is arithmetic too; sprayed ones are searched.
 */
static bool goes_by_dimension(const struct routing *routing)
{
    const struct fabric *fabric = routing->fabric;
    if (routing->policy == ROUTING_DIMENSION_ORDER || routing->policy == ROUTING_SHORTEST ||
        routing->policy == ROUTING_STATIC)
        return fabric->is_product;
    if (routing->policy == ROUTING_ECMP && product_is_simple(fabric))
        return true;
    return has_tree_factor(fabric) && !(fabric->has_changes && routing->policy == ROUTING_SPRAY);
}

enum status routing_create(struct routing **routing, const struct fabric *fabric,
                           const struct network_config *config, struct diag *diag)
{
    struct routing *made = calloc(1, sizeof *made);
    need_memory(made);
    made->fabric = fabric;
    made->policy = resolve(fabric, config->routing);
    made->seed = config->seed;
    made->as_simgrid = config->routing == ROUTING_SIMGRID;
    made->dragonfly = fabric->dragonfly.groups > 0 &&
                      (config->routing == ROUTING_AUTO || config->routing == ROUTING_SIMGRID);
    made->failed = has_failed_links(fabric);
    enum status status = check_policy(fabric, made->policy, diag);
    if (status == STATUS_OK && made->failed)
        status = fabric_check_connected(fabric, diag);
    if (status == STATUS_OK && goes_by_dimension(made)) {
        made->product = product_routes_create(fabric, config, diag);
        status = made->product ? STATUS_OK : diag->status;
    }
    if (status == STATUS_OK && made->policy == ROUTING_STATIC) {
        made->fixed = static_routes_create(fabric, config->routes, diag);
        status = made->fixed ? STATUS_OK : diag->status;
    }
    if (status != STATUS_OK) {
        routing_destroy(made);
        return status;
    }
    if (fabric->is_tree)
        made->tree = tree_routes_create(fabric);
    bundles_create(made);
    *routing = made;
    return STATUS_OK;
}

void routing_destroy(struct routing *routing)
{
    if (!routing)
        return;
    product_routes_destroy(routing->product);
    tree_routes_destroy(routing->tree);
    static_routes_destroy(routing->fixed);
    graph_routes_destroy(routing->graph);
    free(routing->bundle_of_link);
    free(routing->latency_ns);
    free(routing->path.link);
    free(routing->path.share);
    free(routing);
}

static bool uses_failed_link(const struct routing *routing)
{
    for (uint32_t i = 0; i < routing->path.count; i++)
        if (!(routing->fabric->link[routing->path.link[i]].bandwidth_Bps > 0))
            return true;
    return false;
}

static void search(struct routing *routing, uint32_t src, uint32_t dst)
{
    if (!routing->graph)
        routing->graph = graph_routes_create(routing->fabric, routing->policy);
    routing->path.count = 0;
    routing->sprayed = false;
    graph_route(routing, src, dst);
}

static double sum_ns(const struct routing *routing)
{
    double total_ns = 0;
    for (uint32_t i = 0; i < routing->path.count; i++)
        total_ns += routing->fabric->link[routing->path.link[i]].latency_ns;
    return total_ns;
}

/* The longest way through the links of a sprayed route, which come in order of the hops. */
static double longest_ns(struct routing *routing, uint32_t src, uint32_t dst)
{
    const struct fabric_link *link = routing->fabric->link;
    const struct route_buffer *path = &routing->path;
    if (!routing->latency_ns) {
        routing->latency_ns = calloc(routing->fabric->node_count, sizeof *routing->latency_ns);
        need_memory(routing->latency_ns);
    }
    double *to_ns = routing->latency_ns;
    to_ns[src] = 0;
    for (uint32_t i = 0; i < path->count; i++)
        to_ns[link[path->link[i]].dst] = 0;
    for (uint32_t i = 0; i < path->count; i++) {
        const struct fabric_link *hop = &link[path->link[i]];
        if (to_ns[hop->src] + hop->latency_ns > to_ns[hop->dst])
            to_ns[hop->dst] = to_ns[hop->src] + hop->latency_ns;
    }
    return to_ns[dst];
}

enum net_routing routing_policy(const struct routing *routing)
{
    return routing->policy;
}

/* The route of the policy, if there is one. */
static bool find(struct routing *routing, uint32_t src, uint32_t dst)
{
    if (routing->fixed && static_route(routing, src, dst))
        return true;
    if (routing->product && routing->policy == ROUTING_ECMP && product_is_simple(routing->fabric))
        return product_hashed_route(routing, src, dst);
    if (routing->product) {
        product_route(routing, src, dst);
        return true;
    }
    if (routing->dragonfly)
        return dragonfly_route(routing, src, dst);
    return routing->tree && tree_route(routing, src, dst);
}

/*
 * Past a failed link. Trees have many ways of one length, so that a few other choices mostly find
 * one that works; a search of the whole graph is the last resort.
 */
static bool find_another(struct routing *routing, uint32_t src, uint32_t dst)
{
    bool hashed = routing->policy == ROUTING_ECMP || routing->policy == ROUTING_UP_DOWN ||
                  routing->policy == ROUTING_DIMENSION_ORDER;
    bool has_choices = hashed && (routing->tree || has_tree_factor(routing->fabric));
    bool found = false;
    for (uint32_t attempt = 1; attempt <= MOST_ATTEMPTS && has_choices && !found; attempt++) {
        routing->attempt = attempt;
        routing->path.count = 0;
        routing->sprayed = false;
        found = find(routing, src, dst) && !uses_failed_link(routing);
    }
    routing->attempt = 0;
    return found;
}

/* Does the policy say more of a route than that it is a shortest one? */
static bool is_promise(enum net_routing policy)
{
    return policy == ROUTING_DIMENSION_ORDER || policy == ROUTING_UP_DOWN ||
           policy == ROUTING_STATIC;
}

void routing_find(struct routing *routing, uint32_t src, uint32_t dst, struct route *route)
{
    promise(src != dst && src < routing->fabric->node_count && dst < routing->fabric->node_count);
    routing->path.count = 0;
    routing->sprayed = false;
    bool has_way = find(routing, src, dst), found = has_way;
    if (routing->failed && found && uses_failed_link(routing))
        found = find_another(routing, src, dst);
    if (!found)
        search(routing, src, dst);
    bool sprayed = routing->sprayed;
    *route = (struct route){.count = routing->path.count,
                            .link = routing->path.link,
                            .share = sprayed ? routing->path.share : NULL,
                            .latency_ns = sprayed ? longest_ns(routing, src, dst) : sum_ns(routing),
                            .is_detour = has_way && !found && is_promise(routing->policy)};
}
