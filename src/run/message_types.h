/*
 * message_types - the messages of all collectives of a job, sorted into types.
 *
 * A type has one message from each rank p to t(p), and t is one to one. A step of a schedule is a
 * type: peers at a distance (the same step of every coordinate, or round the row of positions) or
 * across a flip (p xor m).
 * Equal types of different phases are one.
 */
#ifndef ORRERY_RUN_MESSAGE_TYPES_H
#define ORRERY_RUN_MESSAGE_TYPES_H

#include "base/table.h"
#include "sched/plan.h"

struct message_type {
    const struct phase *phase; /* geometry: positions n along `stride`, shape of the request */
    uint32_t peer;             /* phase position that position 0 sends to */
    bool is_xor;
};

struct message_types {
    struct message_type *type;
    uint32_t count, room, most;
    const struct phase **shape; /* one phase of each shape */
    uint32_t shape_count;
    struct table index; /* shape, peer and flip -> number of the type */
};

/*
 * Collects the types of all plans. Fails, with the reason (constant text) in *why, if a schedule
 * gives positions different parts, switches take part, or there are more than `most` types. O(types x
 * shapes). `prefer_xor`: an exchange that sends
 * everything at once, whose messages may be sorted in any way, is sorted by flips.
 */
bool message_types_collect(struct message_types *types, struct plan_book *book, bool prefer_xor,
                           uint32_t most, const char **why);
void message_types_release(struct message_types *types);

/* t(rank). */
uint32_t message_type_target(const struct message_type *type, uint32_t rank);

#endif
