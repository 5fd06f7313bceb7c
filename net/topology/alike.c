#include "net/topology/alike.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/mix.h"
#include "base/table.h"

enum { MOST_ROUNDS = 256 };

static uint64_t link_colour(const struct fabric_link *link)
{
    return mix64(mix64(bits_of(link->bandwidth_Bps) + link->count) ^ bits_of(link->latency_ns));
}

/* Sums over neighbours do not depend on the order of links. */
static void refine(const struct fabric *fabric, const uint64_t *colour, uint64_t *next)
{
    for (uint32_t v = 0; v < fabric->node_count; v++)
        next[v] = mix64(colour[v]);
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        const struct fabric_link *link = &fabric->link[l];
        uint64_t own = link_colour(link);
        next[link->src] += mix64(own + colour[link->dst]);
        next[link->dst] += mix64(~own + colour[link->src]);
    }
}

uint32_t alike_classes(const struct fabric *fabric, uint32_t *class_of, bool *settled)
{
    uint32_t nodes = fabric->node_count;
    uint64_t *colour = malloc(((size_t)nodes + 1) * sizeof *colour);
    uint64_t *next = malloc(((size_t)nodes + 1) * sizeof *next);
    need_memory(colour && next);
    for (uint32_t v = 0; v < nodes; v++)
        colour[v] = mix64(fabric->node[v].role + UINT64_C(1));
    uint32_t classes = table_number(colour, nodes, class_of), before = 0;
    for (int round = 0; round < MOST_ROUNDS && classes != before; round++) {
        refine(fabric, colour, next);
        uint64_t *swap = colour;
        colour = next;
        next = swap;
        before = classes;
        classes = table_number(colour, nodes, class_of);
    }
    *settled = classes == before;
    free(colour);
    free(next);
    return classes;
}
