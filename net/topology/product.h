/*
 * product - a fabric that has a copy of a factor along every line of every dimension.
 *
 * The product of fabrics F0 (n0 NPUs), F1 (n1), .. has n0 x n1 x .. NPUs; dimension 0 varies
 * fastest in the rank. The NPUs that differ in coordinate d only make a line, and are joined as in
 * F_d. So rings make a torus, lines a mesh, and "switch:8*fattree:8" is nodes of 8 whose NPUs of
 * the same place (rail) share a fat-tree: what a product means in ASTRA-sim's network file.
 *
 * Names: NPUs are npu0, npu1, ..; a node X of a factor is X if there is one copy in all, and
 * "d<dimension>.<line>.X" otherwise.
 */
#ifndef ORRERY_NET_TOPOLOGY_PRODUCT_H
#define ORRERY_NET_TOPOLOGY_PRODUCT_H

#include "net/topology/fabric.h"

/*
 * Takes the factors over (also when it fails), each a fabric of one dimension, at most
 * CONFIG_MAX_DIMS of them.
 */
enum status product_build(struct fabric **factors, uint32_t count, const char *text,
                          struct fabric **fabric, struct diag *diag);

#endif
