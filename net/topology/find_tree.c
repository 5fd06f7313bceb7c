#include "net/topology/find_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define MOST_STEPS 200e6
enum { MOST_LEVEL = 15 };

/* Rule 1, what a look at nodes and links tells. */
static bool has_the_looks(const struct fabric *fabric)
{
    for (uint32_t v = fabric->npu_count; v < fabric->node_count; v++) {
        if (fabric->node[v].role != ROLE_SWITCH)
            return false;
    }
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        const struct fabric_link *link = &fabric->link[l];
        if (link->reverse == FABRIC_NONE ||
            (link->src < fabric->npu_count && link->dst < fabric->npu_count))
            return false;
    }
    return fabric->node_count > fabric->npu_count;
}

/* Hops from the nearest NPU into level[]. False if neighbours share a level, or levels are many. */
static bool find_levels(const struct fabric *fabric, uint32_t *level, uint32_t *queue)
{
    uint32_t head = 0, tail = 0;
    memset(level, 0xff, fabric->node_count * sizeof *level);
    for (uint32_t v = 0; v < fabric->npu_count; v++) {
        level[v] = 0;
        queue[tail++] = v;
    }
    while (head < tail) {
        uint32_t v = queue[head++];
        for (uint32_t l = fabric->first_link[v]; l < fabric->first_link[v + 1]; l++) {
            uint32_t w = fabric->link[l].dst;
            if (level[w] == level[v] || level[v] == MOST_LEVEL)
                return false;
            if (level[w] != UINT32_MAX)
                continue;
            level[w] = level[v] + 1;
            queue[tail++] = w;
        }
    }
    return tail == fabric->node_count;
}

struct below {
    uint32_t first, last, count;
};

/* The NPUs below switch `root`; `seen` has the root of the last search that met a node. */
static struct below look_below(const struct fabric *fabric, const uint32_t *level, uint32_t root,
                               uint32_t *seen, uint32_t *queue, double *steps)
{
    struct below below = {UINT32_MAX, 0, 0};
    uint32_t head = 0, tail = 0;
    queue[tail++] = root;
    seen[root] = root;
    while (head < tail) {
        uint32_t v = queue[head++];
        if (level[v] == 0) {
            below.first = v < below.first ? v : below.first;
            below.last = v > below.last ? v : below.last;
            below.count++;
            continue;
        }
        *steps += fabric->first_link[v + 1] - fabric->first_link[v];
        for (uint32_t l = fabric->first_link[v]; l < fabric->first_link[v + 1]; l++) {
            uint32_t w = fabric->link[l].dst;
            if (level[w] >= level[v] || seen[w] == root)
                continue;
            seen[w] = root;
            queue[tail++] = w;
        }
    }
    return below;
}

/* Sets `below` of a switch. False if its NPUs are no progression. Distinct numbers that all leave
 * one rest, from the first to the last, and as many as fit between, are one. */
static bool set_below(struct fabric_node *node, struct below below, const uint32_t *seen,
                      uint32_t root)
{
    uint32_t span = below.last - below.first;
    uint32_t stride = below.count > 1 ? span / (below.count - 1) : 1;
    if (stride == 0 || span != (below.count - 1) * stride)
        return false;
    for (uint32_t i = 0; i < below.count; i++) {
        if (seen[below.first + i * stride] != root)
            return false;
    }
    node->below_first = below.first;
    node->below_stride = stride;
    node->below_count = below.count;
    return true;
}

/* Fills levels and progressions; in part, if it is no tree. */
static bool fill(struct fabric *fabric, uint32_t *level, uint32_t *seen, uint32_t *queue)
{
    double steps = 0;
    bool covered = false;
    if (!find_levels(fabric, level, queue))
        return false;
    memset(seen, 0xff, fabric->node_count * sizeof *seen);
    for (uint32_t v = fabric->npu_count; v < fabric->node_count; v++) {
        struct below below = look_below(fabric, level, v, seen, queue, &steps);
        if (steps > MOST_STEPS || below.count == 0 || !set_below(&fabric->node[v], below, seen, v))
            return false;
        fabric->node[v].level = (uint8_t)level[v];
        covered = covered || below.count == fabric->npu_count;
    }
    return covered;
}

bool find_tree(struct fabric *fabric)
{
    if (fabric->is_tree || fabric->is_product || !has_the_looks(fabric))
        return fabric->is_tree;
    size_t nodes = fabric->node_count;
    uint32_t *rows = malloc(3 * nodes * sizeof *rows);
    need_memory(rows != NULL);
    fabric->is_tree = fill(fabric, rows, rows + nodes, rows + 2 * nodes);
    free(rows);
    for (uint32_t v = fabric->npu_count; v < nodes && !fabric->is_tree; v++) {
        struct fabric_node *node = &fabric->node[v];
        node->level = 0;
        node->below_first = node->below_stride = node->below_count = 0;
    }
    return fabric->is_tree;
}
