/*
 * lab_bound - the least time that a collective needs on a network, whatever the algorithm.
 *
 * A part of laboratory.c. What a rank must send, or receive, goes through its links, after the
 * latency of one; reduction in the network may beat it.
 */
#ifndef ORRERY_RUN_LAB_BOUND_H
#define ORRERY_RUN_LAB_BOUND_H

#include "run/laboratory.h"

/* Sets lab->injection_Bps and bound_ps; lab->ranks is set. Fails if uneven sizes cannot be read. */
enum status lab_bound(struct lab *lab, const struct config *config, struct diag *diag);

#endif
