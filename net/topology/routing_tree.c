/*
 * Up to the lowest common switch and down. Each node knows the NPUs below it, and its `cover`:
 * those it can reach by going up first. A step looks at the links up of one node, or finds the link
 * down by arithmetic; nothing is kept per pair.
 */
#include "net/topology/routing_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mix.h"

/* -- making ---------------------------------------------------------------------------------- */

static bool leads_up(const struct fabric *fabric, const struct fabric_link *link)
{
    const struct fabric_node *src = &fabric->node[link->src], *dst = &fabric->node[link->dst];
    return dst->level > src->level || (src->role == ROLE_NPU && dst->level == src->level);
}

static void take_below(const struct fabric *fabric, struct tree_routes *tree)
{
    for (uint32_t v = 0; v < fabric->node_count; v++) {
        const struct fabric_node *node = &fabric->node[v];
        struct progression below = {node->below_first, node->below_stride, node->below_count};
        if (v < fabric->npu_count)
            below = (struct progression){v, 1, 1};
        if (below.stride == 0)
            below.stride = 1;
        tree->node[v].below = tree->node[v].cover = below;
    }
}

static void sort_links(const struct fabric *fabric, struct tree_routes *tree)
{
    uint32_t used = 0;
    for (uint32_t v = 0; v < fabric->node_count; v++) {
        struct tree_node *node = &tree->node[v];
        for (int up = 0; up < 2; up++) {
            uint32_t start = used;
            for (uint32_t k = fabric->first_link[v]; k < fabric->first_link[v + 1]; k++)
                if (leads_up(fabric, &fabric->link[k]) == up)
                    tree->link[used++] = k;
            *(up ? &node->up : &node->down) = start;
            *(up ? &node->up_count : &node->down_count) = used - start;
        }
    }
}

/* Covers come from above, so the highest nodes first: NPUs and then their NICs come last. */
static void take_covers(const struct fabric *fabric, struct tree_routes *tree)
{
    uint8_t top = 0;
    for (uint32_t v = 0; v < fabric->node_count; v++)
        if (fabric->node[v].level > top)
            top = fabric->node[v].level;
    promise(top < TREE_LEVELS);
    for (int level = top; level >= 0; level--) {
        for (uint32_t i = fabric->node_count; i-- > 0;) {
            struct tree_node *node = &tree->node[i];
            if (fabric->node[i].level != level)
                continue;
            node->alike = true;
            for (uint32_t k = 0; k < node->up_count; k++) {
                const struct progression *reach = tree_reach(fabric, tree, node->up + k);
                const struct progression *first = tree_reach(fabric, tree, node->up);
                if (reach->count > node->cover.count)
                    node->cover = *reach;
                if (!tree_same(reach, first) ||
                    !tree_same(&tree_head(fabric, tree, node->up + k)->below,
                               &tree_head(fabric, tree, node->up)->below))
                    node->alike = false;
            }
        }
    }
}

static bool formula_fits(const struct fabric *fabric, const struct tree_routes *tree,
                         const struct tree_node *node)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < node->down_count; i++) {
        const struct progression *child = &tree_head(fabric, tree, node->down + i)->below;
        uint32_t probe[3] = {0, child->count > 1, child->count - 1};
        total += child->count;
        for (uint32_t p = 0; p < 3; p++) {
            uint32_t x = tree_position(&node->below, child->first + probe[p] * child->stride);
            if (x == FABRIC_NONE || x / node->wide * node->narrow + x % node->narrow != i)
                return false;
        }
    }
    return total == node->below.count;
}

/* The two patterns there are: children over blocks, and over every G-th NPU of blocks (rails). */
static void find_formula(const struct fabric *fabric, const struct tree_routes *tree,
                         struct tree_node *node)
{
    if (node->down_count == 0)
        return;
    const struct progression *child = &tree_head(fabric, tree, node->down)->below;
    if (child->count == 0)
        return;
    node->wide = child->count;
    node->narrow = 1;
    node->formula = formula_fits(fabric, tree, node);
    if (node->formula || child->stride % node->below.stride != 0)
        return;
    node->narrow = child->stride / node->below.stride;
    node->wide = child->count * node->narrow;
    node->formula = formula_fits(fabric, tree, node);
}

/* Links up that lead as far as any: those up to a scale-up switch do not count. */
static void find_divisors(const struct fabric *fabric, struct tree_routes *tree)
{
    uint32_t parents[TREE_LEVELS] = {0};
    for (uint32_t v = 0; v < fabric->node_count; v++) {
        const struct tree_node *node = &tree->node[v];
        uint32_t count = 0;
        if (fabric->node[v].role == ROLE_NIC || parents[fabric->node[v].level])
            continue;
        for (uint32_t k = 0; k < node->up_count; k++)
            count += tree_same(tree_reach(fabric, tree, node->up + k), &node->cover);
        parents[fabric->node[v].level] = count;
    }
    tree->divisor[0] = 1;
    for (uint32_t level = 1; level < TREE_LEVELS; level++) {
        uint32_t below = parents[level - 1] ? parents[level - 1] : 1;
        tree->divisor[level] = tree->divisor[level - 1] > CONFIG_MAX_NPUS
                                   ? tree->divisor[level - 1]
                                   : tree->divisor[level - 1] * below;
    }
}

