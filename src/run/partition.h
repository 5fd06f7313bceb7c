/*
 * partition - the coarsest classes of ranks and links under which a job's messages look alike.
 *
 * Refinement of colours (as for graphs: Godsil & Royle, Algebraic Graph Theory, 9.3; Berkholz,
 * Bonsma, Grohe, "Tight lower and upper bounds for the complexity of canonical colour refinement",
 * 2017). Links begin with the colour of their bandwidth and latency, ranks with one colour or those given
 * (rank_colour). In each round a rank's colour is refined by, for each message type, the colours of the links of its
 * route in order (with shares), its latency, the colour of the receiver, and the colour of who
 * sends to it; a link's by the types, senders' colours and places on the route of all messages over
 * it. When no colour splits any more, the partition is equitable: ranks of one colour send each type
 * over the same colours to the same colour, and links of one colour carry the same messages.
 *
 * Colours are compared by 64-bit hashes of their refinement. O(rounds x types x ranks x hops);
 * there are at most as many rounds as classes.
 */
#ifndef ORRERY_RUN_PARTITION_H
#define ORRERY_RUN_PARTITION_H

#include "net/topology/fabric.h"
#include "net/topology/routing.h"
#include "run/message_types.h"

/* Classes of some things, numbered in order of their first member. */
struct classes {
    uint32_t things, count;
    uint32_t *of;    /* [things] class */
    uint32_t *first; /* [count] lowest member */
    uint32_t *size;  /* [count] */
};

struct partition {
    const struct fabric *fabric;
    struct routing *routing;
    bool by_bundle; /* "links" are bundles of routing.h */
    const uint32_t *bundle_of_link;
    struct classes ranks, links;
    uint64_t *rank_colour; /* [ranks] hashes of what the model sees of a rank besides routes; owned;
                              NULL: nothing */
};

/* Routes as the network models do. False if the network cannot be routed. */
bool partition_init(struct partition *partition, const struct network_config *network);
void partition_release(struct partition *partition);

/*
 * Refines until stable. False, with *why, if more than `most` classes of ranks come out, or more than
 * `most_routes` would have to be looked at over all rounds.
 */
bool partition_refine(struct partition *partition, const struct message_types *types, uint32_t most,
                      uint64_t most_routes, const char **why);

void partition_route(struct partition *partition, uint32_t src, uint32_t dst, struct route *route);

#endif
