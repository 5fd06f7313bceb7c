/*
 * Searches from a destination backwards give every node its distance; a route walks from the source
 * to ever smaller distances. One table per destination is kept, up to a limit of memory.
 */
#include "net/topology/routing_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { TABLES_BYTES = 256 << 20 }; /* then all are dropped and made again when asked for */

#define UNREACHED UINT32_MAX

struct graph_routes {
    const struct fabric *fabric;
    bool keeps_next;  /* shortest: a table has the link to take; else the distance in hops */
    uint32_t **table; /* [node_count]: of that destination, or NULL */
    uint32_t kept, most;
    uint32_t *in_first, *in_link; /* links by destination */
    uint32_t *distance;           /* of the search that makes a table of links */
    double *latency_ns;           /* likewise */
    double *share;                /* of a node, while a route is sprayed; else 0 */
    uint32_t *queue;
    bool *queued;
};

static void index_incoming(struct graph_routes *graph)
{
    const struct fabric *fabric = graph->fabric;
    graph->in_first = calloc((size_t)fabric->node_count + 2, sizeof *graph->in_first);
    graph->in_link = malloc(((size_t)fabric->link_count + 1) * sizeof *graph->in_link);
    need_memory(graph->in_first && graph->in_link);
    for (uint32_t i = 0; i < fabric->link_count; i++)
        graph->in_first[fabric->link[i].dst + 2]++;
    for (uint32_t v = 0; v < fabric->node_count; v++)
        graph->in_first[v + 2] += graph->in_first[v + 1];
    for (uint32_t i = 0; i < fabric->link_count; i++)
        graph->in_link[graph->in_first[fabric->link[i].dst + 1]++] = i;
}

struct graph_routes *graph_routes_create(const struct fabric *fabric, enum net_routing policy)
{
    struct graph_routes *graph = calloc(1, sizeof *graph);
    size_t nodes = (size_t)fabric->node_count + 1;
    need_memory(graph);
    graph->fabric = fabric;
    /* Up-down comes here to get past a failed link: by hash, or one switch would get all of it. */
    graph->keeps_next =
        policy == ROUTING_SHORTEST || policy == ROUTING_DIMENSION_ORDER || policy == ROUTING_STATIC;
    graph->most = (uint32_t)(TABLES_BYTES / (nodes * sizeof(uint32_t)));
    if (graph->most < 4)
        graph->most = 4;
    graph->table = calloc(nodes, sizeof *graph->table);
    graph->distance = malloc(nodes * sizeof *graph->distance);
    graph->latency_ns = calloc(nodes, sizeof *graph->latency_ns);
    graph->share = calloc(nodes, sizeof *graph->share);
    graph->queue = malloc(nodes * sizeof *graph->queue);
    graph->queued = calloc(nodes, sizeof *graph->queued);
    need_memory(graph->table && graph->distance && graph->latency_ns && graph->share &&
                graph->queue && graph->queued);
    index_incoming(graph);
    return graph;
}

static void drop_tables(struct graph_routes *graph)
{
    for (uint32_t v = 0; v < graph->fabric->node_count; v++) {
        free(graph->table[v]);
        graph->table[v] = NULL;
    }
    graph->kept = 0;
}

void graph_routes_destroy(struct graph_routes *graph)
{
    if (!graph)
        return;
    drop_tables(graph);
    free(graph->table);
    free(graph->in_first);
    free(graph->in_link);
    free(graph->distance);
    free(graph->latency_ns);
    free(graph->share);
    free(graph->queue);
    free(graph->queued);
    free(graph);
}

/* Distances in hops to `dst`. Returns how many nodes reach it. */
static uint32_t search(struct graph_routes *graph, uint32_t dst, uint32_t *distance)
{
    const struct fabric *fabric = graph->fabric;
    uint32_t head = 0, tail = 0;
    memset(distance, 0xff, fabric->node_count * sizeof *distance);
    distance[dst] = 0;
    graph->queue[tail++] = dst;
    while (head < tail) {
        uint32_t v = graph->queue[head++];
        for (uint32_t k = graph->in_first[v]; k < graph->in_first[v + 1]; k++) {
            const struct fabric_link *link = &fabric->link[graph->in_link[k]];
            if (distance[link->src] != UNREACHED || !(link->bandwidth_Bps > 0))
                continue;
            distance[link->src] = distance[v] + 1;
            graph->queue[tail++] = link->src;
        }
    }
    return tail;
}

static bool leads_nearer(const struct graph_routes *graph, const uint32_t *distance, uint32_t link)
{
    const struct fabric_link *l = &graph->fabric->link[link];
    return l->bandwidth_Bps > 0 && distance[l->dst] != UNREACHED &&
           distance[l->dst] + 1 == distance[l->src];
}

