#include "sched/reduction_tree.h"

#include "base/table.h"

static bool is_switch(const struct fabric *fabric, uint32_t node)
{
    return fabric->node[node].role == ROLE_SWITCH;
}

static enum status no_switch(struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "no switch joins the ranks, so nothing can reduce for them");
    diag_hint(diag, "reduction in the network needs a switch, a tree or rails");
    return STATUS_BAD_CONFIG;
}

/* The highest switch on the routes from the first member to the others, or FABRIC_NONE. */
static uint32_t find_root(const struct fabric *fabric, struct routing *routing,
                          const uint32_t *member, uint32_t count)
{
    uint32_t best = FABRIC_NONE;
    for (uint32_t m = 1; m < count; m++) {
        struct route route;
        routing_find(routing, member[0], member[m], &route);
        for (uint32_t i = 0; i + 1 < route.count; i++) {
            uint32_t at = fabric->link[route.link[i]].dst;
            if (is_switch(fabric, at) &&
                (best == FABRIC_NONE || fabric->node[at].level > fabric->node[best].level))
                best = at;
        }
    }
    return best;
}

struct tree_maker {
    struct reduction_tree *tree;
    const struct fabric *fabric;
    struct table index_of; /* fabric node -> tree node */
    uint32_t room;
};

/* The tree's number of a fabric node, added if it is new. */
static uint32_t index_of(struct tree_maker *maker, uint32_t node)
{
    struct reduction_tree *tree = maker->tree;
    uint32_t index = table_find(&maker->index_of, node);
    if (index != TABLE_NONE)
        return index;
    promise(tree->count < maker->room);
    index = tree->count++;
    tree->node[index] = node;
    tree->parent[index] = TREE_ROOT;
    table_put(&maker->index_of, node, index);
    return index;
}

/* Joins the nodes of a route, up to one that has a parent already. */
static bool add_route(struct tree_maker *maker, const struct route *route)
{
    struct reduction_tree *tree = maker->tree;
    for (uint32_t i = 0; i < route->count; i++) {
        const struct fabric_link *link = &maker->fabric->link[route->link[i]];
        bool is_last = i + 1 == route->count;
        if (!is_last && !is_switch(maker->fabric, link->dst) &&
            maker->fabric->node[link->dst].role != ROLE_NIC)
            return false;
        uint32_t from = index_of(maker, link->src), to = index_of(maker, link->dst);
        if (tree->parent[from] != TREE_ROOT)
            return true;
        tree->parent[from] = to;
    }
    return true;
}

static void fill_children(struct reduction_tree *tree, struct arena *arena)
{
    tree->first_child = arena_array(arena, tree->count + 1, sizeof *tree->first_child);
    tree->child = arena_array(arena, tree->count, sizeof *tree->child);
    uint32_t *next = arena_array(arena, tree->count, sizeof *next);
    for (uint32_t i = 0; i < tree->count; i++) {
        if (tree->parent[i] != TREE_ROOT)
            tree->first_child[tree->parent[i] + 1]++;
    }
    for (uint32_t i = 0; i < tree->count; i++)
        tree->first_child[i + 1] += tree->first_child[i];
    for (uint32_t i = 0; i < tree->count; i++) {
        uint32_t parent = tree->parent[i];
        if (parent != TREE_ROOT)
            tree->child[tree->first_child[parent] + next[parent]++] = i;
    }
}

static void count_below(struct reduction_tree *tree, struct arena *arena)
{
    tree->below = arena_array(arena, tree->count, sizeof *tree->below);
    for (uint32_t m = 0; m < tree->members; m++) {
        for (uint32_t i = m; i != TREE_ROOT; i = tree->parent[i])
            tree->below[i]++;
    }
}

enum status reduction_tree_make(struct reduction_tree *tree, const struct fabric *fabric,
                                struct routing *routing, const uint32_t *member, uint32_t count,
                                struct arena *arena, struct diag *diag)
{
    uint32_t root = find_root(fabric, routing, member, count);
    if (root == FABRIC_NONE)
        return no_switch(diag);
    uint32_t others = fabric->node_count - fabric->npu_count;
    struct tree_maker maker = {.tree = tree, .fabric = fabric, .room = count + others};
    *tree = (struct reduction_tree){
        .members = count,
        .node = arena_array(arena, maker.room, sizeof *tree->node),
        .parent = arena_array(arena, maker.room, sizeof *tree->parent),
    };
    table_init(&maker.index_of);
    for (uint32_t m = 0; m < count; m++)
        index_of(&maker, member[m]);
    tree->root = index_of(&maker, root);
    bool is_joined = true;
    for (uint32_t m = 0; m < count && is_joined; m++) {
        struct route route;
        routing_find(routing, member[m], root, &route);
        is_joined = add_route(&maker, &route);
    }
    table_release(&maker.index_of);
    if (!is_joined)
        return no_switch(diag);
    fill_children(tree, arena);
    count_below(tree, arena);
    return STATUS_OK;
}
