#include "net/topology/max_flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* An arc of node v: its k-th link out, or, from `outs` of them on, a link in, used backwards. */
struct flow_graph {
    const struct fabric *fabric;
    const unsigned char *side;
    uint32_t *first_in; /* [node_count + 1] */
    uint32_t *in;       /* links by destination */
    double *flow;       /* [link_count] */
    uint32_t *level;    /* [node_count]; UINT32_MAX: not reached */
    uint32_t *next_arc; /* [node_count] */
    uint32_t *queue;    /* [node_count] */
    uint32_t *path;     /* [node_count] links of the present path; the top bit: backwards */
    double least_Bps;   /* less is nothing: rounding */
};

#define BACKWARDS (UINT32_C(1) << 31)

static void sort_incoming(struct flow_graph *graph)
{
    const struct fabric *fabric = graph->fabric;
    for (uint32_t l = 0; l < fabric->link_count; l++)
        graph->first_in[fabric->link[l].dst + 1]++;
    for (uint32_t v = 0; v < fabric->node_count; v++)
        graph->first_in[v + 1] += graph->first_in[v];
    for (uint32_t l = fabric->link_count; l-- > 0;) /* from the end: first_in ends where it began */
        graph->in[--graph->first_in[fabric->link[l].dst + 1]] = l;
    /* Each first_in[v + 1] is now the begin of v; shift it back to its place. */
    memmove(graph->first_in, graph->first_in + 1, fabric->node_count * sizeof *graph->first_in);
    graph->first_in[fabric->node_count] = fabric->link_count;
}

/* The next arc of v at or after next_arc[v] with room on it and an end that `wanted` accepts. */
static uint32_t arc_end(const struct flow_graph *graph, uint32_t v, uint32_t arc, uint32_t *link,
                        double *room)
{
    const struct fabric *fabric = graph->fabric;
    uint32_t outs = fabric->first_link[v + 1] - fabric->first_link[v];
    if (arc < outs) {
        uint32_t l = fabric->first_link[v] + arc;
        *link = l;
        *room = fabric->link[l].bandwidth_Bps - graph->flow[l];
        return fabric->link[l].dst;
    }
    uint32_t l = graph->in[graph->first_in[v] + arc - outs];
    *link = l | BACKWARDS;
    *room = graph->flow[l];
    return fabric->link[l].src;
}

static uint32_t arc_count(const struct flow_graph *graph, uint32_t v)
{
    const struct fabric *fabric = graph->fabric;
    return fabric->first_link[v + 1] - fabric->first_link[v] + graph->first_in[v + 1] -
           graph->first_in[v];
}

/* Distances from the source side in the rest network. False if no sink is reached. */
static bool find_levels(struct flow_graph *graph)
{
    uint32_t nodes = graph->fabric->node_count, head = 0, tail = 0;
    bool reached = false;
    for (uint32_t v = 0; v < nodes; v++) {
        graph->next_arc[v] = 0;
        graph->level[v] = graph->side[v] == FLOW_SOURCE ? 0 : UINT32_MAX;
        if (graph->side[v] == FLOW_SOURCE)
            graph->queue[tail++] = v;
    }
    while (head < tail) {
        uint32_t v = graph->queue[head++];
        if (graph->side[v] == FLOW_SINK) {
            reached = true;
            continue; /* a path ends at its first sink */
        }
        uint32_t arcs = arc_count(graph, v);
        for (uint32_t arc = 0; arc < arcs; arc++) {
            uint32_t link;
            double room;
            uint32_t w = arc_end(graph, v, arc, &link, &room);
            if (room <= graph->least_Bps || graph->level[w] != UINT32_MAX)
                continue;
            graph->level[w] = graph->level[v] + 1;
            graph->queue[tail++] = w;
        }
    }
    return reached;
}

/* Pushes as much as the path takes; returns it. Cuts the path back before its first full link. */
static double push(struct flow_graph *graph, uint32_t *length, uint32_t *at)
{
    const struct fabric *fabric = graph->fabric;
    double least = 0;
    uint32_t narrowest = 0;
    for (uint32_t i = 0; i < *length; i++) {
        uint32_t l = graph->path[i] & ~BACKWARDS;
        double room = graph->path[i] & BACKWARDS ? graph->flow[l]
                                                 : fabric->link[l].bandwidth_Bps - graph->flow[l];
        if (i == 0 || room < least) {
            least = room;
            narrowest = i;
        }
    }
    for (uint32_t i = 0; i < *length; i++)
        graph->flow[graph->path[i] & ~BACKWARDS] += graph->path[i] & BACKWARDS ? -least : least;
    uint32_t l = graph->path[narrowest] & ~BACKWARDS;
    *at = graph->path[narrowest] & BACKWARDS ? fabric->link[l].dst : fabric->link[l].src;
    *length = narrowest;
    return least;
}

/* One step of the search at node `at`: forwards along an arc, or back. False: `source` is done. */
static bool step(struct flow_graph *graph, uint32_t *length, uint32_t *at)
{
    uint32_t v = *at, arcs = arc_count(graph, v);
    for (; graph->next_arc[v] < arcs; graph->next_arc[v]++) {
        uint32_t link;
        double room;
        uint32_t w = arc_end(graph, v, graph->next_arc[v], &link, &room);
        if (room > graph->least_Bps && graph->level[w] == graph->level[v] + 1) {
            graph->path[(*length)++] = link;
            *at = w;
            return true;
        }
    }
    if (*length == 0)
        return false;
    uint32_t back = graph->path[--*length], l = back & ~BACKWARDS;
    *at = back & BACKWARDS ? graph->fabric->link[l].dst : graph->fabric->link[l].src;
    graph->next_arc[*at]++;
    return true;
}

static double fill(struct flow_graph *graph, uint32_t source)
{
    double total = 0;
    uint32_t length = 0, at = source;
    while (step(graph, &length, &at)) {
        if (graph->side[at] == FLOW_SINK)
            total += push(graph, &length, &at);
    }
    return total;
}

double max_flow(const struct fabric *fabric, const unsigned char *side)
{
    uint32_t nodes = fabric->node_count, links = fabric->link_count;
    struct flow_graph graph = {.fabric = fabric, .side = side};
    graph.first_in = calloc((size_t)nodes + 1, sizeof *graph.first_in);
    graph.in = calloc((size_t)links + 1, sizeof *graph.in);
    graph.flow = calloc((size_t)links + 1, sizeof *graph.flow);
    graph.level = calloc(4 * ((size_t)nodes + 1), sizeof *graph.level);
    need_memory(graph.first_in && graph.in && graph.flow && graph.level);
    graph.next_arc = graph.level + nodes + 1;
    graph.queue = graph.next_arc + nodes + 1;
    graph.path = graph.queue + nodes + 1;
    sort_incoming(&graph);
    for (uint32_t l = 0; l < links; l++) {
        if (fabric->link[l].bandwidth_Bps * 1e-9 > graph.least_Bps)
            graph.least_Bps = fabric->link[l].bandwidth_Bps * 1e-9;
    }
    double total = 0;
    while (find_levels(&graph)) {
        for (uint32_t v = 0; v < nodes; v++) {
            if (side[v] == FLOW_SOURCE)
                total += fill(&graph, v);
        }
    }
    free(graph.first_in);
    free(graph.in);
    free(graph.flow);
    free(graph.level);
    return total;
}
