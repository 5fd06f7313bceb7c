#include "net/topology/alike.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"

enum { MOST_ROUNDS = 256 };

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x7fb5d329728ea185);
    x = (x ^ (x >> 27)) * UINT64_C(0x81dadef4bc2dd44d);
    return x ^ (x >> 33);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t link_colour(const struct fabric_link *link)
{
    return mix(mix(bits_of(link->bandwidth_Bps) + link->count) ^ bits_of(link->latency_ns));
}

/* Numbers the colours in order of first appearance. */
static uint32_t number_colours(const uint64_t *colour, uint32_t count, uint32_t *class_of)
{
    struct table table;
    table_init(&table);
    uint32_t classes = 0;
    for (uint32_t v = 0; v < count; v++) {
        uint32_t found = table_find(&table, colour[v]);
        if (found == TABLE_NONE) {
            found = classes++;
            table_put(&table, colour[v], found);
        }
        class_of[v] = found;
    }
    table_release(&table);
    return classes;
}

/* Sums over neighbours do not depend on the order of links. */
static void refine(const struct fabric *fabric, const uint64_t *colour, uint64_t *next)
{
    for (uint32_t v = 0; v < fabric->node_count; v++)
        next[v] = mix(colour[v]);
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        const struct fabric_link *link = &fabric->link[l];
        uint64_t own = link_colour(link);
        next[link->src] += mix(own + colour[link->dst]);
        next[link->dst] += mix(~own + colour[link->src]);
    }
}

uint32_t alike_classes(const struct fabric *fabric, uint32_t *class_of, bool *settled)
{
    uint32_t nodes = fabric->node_count;
    uint64_t *colour = malloc(((size_t)nodes + 1) * sizeof *colour);
    uint64_t *next = malloc(((size_t)nodes + 1) * sizeof *next);
    need_memory(colour && next);
    for (uint32_t v = 0; v < nodes; v++)
        colour[v] = mix(fabric->node[v].role + UINT64_C(1));
    uint32_t classes = number_colours(colour, nodes, class_of), before = 0;
    for (int round = 0; round < MOST_ROUNDS && classes != before; round++) {
        refine(fabric, colour, next);
        uint64_t *swap = colour;
        colour = next;
        next = swap;
        before = classes;
        classes = number_colours(colour, nodes, class_of);
    }
    *settled = classes == before;
    free(colour);
    free(next);
    return classes;
}
