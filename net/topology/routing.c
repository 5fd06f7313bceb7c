#include "net/topology/routing_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "config/names.h"
#include "net/topology/fabric_check.h"

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
    if (policy != ROUTING_AUTO)
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

static bool in_dimension_order(const struct routing *routing)
{
    return routing->fabric->is_product &&
           (routing->policy == ROUTING_DIMENSION_ORDER || routing->policy == ROUTING_SHORTEST);
}

enum status routing_create(struct routing **routing, const struct fabric *fabric,
                           const struct network_config *config, struct diag *diag)
{
    struct routing *made = calloc(1, sizeof *made);
    need_memory(made);
    made->fabric = fabric;
    made->policy = resolve(fabric, config->routing);
    made->seed = config->seed;
    made->failed = has_failed_links(fabric);
    enum status status = check_policy(fabric, made->policy, diag);
    if (status == STATUS_OK && made->failed)
        status = fabric_check_connected(fabric, diag);
    if (status == STATUS_OK && in_dimension_order(made)) {
        made->product = product_routes_create(fabric, config, diag);
        status = made->product ? STATUS_OK : diag->status;
    }
    if (status != STATUS_OK) {
        routing_destroy(made);
        return status;
    }
    *routing = made;
    return STATUS_OK;
}

void routing_destroy(struct routing *routing)
{
    if (!routing)
        return;
    product_routes_destroy(routing->product);
    graph_routes_destroy(routing->graph);
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
    graph_route(routing, src, dst);
}

static double latency_of(const struct routing *routing)
{
    const struct fabric *fabric = routing->fabric;
    const struct route_buffer *path = &routing->path;
    double total = 0;
    for (uint32_t i = 0; i < path->count; i++)
        total += fabric->link[path->link[i]].latency_ns;
    return total;
}

void routing_find(struct routing *routing, uint32_t src, uint32_t dst, struct route *route)
{
    promise(src != dst && src < routing->fabric->node_count && dst < routing->fabric->node_count);
    routing->path.count = 0;
    routing->sprayed = false;
    if (routing->product)
        product_route(routing, src, dst);
    else
        search(routing, src, dst);
    if (routing->failed && uses_failed_link(routing))
        search(routing, src, dst);
    *route = (struct route){.count = routing->path.count,
                            .link = routing->path.link,
                            .share = routing->sprayed ? routing->path.share : NULL};
    route->latency_ns = routing->sprayed ? routing->sprayed_latency_ns : latency_of(routing);
}

uint32_t routing_bundles(const struct routing *routing, const uint32_t **bundle_of_link)
{
    (void)routing;
    *bundle_of_link = NULL;
    return 0;
}

void routing_find_bundled(struct routing *routing, uint32_t src, uint32_t dst, struct route *route)
{
    routing_find(routing, src, dst, route);
}