/* The best link of every node, nearest nodes first: least latency, then first. */
static void choose_next(struct graph_routes *graph, uint32_t reached, uint32_t *next)
{
    const struct fabric *fabric = graph->fabric;
    memset(next, 0xff, fabric->node_count * sizeof *next);
    graph->latency_ns[graph->queue[0]] = 0;
    for (uint32_t i = 1; i < reached; i++) {
        uint32_t v = graph->queue[i];
        for (uint32_t k = fabric->first_link[v]; k < fabric->first_link[v + 1]; k++) {
            if (!leads_nearer(graph, graph->distance, k))
                continue;
            double latency_ns = fabric->link[k].latency_ns + graph->latency_ns[fabric->link[k].dst];
            if (next[v] == FABRIC_NONE || latency_ns < graph->latency_ns[v]) {
                next[v] = k;
                graph->latency_ns[v] = latency_ns;
            }
        }
    }
}

static const uint32_t *table_of(struct graph_routes *graph, uint32_t dst)
{
    if (graph->table[dst])
        return graph->table[dst];
    if (graph->kept == graph->most)
        drop_tables(graph);
    uint32_t *table = malloc(((size_t)graph->fabric->node_count + 1) * sizeof *table);
    need_memory(table);
    if (graph->keeps_next)
        choose_next(graph, search(graph, dst, graph->distance), table);
    else
        search(graph, dst, table);
    graph->table[dst] = table;
    graph->kept++;
    return table;
}

static uint32_t hashed_next(const struct routing *routing, const uint32_t *distance, uint32_t v,
                            uint32_t src, uint32_t dst)
{
    const struct fabric *fabric = routing->fabric;
    uint32_t count = 0;
    for (uint32_t k = fabric->first_link[v]; k < fabric->first_link[v + 1]; k++)
        count += leads_nearer(routing->graph, distance, k);
    promise(count > 0);
    /* Up-down depends on the destination alone, as tables of switches do. */
    uint32_t from = routing->policy == ROUTING_UP_DOWN ? dst : src;
    uint32_t choice = route_choice(routing->seed, from, dst, v, count);
    uint32_t k = fabric->first_link[v];
    for (;; k++)
        if (leads_nearer(routing->graph, distance, k) && choice-- == 0)
            return k;
}

static void share_out(struct routing *routing, const uint32_t *distance, uint32_t v, uint32_t *tail)
{
    struct graph_routes *graph = routing->graph;
    const struct fabric *fabric = routing->fabric;
    double total_Bps = 0;
    for (uint32_t k = fabric->first_link[v]; k < fabric->first_link[v + 1]; k++)
        if (leads_nearer(graph, distance, k))
            total_Bps += fabric->link[k].bandwidth_Bps;
    promise(total_Bps > 0);
    for (uint32_t k = fabric->first_link[v]; k < fabric->first_link[v + 1]; k++) {
        if (!leads_nearer(graph, distance, k))
            continue;
        const struct fabric_link *link = &fabric->link[k];
        double share = graph->share[v] * link->bandwidth_Bps / total_Bps;
        route_add_share(routing, k, share);
        if (!graph->queued[link->dst]) {
            graph->queued[link->dst] = true;
            graph->share[link->dst] = 0;
            graph->queue[(*tail)++] = link->dst;
        }
        graph->share[link->dst] += share;
    }
}

/* Nodes come off the queue in order of their distance from the source, so a node's share is whole
 * when it is dealt out. */
static void spray(struct routing *routing, const uint32_t *distance, uint32_t src, uint32_t dst)
{
    struct graph_routes *graph = routing->graph;
    uint32_t head = 0, tail = 0;
    graph->queue[tail++] = src;
    graph->queued[src] = true;
    graph->share[src] = 1;
    while (head < tail) {
        uint32_t v = graph->queue[head++];
        if (v != dst)
            share_out(routing, distance, v, &tail);
    }
    for (uint32_t i = 0; i < tail; i++)
        graph->queued[graph->queue[i]] = false;
    routing->sprayed = true;
}

void graph_route(struct routing *routing, uint32_t src, uint32_t dst)
{
    const uint32_t *table = table_of(routing->graph, dst);
    if (routing->policy == ROUTING_SPRAY) {
        spray(routing, table, src, dst);
        return;
    }
    bool hashed = !routing->graph->keeps_next;
    for (uint32_t v = src; v != dst;) {
        uint32_t link = hashed ? hashed_next(routing, table, v, src, dst) : table[v];
        promise(link != FABRIC_NONE);
        route_add(routing, link);
        v = routing->fabric->link[link].dst;
    }
}
