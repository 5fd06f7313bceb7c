/*
 * reduction_tree - the switches that combine what the members of a group send (NVLS, SHARP).
 *
 * The root is the highest switch on the routes between the first member and the others; every
 * member is joined to it by its route (auto routing: one fixed path), and a node's parent is the
 * next node on the way. Only switches and NICs may lie between a member and the root.
 */
#ifndef ORRERY_SCHED_REDUCTION_TREE_H
#define ORRERY_SCHED_REDUCTION_TREE_H

#include "base/arena.h"
#include "base/diag.h"
#include "net/topology/fabric.h"
#include "net/topology/routing.h"

#define TREE_ROOT UINT32_MAX

struct reduction_tree {
    uint32_t members;      /* nodes 0 .. members - 1 of the tree, in the order given */
    uint32_t count;        /* with the switches */
    uint32_t root;         /* a switch */
    uint32_t *node;        /* [count] fabric node */
    uint32_t *parent;      /* [count] tree node; TREE_ROOT for the root */
    uint32_t *first_child; /* [count + 1] into child[] */
    uint32_t *child;
    uint32_t *below; /* [count] members below the node; 1 for a member */
};

/* Fails if no switch joins the members (a torus), with a hint. Memory is the arena's. */
enum status reduction_tree_make(struct reduction_tree *tree, const struct fabric *fabric,
                                struct routing *routing, const uint32_t *member, uint32_t count,
                                struct arena *arena, struct diag *diag);

#endif