/* On rails the NPUs of a leaf are the same one of every node. */
static void find_stride(const struct fabric *fabric, struct tree_routes *tree)
{
    tree->stride = tree->in_leaf = 1;
    for (uint32_t v = fabric->npu_count; v < fabric->node_count; v++) {
        const struct progression *below = &tree->node[v].below;
        if (fabric->node[v].role == ROLE_SWITCH && below->count > 1 &&
            below->stride > tree->stride) {
            tree->stride = below->stride;
            tree->in_leaf = below->count;
        }
    }
}

struct tree_routes *tree_routes_create(const struct fabric *fabric)
{
    struct tree_routes *tree = calloc(1, sizeof *tree);
    need_memory(tree);
    tree->node = calloc((size_t)fabric->node_count + 1, sizeof *tree->node);
    tree->link = malloc(((size_t)fabric->link_count + 1) * sizeof *tree->link);
    tree->share = calloc((size_t)fabric->node_count + 1, sizeof *tree->share);
    tree->queue = malloc(((size_t)fabric->node_count + 1) * sizeof *tree->queue);
    need_memory(tree->node && tree->link && tree->share && tree->queue);
    take_below(fabric, tree);
    sort_links(fabric, tree);
    take_covers(fabric, tree);
    for (uint32_t v = 0; v < fabric->node_count; v++)
        find_formula(fabric, tree, &tree->node[v]);
    find_divisors(fabric, tree);
    find_stride(fabric, tree);
    return tree;
}

void tree_routes_destroy(struct tree_routes *tree)
{
    if (!tree)
        return;
    free(tree->node);
    free(tree->link);
    free(tree->share);
    free(tree->queue);
    free(tree);
}

/* -- one step ---------------------------------------------------------------------------------- */

/* Ways on from a node towards `dst`: either all of a range of tree->link, or those that `fit`. */
struct ways {
    uint32_t start, count; /* range */
    uint32_t fitting;      /* how many of them may be taken */
    enum { ALL, BELOW, COVER } fit;
};

static bool fits(const struct routing *routing, const struct ways *ways, uint32_t i, uint32_t dst)
{
    if (ways->fit == ALL)
        return true;
    if (ways->fit == BELOW)
        return tree_holds(&tree_head(routing->fabric, routing->tree, ways->start + i)->below, dst);
    return tree_holds(tree_reach(routing->fabric, routing->tree, ways->start + i), dst);
}

static void count_fitting(const struct routing *routing, struct ways *ways, uint32_t dst)
{
    ways->fitting = 0;
    for (uint32_t i = 0; i < ways->count; i++)
        ways->fitting += fits(routing, ways, i, dst);
}

static struct ways ways_down(const struct routing *routing, const struct tree_node *node,
                             uint32_t place, uint32_t dst)
{
    if (node->formula)
        return (struct ways){node->down + place / node->wide * node->narrow + place % node->narrow,
                             1, 1, ALL};
    struct ways ways = {node->down, node->down_count, 0, BELOW};
    count_fitting(routing, &ways, dst);
    return ways;
}

/* No way (`fitting` 0) if `dst` cannot be reached by going up and then down. */
static struct ways ways_up(const struct routing *routing, const struct tree_node *node,
                           uint32_t dst)
{
    struct ways ways = {node->up, node->up_count, 0, ALL};
    if (node->up_count == 0)
        return ways;
    if (node->alike) {
        ways.fit = COVER;
        ways.fitting = fits(routing, &ways, 0, dst) ? node->up_count : 0;
        ways.fit = ALL;
        return ways;
    }
    ways.fit = BELOW;
    count_fitting(routing, &ways, dst);
    if (ways.fitting == 0) {
        ways.fit = COVER;
        count_fitting(routing, &ways, dst);
    }
    return ways;
}

static struct ways ways_of(const struct routing *routing, uint32_t v, uint32_t dst)
{
    const struct tree_node *node = &routing->tree->node[v];
    uint32_t place =
        v < routing->fabric->npu_count ? FABRIC_NONE : tree_position(&node->below, dst);
    return place != FABRIC_NONE ? ways_down(routing, node, place, dst)
                                : ways_up(routing, node, dst);
}

/* The number of an NPU if those of leaf 0 come first, then those of leaf 1, ..: what d-mod-k counts
 * by. By rank, the NPUs of a rail would share parents wherever nodes' and parents' numbers have a
 * common factor. */
