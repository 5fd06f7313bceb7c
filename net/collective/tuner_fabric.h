/*
 * tuner_fabric - the system that the tuner sees in a fabric: rates and domains are the fabric's,
 * the library, its latencies and planning habits those of a preset.
 *
 * Rules:
 *  1. Two dimensions and more: dimension 0 is the scale-up domain, what an NPU has in the others is
 *     its network. One dimension: a switch, a mesh, a ring or a line is one domain; a tree or a
 *     graph is a network of single NPUs.
 *  2. A product of rings and lines only is a torus: one ring, both ways, of dimension 0's links.
 *  3. The library plans the same share of the fabric's scale-up rate as it does of the preset's
 *     (H100: 360 of 450 GB/s), and its nic-share of network rates.
 *  4. Reduction in the switch is planned if the preset has it and dimension 0 is a switch.
 */
#ifndef ORRERY_NET_COLLECTIVE_TUNER_FABRIC_H
#define ORRERY_NET_COLLECTIVE_TUNER_FABRIC_H

#include "net/collective/tuner.h"
#include "net/topology/fabric.h"

/*
 * Makes the system of `fabric` with the preset called `like` ("h100-dgx"; unknown: an error). It
 * lives as long as the tuner. For a group of ranks, tuner_request.nodes is the number of groups of
 * dimension 0 that it touches.
 */
enum status tuner_system_of_fabric(struct tuner *tuner, const struct fabric *fabric,
                                   const char *like, const struct tuner_system **system,
                                   struct diag *diag);

/* Scale-up domains of a fabric, by rule 1. */
uint32_t tuner_domains(const struct fabric *fabric);

/*
 * The schedule of net/collective that does what `choice` is, for `domains` groups of `per_domain`
 * ranks; false for kinds that have one way only here (barrier, send and receive, dispatch).
 *   ring            ring over all ranks; over domains multi-ring, a channel through each NPU of a
 *                   domain, as NCCL's rings go; broadcast and reduce: chain
 *   tree            double-binary-tree       nvls, nvls-tree   the same
 *   point to point  direct; gather and scatter: linear
 */
bool tuner_schedule(const struct tuner_choice *choice, int kind, uint32_t domains,
                    uint32_t per_domain, struct algorithm_choice *schedule);

#endif
