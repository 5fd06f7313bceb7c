/*
 * plan_auto - the algorithm `auto`: what a library of NCCL's kind would take on this fabric.
 *
 * The choice is net/collective/tuner.h's, for the whole collective (all its chunks), with the
 * library and latencies of the preset that system.library names ("h100-dgx") and the fabric's own
 * rates.
 *
 * A group smaller than the system is given rings or point-to-point only (NCCL_ALGO=Ring); its ring
 * goes through each member of a domain (multi-ring) if its members, in order, fill domains one
 * after the other with equal shares.
 *
 * With library-costs all-reduces of 2^k ranks over several domains, groups too, may be given trees.
 * The library's go through every NIC of a domain at once, which no schedule here does: exchanges
 * with partners at distances 1, 2, 4, .. stand for them, that pass as many bytes through a NIC in
 * as many steps (halvingDoubling; up to 64 KiB recursive-doubling). 4 B on 2,048 ranks: 11 steps,
 * where a ring has 4,094.
 *
 * Where dimension 0 is a full mesh, a library's rings share out all its links: members of one
 * domain send to each other directly, and multi-ring goes a different way through the domain for
 * each of its rings (bucket.h).
 *
 * With system.library-costs a phase takes what the library's kernels cost beside the wire:
 * hand-overs of alpha each, base once, and link rates times rate_share (tuner.h, rule 3).
 */
#ifndef ORRERY_SCHED_PLAN_AUTO_H
#define ORRERY_SCHED_PLAN_AUTO_H

#include "net/collective/tuner.h"
#include "sched/plan.h"

struct plan_auto; /* opaque; owned by the book */

struct plan_auto_request {
    enum collective_kind kind;
    uint64_t bytes;          /* trace.h rule 5 */
    uint32_t ranks, domains; /* of a group; 0: all ranks */
};

/*
 * Fills *choice with the schedule for a collective.
 * `tuned` (may be NULL) is what the library itself would do, and how long that takes.
 */
enum status plan_auto_choose(struct plan_auto **self, const struct config *config,
                             const struct plan_auto_request *request,
                             struct algorithm_choice *choice, struct tuner_choice *tuned,
                             struct diag *diag);

/* Domains that a group's members are in: 1, as many as members, or what divides them evenly and in
 * order; as many as members also where they are spread unevenly. */
uint32_t plan_auto_domains(const struct network_config *network, const struct comm_group *group);
void plan_auto_destroy(struct plan_auto *self);

#endif
