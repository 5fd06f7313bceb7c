/*
 * follow - what the files of this room do for who asks more of a run: tell a follower what each
 * node waited for (model/observer.h), and leave out the time of what is free (struct sched_free).
 *
 * Nobody asks in an ordinary run: each of these is one comparison then.
 */
#ifndef ORRERY_SCHED_FOLLOW_H
#define ORRERY_SCHED_FOLLOW_H

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sched/stream_parts.h"

/* rank->last_parent for `count` nodes; the rank's to free. NULL: there is no follower. */
static inline uint32_t *follow_parents(const struct sched *sched, uint32_t count)
{
    if (!sched->part.follower.ops)
        return NULL;
    uint32_t *parents = malloc((count + 1) * sizeof *parents);
    need_memory(parents != NULL);
    memset(parents, 0xff, count * sizeof *parents); /* FOLLOW_NONE */
    return parents;
}

static inline uint32_t follow_lane(const struct rank *rank, uint32_t node)
{
    return lane_of(rank->map, rank->graph->trace, node);
}

static inline void follow_issue(const struct sched *sched, uint32_t seat, uint32_t node)
{
    const struct follower *follower = &sched->part.follower;
    const struct rank *rank = &sched->rank[seat];
    if (follower->ops)
        follower->ops->issued(follower->self, seat, node, follow_lane(rank, node),
                              rank->last_parent[node], now_of(sched));
}

static inline void follow_begin(const struct sched *sched, uint32_t seat, uint32_t node,
                                bool by_host)
{
    const struct follower *follower = &sched->part.follower;
    if (follower->ops)
        follower->ops->began(follower->self, seat, node, by_host, now_of(sched));
}

static inline void follow_end(const struct sched *sched, uint32_t seat, uint32_t node,
                              uint32_t peer_seat, uint32_t peer_node)
{
    const struct follower *follower = &sched->part.follower;
    if (follower->ops)
        follower->ops->ended(follower->self, seat, node, follow_lane(&sched->rank[seat], node),
                             peer_seat, peer_node, now_of(sched));
}

/* Member `m` of a collective has come. */
static inline void follow_join(const struct sched *sched, const struct coll_op *op, uint32_t m,
                               const struct flight *flight)
{
    const struct follower *follower = &sched->part.follower;
    if (!follower->ops)
        return;
    op->came[m] = (struct member_came){flight->rank, flight->node};
    follower->ops->joined(follower->self, flight->rank, flight->node, op->number);
}

/* A message of the stream goes back to what the stream itself goes back to. */
static inline void follow_send(const struct sched *sched, const struct instance *instance,
                               const struct stream *stream, uint64_t ticket)
{
    const struct stream *receiver = stream_at(sched, ticket_stream(ticket));
    struct origins *origins = &instance->origins[slot_index(
        sched, instance, receiver, ticket_phase(ticket), ticket_slot(ticket))];
    origins->member[origins->sent++ % ORIGINS] = stream->origin;
}

/* It has arrived; if it was waited for, what the stream does next goes back to its origin. */
static inline void follow_arrival(struct origins *origins, struct stream *stream, bool is_awaited)
{
    uint32_t member = origins->member[origins->arrived++ % ORIGINS];
    if (is_awaited)
        stream->origin = member;
}

/* A stream waited in a queue until `leaving` left it: if that is of the same collective, it goes
 * back to what that one goes back to. */
static inline void follow_room(const struct sched *sched, const struct stream *leaving,
                               struct stream *stream)
{
    if (leaving && sched->part.follower.ops && leaving != stream &&
        instance_at(sched, leaving->instance)->op == instance_at(sched, stream->instance)->op)
        stream->origin = leaving->origin;
}

/* A message has come before its receive, which takes it later. */
static inline void follow_early(struct sched *sched, struct channel *channel,
                                struct member_came sent)
{
    if (!sched->part.follower.ops)
        return;
    struct early_message *early = arena_take(&sched->arena, sizeof *early);
    early->sent = sent;
    *(channel->early ? &channel->early_last->next : &channel->early) = early;
    channel->early_last = early;
}

static inline void follow_late_receive(const struct sched *sched, struct channel *channel,
                                       uint32_t flight)
{
    struct early_message *early = channel->early;
    if (!early)
        return;
    channel->early = early->next;
    flight_at(sched, flight)->peer_seat = early->sent.seat;
    flight_at(sched, flight)->peer_node = early->sent.node;
}

/* The flight's collective ends on its rank, and goes back to the coming of that member. */
static inline void follow_member(const struct sched *sched, const struct coll_op *op,
                                 uint32_t flight, uint32_t member)
{
    if (!op->came)
        return;
    flight_at(sched, flight)->peer_seat = op->came[member].seat;
    flight_at(sched, flight)->peer_node = op->came[member].node;
}

static inline bool is_free_node(const struct rank *rank, const struct trace_node *node)
{
    return rank->free_node && rank->free_node[node - rank->graph->trace->node];
}

#endif
