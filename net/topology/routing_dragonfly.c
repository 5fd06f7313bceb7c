/*
 * Routes of a dragonfly, by arithmetic on router numbers (dragonfly.h).
 *
 * SimGrid (3.32) differs in one case, which ROUTING_SIMGRID repeats: it forgets the chassis when it
 * moves within one that is not the first, and goes on from the router of the same number in chassis
 * 0. Such a route is not contiguous; it is there to compare flows with, and for nothing else.
 */
#include "net/topology/routing_parts.h"

#include "net/topology/dragonfly.h"

struct walker {
    struct routing *routing;
    const struct fabric *fabric;
    uint32_t at; /* router */
};

static void hop(struct walker *walker, uint32_t to)
{
    uint32_t link = fabric_find_link(walker->fabric, walker->at, to);
    promise(link != FABRIC_NONE);
    route_add(walker->routing, link);
    walker->at = to;
}

/* To router `to` of the same group: within the chassis, then to the other chassis. */
static void cross(struct walker *walker, uint32_t to)
{
    const struct fabric_dragonfly *shape = &walker->fabric->dragonfly;
    uint32_t first = walker->fabric->npu_count, n = shape->routers;
    uint32_t here = (walker->at - first) % n, there = (to - first) % n;
    if (here != there)
        hop(walker, walker->at - here + there);
    if (walker->at != to)
        hop(walker, to);
}

/* Takes the last crossing, from `before` to `to`, back to its first hop, and goes on from chassis
 * 0. */
static void forget_chassis(struct walker *walker, uint32_t before, uint32_t to)
{
    const struct fabric_dragonfly *shape = &walker->fabric->dragonfly;
    uint32_t first = walker->fabric->npu_count, n = shape->routers;
    uint32_t group = (to - first) / (n * shape->chassis);
    if ((before - first) / n != (to - first) / n)
        walker->routing->path.count--;
    walker->at = first + group * n * shape->chassis + (to - first) % n;
    if (walker->at != to)
        hop(walker, to);
}

bool dragonfly_route(struct routing *routing, uint32_t src, uint32_t dst)
{
    const struct fabric *fabric = routing->fabric;
    const struct fabric_dragonfly *shape = &fabric->dragonfly;
    uint32_t npus = fabric->npu_count, in_group = shape->chassis * shape->routers;
    uint32_t from = src < npus ? npus + src / shape->hosts : src;
    uint32_t to = dst < npus ? npus + dst / shape->hosts : dst;
    struct walker walker = {routing, fabric, src};
    if (src != from)
        hop(&walker, from);
    uint32_t group = (from - npus) / in_group, other = (to - npus) / in_group;
    if (group != other) {
        cross(&walker, dragonfly_gateway(fabric, group, other));
        hop(&walker, dragonfly_gateway(fabric, other, group));
    }
    uint32_t before = walker.at;
    cross(&walker, to);
    if (routing->as_simgrid && (before - npus) % shape->routers != (to - npus) % shape->routers)
        forget_chassis(&walker, before, to);
    if (dst != to)
        hop(&walker, dst);
    return true;
}
