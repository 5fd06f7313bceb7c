/*
 * partition - the coarsest classes of ranks, links and groups under which a job's messages look
 * alike.
 *
 * Refinement of colours (as for graphs: Godsil & Royle, Algebraic Graph Theory, 9.3; Berkholz,
 * Bonsma, Grohe, "Tight lower and upper bounds for the complexity of canonical colour refinement",
 * 2017). Links begin with the colour of their bandwidth and latency, ranks with that of what they
 * are (rank_hash) and what the model sees of them (rank_colour), groups with their size. A colour
 * is refined
 *  - of a rank: by what it sends (type of each message, colours of the links of its route in order,
 *    with shares, its latency, the colour of the receiver), by what it is sent (type, colour of the
 *    sender), and by the colour of its group in each slot;
 *  - of a link: by the types, senders' colours, places on the route and shares of all messages over
 *    it;
 *  - of a group: by the colours of its members and the slots that they have it in.
 * When no colour splits any more, the partition is equitable: ranks of one colour send each type
 * over the same colours to the same colour, links of one colour carry the same messages, and groups
 * of one colour have as many members of each colour.
 *
 * Colours are compared by 64-bit hashes of their refinement, sums of which stand for sets. Two ways
 * lead to the same classes: partition_worklist() keeps all messages with their links and looks
 * again at what a change of colour touches only: O(links of routes x log classes) as a rule. For
 * more messages than memory should hold partition_rounds() looks at all of them in each round.
 */
#ifndef ORRERY_RUN_PARTITION_H
#define ORRERY_RUN_PARTITION_H

#include "net/topology/fabric.h"
#include "net/topology/routing.h"

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
    struct classes ranks, links, groups;
    uint64_t *rank_colour; /* [ranks] hashes of what the model sees of a rank besides routes; owned;
                              NULL: nothing */
    uint64_t *link_colour; /* [links of the fabric] the same of links (slow_colours.h) */
};

/* The job: who sends what, and who is in which group. Functions of the rank alone. */
struct partition_job {
    const void *self;
    /* Calls `call` for each message of `rank`; messages of one label are of one type. */
    void (*visit)(const void *self, uint32_t rank,
                  void (*call)(void *context, uint64_t label, uint32_t to), void *context);
    uint64_t (*rank_hash)(const void *self, uint32_t rank);
    uint32_t (*slot_count)(const void *self, uint32_t rank);
    uint32_t (*group)(const void *self, uint32_t rank, uint32_t slot);
    uint32_t group_count;
};

/* Routes as the network models do. False if the network cannot be routed. */
bool partition_init(struct partition *partition, const struct network_config *network,
                    uint32_t group_count);
void partition_release(struct partition *partition);

/* Why a refinement fails; the first is also said where messages are too many to be listed. */
extern const char partition_too_many_routes[], partition_too_many_classes[];

/*
 * Refines until stable. False, with *why, if more than `most` classes of ranks come out, or more
 * than `most_routes` would have to be looked at.
 */
bool partition_refine(struct partition *partition, const struct partition_job *job, uint32_t most,
                      uint64_t most_routes, const char **why);

void partition_route(struct partition *partition, uint32_t src, uint32_t dst, struct route *route);

#endif
