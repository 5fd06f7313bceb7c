/*
 * goal - programs in GOAL text (LogGOPSim's input), run on a network model.
 *
 * An op starts when all that it requires are done. A send is given to the network and is done (the
 * network's ports keep the pace); a receive is done when its message has arrived; a calc takes its
 * time. Sends and receives are paired by source, destination and tag, in order.
 */
#ifndef ORRERY_TESTS_AGREE_GOAL_H
#define ORRERY_TESTS_AGREE_GOAL_H

#include "base/arena.h"
#include "config/config.h"

enum goal_kind { GOAL_SEND, GOAL_RECV, GOAL_CALC };

struct goal_op {
    enum goal_kind kind;
    uint32_t rank, peer, tag;
    uint64_t amount;        /* bytes, or ns */
    uint32_t label;         /* within the rank */
    uint32_t required;      /* ops to wait for */
    uint32_t partner;       /* send: its receive */
    uint32_t first_edge;    /* of edges out of it, UINT32_MAX: none */
    bool is_ready, arrived; /* receive */
};

struct goal_edge {
    uint32_t to, next;
};

struct goal {
    struct arena arena;
    uint32_t ranks;
    struct goal_op *op;
    uint32_t op_count;
    struct goal_edge *edge;
    uint32_t edge_count;
};

/* False if the text is not understood. `goal` is released in every case. */
bool goal_parse(struct goal *goal, const char *text);
void goal_release(struct goal *goal);

/* Runs it; end_ps[rank] is when its last receive or calc was done, TIME_NEVER if it has none. */
enum status goal_run(struct goal *goal, const struct network_config *config, time_ps *end_ps,
                     struct diag *diag);

#endif
