/*
 * binary_trees - all-reduce over two complementary binary trees at once, in chunks; any n.
 *
 * Tree 0 numbers its nodes as the positions: node v's parent is v with its lowest set bit b cleared
 * and 2b set, or only cleared if that is n or more; 0 is the root and has one child. Tree 1 is the
 * mirror image (n even) or shifted by one (n odd), so that a leaf of one is inside the other. Each
 * tree has half of the data, in c chunks of s = S/(2c): up to the root, reduced on the way, and
 * down. A position sends a chunk to a neighbour once the one before has arrived there:
 *   (2L + c - 1)(a + s b) + (2L - 1) s r with a link to each neighbour (n a power of two for r),
 *   L = ceil(log2 n); about 2 S b through one port.
 * Sources: Sanders, Speck, Traeff 2009; NCCL's numbering of the nodes (ncclGetBtree, 2.4).
 */
#ifndef ORRERY_NET_COLLECTIVE_BINARY_TREES_H
#define ORRERY_NET_COLLECTIVE_BINARY_TREES_H

#include "net/collective/lanes.h"

extern const struct collective_ops collective_binary_trees;

/* One tree over the members first, first + stride, ..; the position is number `own`. */
struct tree_group {
    uint32_t first, stride, count, own;
    uint32_t tree; /* 0 or 1 */
};

/*
 * Adds one tree's all-reduce of the pieces piece .. piece + chunks - 1 to a program. Nothing is
 * sent before `after` (NO_STEP: a hand-over). Uses 3 * chunks slots from `slot`.
 */
struct tree_end {
    uint32_t ready;   /* the step when all the result is here */
    uint32_t sent[2]; /* those when it has reached each child, or NO_STEP */
};
struct tree_end trees_run(struct lanes *lanes, const struct tree_group *group, uint32_t piece,
                          uint32_t chunks, uint32_t slot, uint32_t after);

/* Neighbours in the tree, 1 to 3. */
uint32_t trees_degree(const struct tree_group *group);

#endif
