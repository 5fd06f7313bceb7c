/* When the links of sprayed routes on trees are alike: the facts that routing_bundle.c reasons
 * from. */
#include "net/topology/routing_tree.h"

void tree_class(const struct routing *routing, uint32_t node, uint32_t words[TREE_CLASS_WORDS])
{
    const struct tree_node *n = &routing->tree->node[node];
    words[0] = routing->fabric->node[node].level;
    words[1] = n->below.first;
    words[2] = n->below.stride;
    words[3] = n->below.count;
    words[4] = n->cover.first;
    words[5] = n->cover.stride;
    words[6] = n->cover.count;
}

/* Have the two an NPU in common that is not `npu`? The shorter is walked. */
static bool meet(const struct progression *a, const struct progression *b, uint32_t npu)
{
    if (a->count > b->count)
        return meet(b, a, npu);
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t at = a->first + i * a->stride;
        if (at != npu && tree_holds(b, at))
            return true;
    }
    return false;
}

/*
 * Down, the formula gives one link. Up, heads of two classes must not both be over a destination,
 * and one class only may lead further than what is below it.
 */
bool tree_ways_agree(const struct routing *routing, uint32_t node, const uint32_t *class_of)
{
    const struct tree_node *n = &routing->tree->node[node];
    const struct fabric *fabric = routing->fabric;
    uint32_t leads_on = FABRIC_NONE;
    if (n->down_count > 0 && node >= fabric->npu_count && !n->formula)
        return false;
    for (uint32_t i = 0; i < n->up_count && !n->alike; i++) {
        uint32_t class = class_of[fabric->link[routing->tree->link[n->up + i]].dst];
        const struct tree_node *head = tree_head(fabric, routing->tree, n->up + i);
        if (!tree_same(&head->below, tree_reach(fabric, routing->tree, n->up + i))) {
            if (leads_on != FABRIC_NONE && leads_on != class)
                return false;
            leads_on = class;
        }
        for (uint32_t k = 0; k < i; k++) {
            uint32_t other = class_of[fabric->link[routing->tree->link[n->up + k]].dst];
            if (other != class &&
                (node >= fabric->npu_count ||
                 meet(&head->below, &tree_head(fabric, routing->tree, n->up + k)->below, node)))
                return false;
        }
    }
    return true;
}
