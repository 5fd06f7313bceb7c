/*
 * double_binary_tree - all-reduce up and down a binary tree; two complementary trees take turns.
 *
 * Positions are numbered in order along the tree: a root with one child, which is a full binary
 * tree of n-1. Tree 0 has its root last (n-1), tree 1 first (0). The whole data moves per message:
 * a leaf hands over and sends up; an inner position reduces what each child sends, sends up, gets
 * the result (hands it over with a reduction, as ASTRA-sim does) and sends it to both children.
 * Source: Sanders, Speck, Traeff 2009; semantics of ASTRA-sim's native algorithm.
 *
 * It is an all-reduce whatever it is asked for (ASTRA-sim); the data does not shrink.
 */
#ifndef ORRERY_NET_COLLECTIVE_DOUBLE_BINARY_TREE_H
#define ORRERY_NET_COLLECTIVE_DOUBLE_BINARY_TREE_H

#include "model/collective.h"

extern const struct collective_ops collective_double_binary_tree;

#endif
