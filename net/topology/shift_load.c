#include "net/topology/shift_load.h"

#include <stdlib.h>

#include "base/memory.h"

/* Links that always carry equal shares are counted as one, with their summed bandwidth. */
struct servers {
    uint32_t count;
    const uint32_t *of_link; /* NULL: each link is one */
    double *load;            /* messages */
    double *bandwidth_Bps;
    uint32_t *first, *links; /* the first link of each, and how many */
};

static void servers_init(struct servers *servers, const struct routing *routing,
                         const struct fabric *fabric)
{
    servers->count = routing_bundles(routing, &servers->of_link);
    if (servers->count == 0) {
        servers->of_link = NULL;
        servers->count = fabric->link_count;
    }
    size_t count = (size_t)servers->count + 1;
    servers->load = calloc(count, sizeof *servers->load);
    servers->bandwidth_Bps = calloc(count, sizeof *servers->bandwidth_Bps);
    servers->first = calloc(count, sizeof *servers->first);
    servers->links = calloc(count, sizeof *servers->links);
    need_memory(servers->load && servers->bandwidth_Bps && servers->first && servers->links);
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        uint32_t s = servers->of_link ? servers->of_link[l] : l;
        if (servers->links[s]++ == 0)
            servers->first[s] = l;
        servers->bandwidth_Bps[s] += fabric->link[l].bandwidth_Bps;
    }
}

static void servers_release(struct servers *servers)
{
    free(servers->load);
    free(servers->bandwidth_Bps);
    free(servers->first);
    free(servers->links);
}

/* True if the route is a detour. */
static bool add_route(struct servers *servers, struct routing *routing, uint32_t src, uint32_t dst)
{
    struct route route;
    if (servers->of_link)
        routing_find_bundled(routing, src, dst, &route);
    else
        routing_find(routing, src, dst, &route);
    for (uint32_t i = 0; i < route.count; i++)
        servers->load[route.link[i]] += route.share ? route.share[i] : 1;
    return route.is_detour;
}

struct shift_load shift_load_take(struct routing *routing, const struct fabric *fabric,
                                  uint32_t shift)
{
    promise(shift > 0 && shift < fabric->npu_count);
    struct servers servers;
    servers_init(&servers, routing, fabric);
    uint32_t detours = 0;
    for (uint32_t src = 0; src < fabric->npu_count; src++)
        detours += add_route(&servers, routing, src,
                             (uint32_t)(((uint64_t)src + shift) % fabric->npu_count));
    struct shift_load worst = {.link = FABRIC_NONE};
    for (uint32_t s = 0; s < servers.count; s++) {
        if (servers.load[s] <= 0)
            continue;
        double each = servers.bandwidth_Bps[s] / servers.load[s];
        /* Shares are sums of fractions: equal links must not differ by the last bit. */
        if (worst.link == FABRIC_NONE || each < worst.each_Bps * (1 - 1e-12))
            worst = (struct shift_load){.each_Bps = each,
                                        .link = servers.first[s],
                                        .messages = servers.load[s] / servers.links[s]};
    }
    servers_release(&servers);
    worst.detours = detours;
    return worst;
}
