/*
 * node_set - the named nodes of a topology file, in groups, and selections of them.
 *
 * Rules:
 *  1. A group of 16 called "gpu" is the nodes gpu0 .. gpu15; a group without a count is one node
 *     with the group's own name. Names are letters, digits, '_', '-', '.' and '/', and unique.
 *  2. Selections: "gpu" (all of a group, in order), "gpu3" (one node), "gpu[0-3,8-15:2]" (members
 *     by number: single ones, and ranges that include their end, with a step).
 *  3. Numbers count the nodes in order of addition, from 0.
 */
#ifndef ORRERY_NET_TOPOLOGY_NODE_SET_H
#define ORRERY_NET_TOPOLOGY_NODE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/table.h"

struct node_group {
    uint32_t first, count;
    bool is_single; /* one node with the group's own name */
};

struct node_set {
    struct names group_name; /* number: of the group */
    struct names node_name;  /* number: of the node */
    struct node_group *group;
    uint32_t group_capacity;
};

/* Owned numbers; release with free(number). */
struct selection {
    uint32_t *number;
    uint32_t count;
};

void node_set_init(struct node_set *set);
void node_set_release(struct node_set *set);

/* Adds `count` nodes; 0 adds one node called `name`. Fails on a bad or a known name. */
enum status node_set_add(struct node_set *set, const char *name, uint32_t count, struct diag *diag);

/* The nodes that `text` selects. An unknown name gets a suggestion. */
enum status node_set_select(const struct node_set *set, const char *text,
                            struct selection *selection, struct diag *diag);

#endif
