/*
 * node_start - what a trace node does once it has its slot and is launched.
 */
#include "sched/follow.h"
#include "sched/overlap.h"

/* -- what a node is ------------------------------------------------------------------------- */

static enum activity activity_of(const struct trace_node *node)
{
    if (trace_is_communication(node))
        return ACTIVITY_COMM;
    if (node->type == OP_MEM_LOAD || node->type == OP_MEM_STORE)
        return ACTIVITY_MEMORY;
    return slot_class_of(node) == CLASS_COMPUTE ? ACTIVITY_COMPUTE : ACTIVITY_HOST;
}

/* As src/stats counts kinds: collectives, send, receive, collective of no known kind. */
static int comm_kind_of(const struct trace_node *node)
{
    if (node->type == OP_SEND)
        return COLL_KIND_COUNT;
    if (node->type == OP_RECV)
        return COLL_KIND_COUNT + 1;
    return node->flags & NODE_HAS_KIND ? node->collective : COLL_KIND_COUNT + 2;
}

/* Takes no time and needs nothing: invalid and metadata nodes, and free compute. */
static bool needs_nothing(const struct sched *sched, const struct rank *rank,
                          const struct trace_node *node, time_ps *duration)
{
    *duration = 0;
    if (node->shape != TRACE_NONE && rank->shape_ps) {
        *duration = rank->shape_ps[node->shape];
        return false;
    }
    if (sched->system->replay_only) {
        bool free;
        *duration = compute_model_for(sched->system, node)->duration(sched->system, node, &free);
        return false;
    }
    switch (trace_run_as(node)) {
    case OP_INVALID:
    case OP_METADATA:
        return true;
    case OP_COMPUTE:
    case OP_HOST_WORK: {
        bool free;
        *duration = compute_model_for(sched->system, node)->duration(sched->system, node, &free);
        return free;
    }
    default:
        return false;
    }
}

bool node_takes_nothing(const struct sched *sched, const struct rank *rank,
                        const struct trace_node *node, time_ps *duration)
{
    bool is_nothing = needs_nothing(sched, rank, node, duration);
    if (rank->compute_factor != 1 && slot_class_of(node) == CLASS_COMPUTE)
        *duration = (time_ps)((double)*duration * rank->compute_factor + 0.5);
    if (rank->is_free || is_free_node(rank, node))
        *duration = 0;
    return is_nothing;
}

/* -- by type ---------------------------------------------------------------------------------- */

void node_begin(struct sched *sched, uint32_t index, const struct trace_node *node,
                const time_ps *peers_ps)
{
    struct flight *flight = flight_at(sched, index);
    const struct observer *observer = &sched->part.observer;
    flight->handle = observer->ops->op_begin(observer->self, flight->rank, activity_of(node),
                                             comm_kind_of(node), peers_ps, now_of(sched));
}

static void start_timed(struct sched *sched, uint32_t flight, const struct trace_node *node,
                        time_ps duration)
{
    uint32_t rank = flight_at(sched, flight)->rank;
    node_begin(sched, flight, node, &sched->always);
    agenda_add(&sched->agenda, rank, time_after(now_of(sched), duration),
               item_payload(ITEM_NODE, 0, flight));
}

/* Compute of a rank that is slow for a time: its end. */
static time_ps paced(const struct sched *sched, uint32_t rank, time_ps duration)
{
    const struct pace *pace = rank_speed_pace(sched->speed, rank_at(sched, rank));
    return pace ? time_rounded(pace_duration(pace, now_of(sched), (double)duration) / 1000,
                               sched->system->whole_ns)
                : duration;
}

/* Compute, host work, or anything that is replayed. */
static void start_work(struct sched *sched, uint32_t flight, const struct trace_node *node,
                       time_ps duration)
{
    uint32_t rank_index = flight_at(sched, flight)->rank;
    struct rank *rank = &sched->rank[rank_index];
    enum slot_class class = slot_class_of(node);
    bool varies = sched->speed && class == CLASS_COMPUTE;
    if (varies)
        duration = rank_speed_work(sched->speed, rank_at(sched, rank_index),
                                   flight_at(sched, flight)->node, duration);
    if (class != CLASS_HOST)
        rank->compute_sum_ps = time_after(rank->compute_sum_ps, duration);
    if (class != CLASS_COMPUTE || sched->system->overlap_slowdown <= 0) {
        start_timed(sched, flight, node, varies ? paced(sched, rank_index, duration) : duration);
        return;
    }
    node_begin(sched, flight, node, &sched->always);
    overlap_compute_begin(sched, flight, duration);
}

static void start_memory(struct sched *sched, uint32_t flight, const struct trace_node *node)
{
    uint32_t rank = flight_at(sched, flight)->rank;
    const struct memory_access access = {rank, flight, node->size_bytes};
    uint64_t duration_ns;
    node_begin(sched, flight, node, &sched->always);
    if (!remote_memory_start(&sched->memory, &access, &duration_ns))
        return;
    time_ps end = time_after(now_of(sched), time_of_whole_ns(duration_ns));
    agenda_add(&sched->agenda, rank, end, item_payload(ITEM_NODE, 0, flight));
    if (remote_memory_is_shared(&sched->memory))
        agenda_add(&sched->agenda, rank, end, item_payload(ITEM_MEMORY_NEXT, 0, 0));
}

void node_memory_next(struct sched *sched, uint32_t rank)
{
    struct memory_access next;
    uint64_t duration_ns;
    if (!remote_memory_end(&sched->memory, rank, &next, &duration_ns))
        return;
    time_ps end = time_after(now_of(sched), time_of_whole_ns(duration_ns));
    agenda_add(&sched->agenda, next.rank, end, item_payload(ITEM_NODE, 0, next.token));
    agenda_add(&sched->agenda, next.rank, end, item_payload(ITEM_MEMORY_NEXT, 0, 0));
}

void node_start(struct sched *sched, uint32_t flight, const struct trace_node *node,
                time_ps duration)
{
    enum op_type type = trace_run_as(node);
    bool is_timed = sched->system->replay_only || type == OP_COMPUTE || type == OP_HOST_WORK;
    bool is_memory = type == OP_MEM_LOAD || type == OP_MEM_STORE;
    const struct rank *rank = &sched->rank[flight_at(sched, flight)->rank];
    bool is_free = rank->is_free || is_free_node(rank, node);
    if (is_timed || (is_memory && is_free)) {
        start_work(sched, flight, node, duration);
        return;
    }
    switch (type) {
    case OP_MEM_LOAD:
    case OP_MEM_STORE:
        start_memory(sched, flight, node);
        return;
    case OP_SEND:
        node_begin(sched, flight, node, &sched->always);
        p2p_send(sched, flight, node);
        return;
    case OP_RECV:
        node_begin(sched, flight, node, &flight_at(sched, flight)->peer_ps);
        p2p_recv(sched, flight, node);
        return;
    default:
        break;
    }
    if (node->collective == COLL_BROADCAST && sched->system->broadcast_replayed &&
        !is_free_node(rank, node)) {
        start_timed(sched, flight, node,
                    time_of_whole_ns(node->duration_ns ? node->duration_ns
                                                       : sched->system->least_duration_ns));
        return;
    }
    overlap_comm_begin(sched, flight_at(sched, flight)->rank);
    collective_join(sched, flight, node);
}
