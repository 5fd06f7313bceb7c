/*
 * message_pattern - what the collectives of a group send, sorted into steps and parts: the half of
 * message_types.h that looks at plans. Only message_types and what it serves include it.
 *
 * A step has one message from each position; where an algorithm gives each position its own part,
 * a part lists the peers of each.
 */
#ifndef ORRERY_RUN_MESSAGE_PATTERN_H
#define ORRERY_RUN_MESSAGE_PATTERN_H

#include "base/table.h"
#include "sched/plan.h"

struct message_types;

/* Messages of a collective from position p of its group. */
struct message_step {
    const struct phase *phase; /* geometry: positions n along `stride`, shape of the request */
    uint32_t peer;             /* phase position that position 0 sends to */
    bool is_xor;
    uint64_t label; /* tells steps apart; equal ones of all groups have one */
};

/* A phase that gives each position its own part. */
struct message_part {
    const struct phase *phase;
    uint32_t *begin,
        *peer; /* position p sends to peer[begin[p]] .. peer[begin[p + 1] - 1], each once */
    uint64_t hash;
};

/* What a group's collectives send, for all groups of one size and sequence of phases. */
struct message_pattern {
    struct message_step *step;
    uint32_t count, room;
    struct message_part *part;
    uint32_t part_count;
    uint64_t hash; /* tells patterns apart */
};

/* A pattern while it is collected. */
struct message_collecting {
    struct message_types *types;
    struct message_pattern pattern;
    struct table seen; /* labels of the pattern's steps; plans that are in it */
    uint32_t most;     /* messages of a position */
    const char **why;
};

/* Adds the messages of a plan that prepare() has made. False, with *why, if they cannot be told
 * apart by what message_types.h says, or are too many. */
bool message_pattern_add(struct message_collecting *at, const struct plan_key *key);

void message_pattern_release(struct message_pattern *pattern);

/* An exchange of 2^k positions that sends everything at once: its messages may be sorted in any
 * way. */
bool message_pattern_is_free(const struct phase *phase);

/* Where the message of `step` from position p of a group goes. */
uint32_t message_step_target(const struct message_step *step, uint32_t p);

#endif
