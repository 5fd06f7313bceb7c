#include "net/topology/bridges.h"

#include <stdlib.h>

#include "base/memory.h"

/* Depth-first search from node 0. */
struct search {
    const struct fabric *fabric;
    uint32_t *order;   /* when a node was first seen, from 1; 0: not yet */
    uint32_t *low;     /* the earliest node reached from below it, past its own link */
    uint32_t *npus;    /* in the subtree below it */
    uint32_t *next;    /* the next link to try */
    uint32_t *came_by; /* the link that led to it */
    uint32_t *stack;
    uint32_t depth, seen;
};

static void enter(struct search *search, uint32_t v, uint32_t link)
{
    search->order[v] = search->low[v] = ++search->seen;
    search->npus[v] = v < search->fabric->npu_count;
    search->next[v] = search->fabric->first_link[v];
    search->came_by[v] = link;
    search->stack[search->depth++] = v;
}

static void look_at(struct search *search, uint32_t v, uint32_t link)
{
    const struct fabric_link *row = &search->fabric->link[link];
    bool is_way_back = search->came_by[v] != FABRIC_NONE && search->came_by[v] == row->reverse;
    if (row->bandwidth_Bps <= 0 || is_way_back)
        return;
    if (!search->order[row->dst])
        enter(search, row->dst, link);
    else if (search->order[row->dst] < search->low[v])
        search->low[v] = search->order[row->dst];
}

/* Leaves v; true if the link to it is a bridge. */
static bool leave(struct search *search, uint32_t v)
{
    search->depth--;
    if (search->came_by[v] == FABRIC_NONE)
        return false;
    uint32_t parent = search->fabric->link[search->came_by[v]].src;
    search->npus[parent] += search->npus[v];
    if (search->low[v] < search->low[parent])
        search->low[parent] = search->low[v];
    return search->low[v] > search->order[parent] &&
           search->fabric->link[search->came_by[v]].count == 1;
}

static uint32_t run(struct search *search, struct bridge *worst)
{
    const struct fabric *fabric = search->fabric;
    uint32_t count = 0;
    enter(search, 0, FABRIC_NONE);
    while (search->depth > 0) {
        uint32_t v = search->stack[search->depth - 1];
        if (search->next[v] < fabric->first_link[v + 1]) {
            look_at(search, v, search->next[v]++);
            continue;
        }
        if (!leave(search, v))
            continue;
        uint32_t below = search->npus[v], above = fabric->npu_count - below;
        uint32_t fewer = below < above ? below : above;
        if (fewer < 2)
            continue;
        count++;
        if (fewer > worst->npus)
            *worst = (struct bridge){search->came_by[v], fewer};
    }
    return count;
}

uint32_t bridges_find(const struct fabric *fabric, struct bridge *worst)
{
    size_t nodes = fabric->node_count;
    *worst = (struct bridge){FABRIC_NONE, 0};
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        if (fabric->link[l].reverse == FABRIC_NONE)
            return 0;
    }
    uint32_t *rows = calloc(6 * nodes, sizeof *rows);
    need_memory(rows);
    struct search search = {.fabric = fabric,
                            .order = rows,
                            .low = rows + nodes,
                            .npus = rows + 2 * nodes,
                            .next = rows + 3 * nodes,
                            .came_by = rows + 4 * nodes,
                            .stack = rows + 5 * nodes};
    uint32_t count = run(&search, worst);
    free(rows);
    return count;
}