static uint32_t leaf_order(const struct tree_routes *tree, uint32_t npu)
{
    uint32_t stride = tree->stride, rail = npu % stride, node = npu / stride;
    return (node / tree->in_leaf * stride + rail) * tree->in_leaf + node % tree->in_leaf;
}

/* Up-down depends on the destination alone, as tables of switches do, also past a failed link. */
static uint32_t choose(const struct routing *routing, uint32_t v, uint32_t src, uint32_t dst,
                       uint32_t count)
{
    uint64_t seed = routing->seed + routing->attempt * MIX_STEP;
    if (routing->policy == ROUTING_ECMP)
        return route_choice(seed, src, dst, v, count);
    if (routing->attempt > 0)
        return route_choice(seed, dst, dst, v, count);
    if (routing->policy == ROUTING_UP_DOWN)
        return leaf_order(routing->tree, dst) /
               routing->tree->divisor[routing->fabric->node[v].level] % count;
    return 0;
}

static uint32_t take_way(const struct routing *routing, const struct ways *ways, uint32_t v,
                         uint32_t src, uint32_t dst)
{
    uint32_t choice = ways->fitting > 1 ? choose(routing, v, src, dst, ways->fitting) : 0;
    if (ways->fitting == ways->count)
        return routing->tree->link[ways->start + choice];
    uint32_t i = 0;
    while (!fits(routing, ways, i, dst) || choice-- > 0)
        i++;
    return routing->tree->link[ways->start + i];
}

/* -- a route ----------------------------------------------------------------------------------- */

static bool single_route(struct routing *routing, uint32_t src, uint32_t dst)
{
    for (uint32_t v = src; v != dst;) {
        struct ways ways = ways_of(routing, v, dst);
        if (ways.fitting == 0)
            return false;
        uint32_t link = take_way(routing, &ways, v, src, dst);
        route_add(routing, link);
        v = routing->fabric->link[link].dst;
    }
    return true;
}

static void pass_on(struct routing *routing, uint32_t number, double share, uint32_t dst,
                    uint32_t *tail)
{
    const struct fabric_link *link = &routing->fabric->link[number];
    struct tree_routes *tree = routing->tree;
    route_add_share(routing, number, share);
    if (tree->share[link->dst] == 0 && link->dst != dst)
        tree->queue[(*tail)++] = link->dst;
    tree->share[link->dst] += share;
}

/* False if there is no way on. Failed links take no share. */
static bool deal_out(struct routing *routing, uint32_t v, uint32_t dst, uint32_t *tail)
{
    const struct fabric *fabric = routing->fabric;
    struct tree_routes *tree = routing->tree;
    struct ways ways = ways_of(routing, v, dst);
    double total_Bps = 0;
    for (uint32_t i = 0; i < ways.count; i++)
        if (fits(routing, &ways, i, dst))
            total_Bps += fabric->link[tree->link[ways.start + i]].bandwidth_Bps;
    if (!(total_Bps > 0))
        return false;
    for (uint32_t i = 0; i < ways.count; i++) {
        uint32_t number = tree->link[ways.start + i];
        double bandwidth_Bps = fabric->link[number].bandwidth_Bps;
        if (fits(routing, &ways, i, dst) && bandwidth_Bps > 0)
            pass_on(routing, number, tree->share[v] * (bandwidth_Bps / total_Bps), dst, tail);
    }
    return true;
}

/* Nodes are queued in order of their hops from the source, as all ways are equally long. */
static bool sprayed_route(struct routing *routing, uint32_t src, uint32_t dst)
{
    struct tree_routes *tree = routing->tree;
    uint32_t head = 0, tail = 0;
    bool complete = true;
    tree->queue[tail++] = src;
    tree->share[src] = 1;
    while (head < tail) {
        uint32_t v = tree->queue[head++];
        complete = complete && deal_out(routing, v, dst, &tail);
        tree->share[v] = 0;
    }
    tree->share[dst] = 0;
    routing->sprayed = true;
    return complete;
}

void tree_first_route(struct routing *routing, uint32_t src, uint32_t dst, struct route *route)
{
    routing->path.count = 0;
    bool found = single_route(routing, src, dst);
    promise(found);
    *route = (struct route){.count = routing->path.count, .link = routing->path.link};
}

bool tree_route(struct routing *routing, uint32_t src, uint32_t dst)
{
    if (dst < routing->fabric->npu_count)
        return routing->policy == ROUTING_SPRAY ? sprayed_route(routing, src, dst)
                                                : single_route(routing, src, dst);
    uint32_t direct = fabric_find_link(routing->fabric, src, dst);
    if (direct == FABRIC_NONE)
        return false;
    route_add(routing, direct);
    return true;
}
