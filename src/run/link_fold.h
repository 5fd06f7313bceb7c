/*
 * link_fold - the proof that a fabric carries a job alike for all ranks of a class.
 *
 * Claim. Let ranks and links be divided into classes such that
 *  (1) all links of a class have the same bandwidth and latency;
 *  (2) for each message type t (message_types.h), ranks of one class send t over the same classes
 *      of links in the same order, with the same shares and latency, to ranks of one class;
 *      (and ranks of a class run traces of one shape, with groups of one class in each slot);
 *  (3) for each type, class of senders and place on the route, every link of a class carries the
 *      same number of messages;
 *  (4) if the model is `ideal`: ranks of a class have equal ports (ideal.h).
 * Then ranks of a class that are in equal states stay so, and the network may be simulated with one
 * rank per class and one constraint per class of links, on which a message of class C weighs
 * |C| / |class of links|: the max-min problem of the whole has the same equations for all links of
 * a class (an equitable partition), and its solution is unique. With queues (link fidelity) it is
 * asked besides that a class of links has as many members as the class of ranks that sends over it,
 * so that each queue sees the same arrivals at the same times; ties between messages, whose order
 * could differ between links, give the fold up during the run.
 *
 * The classes are the coarsest that hold, found by refinement (partition.h) from the routes of
 * every message: nothing is taken from what the topology is called. A slow link or rank, a tapered
 * tree or hashed routes need no special case: they split the classes that they touch.
 *
 * At flow fidelity the claim holds to the last bit. A rate depends on the set of flows, not on the
 * order of its sums (maxmin.h, rule 3), bytes are counted exactly (drain.h, rule 5), and the
 * weights of a class are the sums of its members'. It has to: chains of messages that wait for each
 * other under changing rates amplify any difference. With rates as doubles a torus-bucket-multiport
 * all-reduce of 4,096 ranks took 57.9 ms folded and 40.8 ms not; a picosecond at 17 ms had grown to
 * that. Such a job is as sensitive to a bandwidth's tenth digit.
 *
 * An unwindowed direct exchange sends everything at once, so that its messages may be sorted into
 * types in any way: by distance, or by p xor m, whichever gives fewer classes.
 */
#ifndef ORRERY_RUN_LINK_FOLD_H
#define ORRERY_RUN_LINK_FOLD_H

#include "model/network.h"
#include "run/fold_groups.h"
#include "run/partition.h"
#include "run/prepare.h"

struct link_proof {
    struct partition partition;
    struct fold_groups groups;
    uint32_t *class_of_link; /* [links or bundles]: lowest of the class, for link_fold */
    uint32_t *class_size;
    bool is_tied;
    struct fold_act act;   /* written by the scheduler, read by the network model */
    struct link_fold fold; /* what the network model is told */
};

/*
 * Tries to prove it for all messages of the job with at most half as many classes as ranks. False,
 * with *why (constant text), if that cannot be or would take too long. Release after the run, in
 * every case.
 */
bool link_proof_init(struct link_proof *proof, const struct config *config,
                     const struct workload *workload, struct prepared *prepared, const char **why);
void link_proof_release(struct link_proof *proof);

/* Gives every link the figures of the one that leads its class. */
void link_proof_spread(const struct link_proof *proof, struct link_figures *rows);

#endif
