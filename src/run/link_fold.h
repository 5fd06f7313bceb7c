/*
 * link_fold - the proof that a fabric carries a job alike for every rank.
 *
 * Claim. Let every phase of every collective be a set of message types: type t has one message from
 * each rank p to t(p). Let the links be divided into classes such that
 *  (1) all links of a class have the same bandwidth and latency;
 *  (2) for each type, the routes of all its messages pass the same classes in the same order, with
 *      the same shares and the same latency;
 *  (3) for each type, every link of a class carries the same number of its messages.
 * Then ranks that are in equal states stay so, and a network with one constraint per class, loaded
 * by rank 0's messages times (number of ranks / size of the class), has the same rates: the max-min
 * problem of the whole has the same equations for all links of a class (an equitable partition, as
 * for graphs: Godsil & Royle, Algebraic Graph Theory, 9.3), and its solution is unique. With queues
 * (link fidelity) it is asked besides that a link carries at most one message of a type, so that
 * each queue sees the same arrivals at the same times; ties between messages, whose order could
 * differ between links, give the fold up during the run.
 *
 * The classes are found by following the routes of every message of every type (a link of rank p's
 * route goes to the class of the same link of rank 0's), and the three conditions are then checked
 * link by link: nothing is taken from what the topology is called. A slow link or another routing
 * needs no special case, it fails a condition. O(types x ranks x hops).
 *
 * An unwindowed direct exchange sends everything at once, so its messages may be sorted into types
 * in any way: by distance, or by p xor m, whichever fits.
 */
#ifndef ORRERY_RUN_LINK_FOLD_H
#define ORRERY_RUN_LINK_FOLD_H

#include "model/network.h"
#include "sched/plan.h"

struct link_proof; /* opaque */

/*
 * Tries to prove it for all plans of `book`. Returns NULL and sets *why (constant text) if it does
 * not hold or would take too long. The caller destroys the proof after the run.
 */
struct link_proof *link_proof_create(const struct config *config, const struct plan_book *book,
                                     const char **why);
void link_proof_destroy(struct link_proof *proof);

/* What the network model is told; valid as long as the proof. */
const struct link_fold *link_proof_fold(struct link_proof *proof);

/* True if the model met a tie: the run must be done again unfolded. */
bool link_proof_is_tied(const struct link_proof *proof);

/* Gives every link the figures of the link (or of its bundle, of that bundle) that leads its class.
 */
void link_proof_spread(const struct link_proof *proof, struct link_figures *rows);

#endif
