/*
 * trees - levels of switches over the NPUs: xgft, fattree, fattree2, leafspine.
 *
 * An extended generalised fat-tree (Ohring et al., IPPS 1995) of h levels is given by rows
 * down m1..mh, up w1..wh, cables c1..ch: a node of level i - 1 has wi parents, a switch of level i
 * has mi children, ci cables join them. It has m1 x m2 x .. x mh NPUs. Level i has
 * (w1 x .. x wi) x (m(i+1) x .. x mh) switches; switch number b x (w1 .. wi) + a of a level is over
 * NPUs b x (m1 .. mi) .. and has the parents a + j x (w1 .. wi), j = 0 .. w(i+1) - 1, of the block
 * above.
 *
 *   fattree:K       down K/2,K/2,K  up 1,K/2,K/2   K^3/4 NPUs (Al-Fares, SIGCOMM 2008)
 *   fattree2:K      down K/2,K      up 1,K/2       K^2/2 NPUs
 *   leafspine:HxL   down H,L        up 1,spines    H x L NPUs
 *
 *   taper=T   a leaf has 1/T as many cables up as down (its parents, or if given as spines, are
 *             fewer)
 *   planes=P  P such trees side by side; every NPU has a port in each (w1 = P)
 *   pods=N    fattree: only N of the K pods
 *
 * Names: leaf0.., spine0.. (two levels), leaf0.., agg0.., core0.. (three), else s<level>.<number>.
 */
#ifndef ORRERY_NET_TOPOLOGY_TREES_H
#define ORRERY_NET_TOPOLOGY_TREES_H

#include "net/topology/spec.h"

extern const struct spec_kind tree_xgft, tree_fattree, tree_fattree2, tree_leafspine;

#endif
