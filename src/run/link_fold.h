/*
 * link_fold - the proof that a fabric carries a job alike for all ranks of a class.
 *
 * Claim. Let ranks and links be divided into classes such that
 *  (1) all links of a class have the same bandwidth and latency;
 *  (2) for each message type t (message_types.h), ranks of one class send t over the same classes
 *      of links in the same order, with the same shares and latency, to ranks of one class;
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
 * The classes are the coarsest that hold, found by refinement (partition.h) from the routes of every
 * message: nothing is taken from what the topology is called. A slow link or rank, a tapered tree
 * or hashed routes need no special case: they split the classes that they touch.
 *
 * At flow fidelity the claim holds in exact arithmetic. A rate is a double, whose last bits depend on
 * the order of its sum, in the whole as in the fold, so that a time may differ by a picosecond. With
 * one class of ranks more has not been seen. With several, chains of messages that wait for each
 * other under changing rates can amplify it: of 22,000 random collectives three, ring all-to-alls of
 * a thousand steps on sprayed tori, ended up to 7 % apart; of 2,430 random jobs eight did, most of
 * them by 1e-5 and less. Such a job is as sensitive to any bandwidth's tenth digit, folded or not
 * (rates cut to 2^-30 move two of SimGrid's rows by 0.1 to 0.9 %). The report of such a run says so.
 *
 * An unwindowed direct exchange sends everything at once, so that its messages may be sorted into
 * types in any way: by distance, or by p xor m, whichever gives fewer classes.
 */
#ifndef ORRERY_RUN_LINK_FOLD_H
#define ORRERY_RUN_LINK_FOLD_H

#include "model/network.h"
#include "run/partition.h"

struct link_proof {
    struct partition partition;
    uint32_t *class_of_link; /* [links or bundles]: lowest of the class, for link_fold */
    uint32_t *class_size;
    bool is_tied;
    struct fold_act act;   /* written by the scheduler, read by the network model */
    struct link_fold fold; /* what the network model is told */
};

/*
 * Tries to prove it for all plans of `book` with at most half as many classes as ranks. False, with
 * *why (constant text), if that cannot be or would take too long. Release after the run, in every
 * case.
 */
bool link_proof_init(struct link_proof *proof, const struct config *config, struct plan_book *book,
                     const char **why);
void link_proof_release(struct link_proof *proof);

/* Gives every link the figures of the one that leads its class. */
void link_proof_spread(const struct link_proof *proof, struct link_figures *rows);

#endif
