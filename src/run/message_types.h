/*
 * message_types - the messages of a job, sorted into types.
 *
 * A type has at most one message from each rank. A step of a collective is a type: peers at a
 * distance in the sender's group (the same step of every coordinate, or round the row of positions)
 * or across a flip (p xor m), so that each member of a group sends one and hears one. Equal types
 * of different collectives in one slot of a trace (job_shape.h) are one. Where an algorithm gives
 * each position its own part, each pair of positions is a type. Sends to one peer of a trace are a
 * type.
 */
#ifndef ORRERY_RUN_MESSAGE_TYPES_H
#define ORRERY_RUN_MESSAGE_TYPES_H

#include "base/table.h"
#include "run/job_shape.h"
#include "run/message_pattern.h"

struct message_types {
    const struct config *config;
    const struct workload *workload;
    const struct groups *groups;
    const struct job_shape *job;
    struct plan_book *book;
    struct message_pattern *pattern;
    uint32_t pattern_count;
    struct table pattern_of;    /* trace, slot, kind of group -> pattern */
    uint64_t *group_kind;       /* [groups] what of a group decides its plans */
    const struct phase **shape; /* one phase of each shape */
    uint32_t shape_count;
    bool prefer_xor;
};

/*
 * Collects the types of all collectives. Fails, with the reason (constant text) in *why, if
 * switches take part, or a rank has more than `most` messages of collectives. `prefer_xor`: an
 * exchange that sends everything at once, whose messages may be sorted in any way, is sorted by
 * flips.
 */
bool message_types_collect(struct message_types *types, const struct config *config,
                           const struct workload *workload, struct prepared *prepared,
                           const struct job_shape *job, bool prefer_xor, uint32_t most,
                           const char **why);
void message_types_release(struct message_types *types);

/* Calls `visit` for each message of `rank`. Messages of one label are of one type. */
void message_types_visit(const struct message_types *types, uint32_t rank,
                         void (*visit)(void *context, uint64_t label, uint32_t to), void *context);

/* A hash of what a rank is before its messages are looked at: shape of its trace, and for each
 * group that it uses the pattern and, where positions have parts of their own, its position. */
uint64_t message_types_rank_hash(const struct message_types *types, uint32_t rank);

/* The group in a slot of the rank's trace. */
static inline uint32_t message_types_group(const struct message_types *types, uint32_t rank,
                                           uint32_t slot)
{
    uint32_t trace = types->workload->trace_of_rank[rank];
    return groups_of(types->groups, trace, types->job->of_trace[trace].group[slot], rank);
}

static inline uint32_t message_types_slots(const struct message_types *types, uint32_t rank)
{
    return types->job->of_trace[types->workload->trace_of_rank[rank]].group_count;
}

/* Slot in which `rank` has `group`, or UINT32_MAX. */
uint32_t message_types_slot_of(const struct message_types *types, uint32_t rank, uint32_t group);

/* The rank in a peer slot of a rank's trace. */
uint32_t message_types_peer(const struct message_types *types, uint32_t rank, uint32_t slot);

#endif
