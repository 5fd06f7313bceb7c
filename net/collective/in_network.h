/*
 * in_network - collectives whose data is combined and copied by the switches (PEER_NETWORK).
 *
 *   nvls        all-reduce: every position sends S and gets S: a + S b (a ring: 2 (n-1) m b);
 *               reduce-scatter: sends S, gets its m; all-gather: sends its m, gets n m
 *   nvls-tree   all-reduce on domains of G: the switches of the domain reduce-scatter; two binary
 *               trees over the N positions of each rail (binary_trees.h) all-reduce S/(2G) each in
 *               c chunks; the switches all-gather:
 *               2 a + 2 S b + (2 ceil(log2 N) + c - 1)(a + S/(2 G c) b)
 *   sharp       all-reduce: without domains every position gives all its data to the switches:
 *               a + S b. With domains of G: a direct reduce-scatter in the domain, the part of
 *               S/G through the switches of its rail, a direct all-gather: 3 (a + S/G b) with a
 *               link to each peer of the domain
 * Sources: Graham et al. 2016 (SHARP); NVIDIA NVLink SHARP, NCCL 2.17 (NVLS, NVLSTree, CollNet
 * direct). `a` is one message up and down the switches.
 */
#ifndef ORRERY_NET_COLLECTIVE_IN_NETWORK_H
#define ORRERY_NET_COLLECTIVE_IN_NETWORK_H

#include "model/collective.h"

extern const struct collective_ops collective_nvls;
extern const struct collective_ops collective_nvls_tree;
extern const struct collective_ops collective_sharp;

#endif
