/*
 * lab_bound - the least time that a collective needs on a network, whatever the algorithm.
 *
 * A part of laboratory.c. What a rank must send, or receive, goes through its links, and what all
 * must through all links, after the latency of one; reduction and multicast in the network may beat
 * it. 1 MB gathered by 8 ranks of 50 GB/s: 7/8 MB into the root, 17.5 us; rank 5 at 5 GB/s sends
 * its 125 kB in 25 us.
 */
#ifndef ORRERY_RUN_LAB_BOUND_H
#define ORRERY_RUN_LAB_BOUND_H

#include "run/laboratory.h"

/* Sets lab->injection_Bps, bound_ps and bus_bytes; lab->ranks is set. Fails if uneven sizes cannot
 * be read. */
enum status lab_bound(struct lab *lab, const struct config *config, struct diag *diag);

#endif
