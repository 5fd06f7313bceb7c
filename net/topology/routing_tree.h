/*
 * routing_tree - what routing_tree.c (routes) and routing_tree_bundle.c (which links of sprayed
 * routes are alike) share: the nodes of a tree as routes see them.
 */
#ifndef ORRERY_NET_TOPOLOGY_ROUTING_TREE_H
#define ORRERY_NET_TOPOLOGY_ROUTING_TREE_H

#include "net/topology/routing_parts.h"

enum { TREE_LEVELS = 64 };

/* NPUs first, first + stride, .. (count of them). */
struct progression {
    uint32_t first, stride, count;
};

/*
 * The links of a node, in the order of the fabric. If `formula`, the child over NPU number x of
 * those below is number (x / wide) * narrow + x % narrow.
 */
struct tree_node {
    uint32_t up, up_count;     /* in `link` */
    uint32_t down, down_count; /* in `link` */
    uint32_t wide, narrow;
    struct progression below, cover;
    bool formula;
    bool alike; /* the links up lead to nodes with the same `below` and `cover` */
};

struct tree_routes {
    struct tree_node *node;
    uint32_t *link;
    uint32_t divisor[TREE_LEVELS]; /* of d-mod-k: product of the parents at the levels below */
    uint32_t stride, in_leaf;      /* of d-mod-k: of the NPUs below a leaf; 1, 1 but for rails */
    double *share;                 /* spraying: of a node; else 0 */
    uint32_t *queue;
};

/* Position of `npu` among the NPUs of `set`, or FABRIC_NONE. */
static inline uint32_t tree_position(const struct progression *set, uint32_t npu)
{
    uint32_t offset = npu - set->first;
    if (npu < set->first)
        return FABRIC_NONE;
    if (set->stride != 1) {
        if (offset % set->stride != 0)
            return FABRIC_NONE;
        offset /= set->stride;
    }
    return offset < set->count ? offset : FABRIC_NONE;
}

static inline bool tree_holds(const struct progression *set, uint32_t npu)
{
    return tree_position(set, npu) != FABRIC_NONE;
}

static inline bool tree_same(const struct progression *a, const struct progression *b)
{
    return a->first == b->first && a->stride == b->stride && a->count == b->count;
}

/* What can be reached over a link up. An NPU forwards nothing: it is only a way to itself. */
static inline const struct progression *tree_reach(const struct fabric *fabric,
                                                   const struct tree_routes *tree, uint32_t at)
{
    uint32_t head = fabric->link[tree->link[at]].dst;
    const struct tree_node *node = &tree->node[head];
    return head < fabric->npu_count ? &node->below : &node->cover;
}

/* Where tree->link[at] leads. */
static inline const struct tree_node *tree_head(const struct fabric *fabric,
                                                const struct tree_routes *tree, uint32_t at)
{
    return &tree->node[fabric->link[tree->link[at]].dst];
}

#endif
