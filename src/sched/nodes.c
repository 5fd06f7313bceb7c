/*
 * nodes - a rank's trace nodes: ready, issued to a slot, done.
 *
 * At each wake-up of a rank the nodes ready at that moment are issued in ascending id, each if its
 * slot is free. ASTRA-sim wakes a rank at the end of every op; in our own form it is woken once for
 * all that ends at one time, so that the order of ends does not decide who gets a slot. A receive
 * needs no slot.
 */
#include "sched/follow.h"
#include "sched/overlap.h"

#include <stdlib.h>

#include "base/memory.h"

/* -- what a node is ------------------------------------------------------------------------- */

static bool is_comm(const struct trace_node *node)
{
    enum op_type type = trace_run_as(node);
    return type == OP_COLLECTIVE || type == OP_SEND || type == OP_RECV;
}

static enum activity activity_of(const struct trace_node *node)
{
    if (is_comm(node))
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
static bool takes_nothing(const struct sched *sched, const struct rank *rank,
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

/* The same, and without the time of what is free in this run. */
static bool is_zero_cost(const struct sched *sched, const struct rank *rank,
                         const struct trace_node *node, time_ps *duration)
{
    bool is_nothing = takes_nothing(sched, rank, node, duration);
    if (rank->is_free)
        *duration = 0;
    return is_nothing;
}

/* -- flights -------------------------------------------------------------------------------- */

static uint32_t take_flight(struct sched *sched, uint32_t rank, uint32_t node)
{
    uint32_t index = sched->free_flight;
    if (index == NONE)
        index = (uint32_t)grow_push(&sched->flights, 1);
    else
        sched->free_flight = flight_at(sched, index)->next;
    uint32_t version = flight_at(sched, index)->version;
    *flight_at(sched, index) = (struct flight){.rank = rank,
                                               .node = node,
                                               .object = NONE,
                                               .start = now_of(sched),
                                               .next = NONE,
                                               .peer_ps = TIME_NEVER,
                                               .peer_seat = FOLLOW_NONE,
                                               .peer_node = FOLLOW_NONE,
                                               .version = version,
                                               .is_active = true};
    return index;
}

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

/* Compute, host work, or anything that is replayed. */
static void start_work(struct sched *sched, uint32_t flight, const struct trace_node *node,
                       time_ps duration)
{
    struct rank *rank = &sched->rank[flight_at(sched, flight)->rank];
    enum slot_class class = slot_class_of(node);
    if (class != CLASS_HOST)
        rank->compute_sum_ps = time_after(rank->compute_sum_ps, duration);
    if (class != CLASS_COMPUTE || sched->system->overlap_slowdown <= 0) {
        start_timed(sched, flight, node, duration);
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

/* -- issue and completion ------------------------------------------------------------------- */

static void make_ready(struct rank *rank, uint32_t node)
{
    lane_push(&rank->lane[lane_of(rank->map, rank->graph->trace, node)], node);
}

static void keep_fresh(struct rank *rank, uint32_t node)
{
    if (rank->fresh_count == rank->fresh_room) {
        rank->fresh_room = rank->fresh_room ? 2 * rank->fresh_room : 16;
        rank->fresh = realloc(rank->fresh, rank->fresh_room * sizeof *rank->fresh);
        need_memory(rank->fresh != NULL);
    }
    rank->fresh[rank->fresh_count++] = node;
}

/* Releases the children of a done node; those of a zero-cost node are kept back. */
static void release_children(struct rank *rank, uint32_t node, bool keep_back)
{
    const struct graph *graph = rank->graph;
    uint32_t *last_parent = rank->last_parent;
    rank->nodes_left--;
    for (uint64_t c = graph->child_begin[node]; c < graph->child_begin[node + 1]; c++) {
        uint32_t child = graph->child[c];
        if (--rank->parents_left[child])
            continue;
        if (last_parent)
            last_parent[child] = node;
        if (keep_back)
            keep_fresh(rank, child);
        else
            make_ready(rank, child);
    }
}

static void finish_if_done(struct sched *sched, uint32_t rank_index)
{
    struct rank *rank = &sched->rank[rank_index];
    if (rank->nodes_left || rank->is_finished)
        return;
    rank->is_finished = true;
    totals_of(sched, rank_index)->seats_finished++;
    sched->part.observer.ops->rank_end(sched->part.observer.self, rank_index, rank->compute_sum_ps,
                                       now_of(sched));
}

/* An op that has its slot, and is launched, begins. */
static void start(struct sched *sched, uint32_t flight, const struct trace_node *node,
                  time_ps duration)
{
    enum op_type type = trace_run_as(node);
    bool is_timed = sched->system->replay_only || type == OP_COMPUTE || type == OP_HOST_WORK;
    bool is_memory = type == OP_MEM_LOAD || type == OP_MEM_STORE;
    if (is_timed || (is_memory && sched->rank[flight_at(sched, flight)->rank].is_free)) {
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
        !is_free_collective(sched, COLL_BROADCAST)) {
        start_timed(sched, flight, node,
                    time_of_whole_ns(node->duration_ns ? node->duration_ns
                                                       : sched->system->least_duration_ns));
        return;
    }
    overlap_comm_begin(sched, flight_at(sched, flight)->rank);
    collective_join(sched, flight, node);
}

/* The device has a turn for the op, and the host has not come to it yet. */
static void wait_for_launch(struct sched *sched, uint32_t index, time_ps launch)
{
    struct flight *flight = flight_at(sched, index);
    const struct observer *observer = &sched->part.observer;
    flight->handle = observer->ops->op_begin(observer->self, flight->rank, ACTIVITY_HOST, 0,
                                             &sched->always, now_of(sched));
    agenda_add(&sched->agenda, flight->rank, launch, item_payload(ITEM_LAUNCH, 0, index));
}

void node_launched(struct sched *sched, uint32_t index)
{
    struct flight *flight = flight_at(sched, index);
    const struct rank *rank = &sched->rank[flight->rank];
    const struct trace_node *node = &rank->graph->trace->node[flight->node];
    const struct observer *observer = &sched->part.observer;
    observer->ops->op_end(observer->self, flight->rank, flight->handle, OP_TYPE_COUNT,
                          now_of(sched));
    flight->start = now_of(sched);
    time_ps duration;
    promise(!is_zero_cost(sched, rank, node, &duration));
    follow_begin(sched, flight->rank, flight->node);
    start(sched, index, node, duration);
}

/* What is in a rank's memory changes with nodes that start and end. */
static void tell_memory(struct sched *sched, uint32_t rank_index, uint32_t node, bool has_ended)
{
    const struct trace *trace = sched->rank[rank_index].graph->trace;
    const struct observer *observer = &sched->part.observer;
    if (trace->life_count || trace->fixed_bytes)
        observer->ops->node_moves(observer->self, rank_index, trace, node, has_ended,
                                  now_of(sched));
}

static void issue(struct sched *sched, uint32_t rank_index, struct lane *lane)
{
    struct rank *rank = &sched->rank[rank_index];
    uint32_t node_index = lane_pop(lane);
    const struct trace_node *node = &rank->graph->trace->node[node_index];
    time_ps duration;
    follow_issue(sched, rank_index, node_index);
    tell_memory(sched, rank_index, node_index, false);
    if (is_zero_cost(sched, rank, node, &duration)) {
        totals_of(sched, rank_index)->nodes_done++;
        const struct observer *observer = &sched->part.observer;
        observer->ops->op_end(observer->self, rank_index, NONE, node->type, now_of(sched));
        tell_memory(sched, rank_index, node_index, true);
        follow_end(sched, rank_index, node_index, FOLLOW_NONE, FOLLOW_NONE);
        release_children(rank, node_index, true);
        return;
    }
    lane->slots_free--;
    rank->in_flight++;
    uint32_t flight = take_flight(sched, rank_index, node_index);
    if (rank->launch_ps && rank->launch_ps[node_index] > now_of(sched))
        wait_for_launch(sched, flight, rank->launch_ps[node_index]);
    else
        start(sched, flight, node, duration);
}

void node_issue_ready(struct sched *sched, uint32_t rank_index)
{
    struct rank *rank = &sched->rank[rank_index];
    rank->is_late = false;
    for (;;) {
        struct lane *lane;
        while ((lane = lanes_next(rank->lane, rank->map->count)))
            issue(sched, rank_index, lane);
        if (!rank->fresh_count)
            break;
        for (uint32_t i = 0; i < rank->fresh_count; i++)
            make_ready(rank, rank->fresh[i]);
        rank->fresh_count = 0;
        /* ASTRA-sim issues the children of zero-cost nodes at the rank's next event only. */
        if (sched->system->late_zero_cost && rank->in_flight) {
            rank->is_late = true;
            break;
        }
    }
    finish_if_done(sched, rank_index);
}

static int compare_seats(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

void node_wake_all(void *self)
{
    struct sched *sched = self;
    uint32_t count = sched->woken.count;
    qsort(sched->woken.seat, count, sizeof *sched->woken.seat, compare_seats);
    sched->woken.count = 0; /* nothing ends while nodes are issued */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t seat = sched->woken.seat[i];
        sched->rank[seat].is_woken = false;
        sched->agenda.cause++;
        node_issue_ready(sched, seat);
    }
}

static void wake(struct sched *sched, uint32_t seat)
{
    if (!sched->wakes_together) {
        node_issue_ready(sched, seat);
        return;
    }
    if (sched->rank[seat].is_woken)
        return;
    sched->rank[seat].is_woken = true;
    sched->woken.seat[sched->woken.count++] = seat;
    engine_ask_settle(sched->part.engine);
}

void node_done(struct sched *sched, uint32_t flight_index)
{
    struct flight *flight = flight_at(sched, flight_index);
    uint32_t rank_index = flight->rank;
    struct rank *rank = &sched->rank[rank_index];
    const struct trace_node *node = &rank->graph->trace->node[flight->node];
    const struct observer *observer = &sched->part.observer;
    fold_mark(sched, NULL);
    observer->ops->op_end(observer->self, rank_index, flight->handle, node->type, now_of(sched));
    if (node->type == OP_COLLECTIVE && flight->object != NONE) {
        const struct coll_op *op = op_at(sched, flight->object);
        if (!op->streams)
            follow_member(sched, op, flight_index, op->last_member);
        collective_member_done(sched, flight->object);
        overlap_comm_end(sched, rank_index);
    }
    rank->lane[lane_of(rank->map, rank->graph->trace, flight->node)].slots_free++;
    rank->in_flight--;
    totals_of(sched, rank_index)->nodes_done++;
    uint32_t node_index = flight->node;
    tell_memory(sched, rank_index, node_index, true);
    follow_end(sched, rank_index, node_index, flight->peer_seat, flight->peer_node);
    flight->is_active = false;
    flight->next = sched->free_flight;
    sched->free_flight = flight_index;
    release_children(rank, node_index, false);
    wake(sched, rank_index);
}

/* -- set-up --------------------------------------------------------------------------------- */

void node_init_rank(struct sched *sched, uint32_t rank_index)
{
    struct rank *rank = &sched->rank[rank_index];
    uint32_t trace = sched->part.workload->trace_of_rank[rank_at(sched, rank_index)];
    rank->graph = &sched->part.graphs[trace];
    uint32_t count = rank->graph->count;
    rank->nodes_left = count;
    rank->parents_left = malloc((count + 1) * sizeof *rank->parents_left);
    need_memory(rank->parents_left != NULL);
    rank->map = &sched->lane_map[trace];
    rank->lane = malloc(rank->map->count * sizeof *rank->lane);
    need_memory(rank->lane != NULL);
    lanes_init(rank->lane, rank->map, sched->system);
    rank->shape_ps = sched->part.shape_ps ? sched->part.shape_ps[trace] : NULL;
    rank->launch_ps = sched->part.launch_ps ? sched->part.launch_ps[trace] : NULL;
    rank->is_free = sched->part.free && sched->part.free->trace && sched->part.free->trace[trace];
    if (rank->is_free || (sched->part.free && sched->part.free->launches))
        rank->launch_ps = NULL;
    rank->last_parent = follow_parents(sched, count);
    rank->computing = NONE;
    for (uint32_t i = 0; i < count; i++) {
        rank->parents_left[i] = rank->graph->parent_count[i];
        if (!rank->parents_left[i])
            make_ready(rank, i);
    }
}

void node_release_rank(struct rank *rank)
{
    if (rank->lane)
        lanes_release(rank->lane, rank->map);
    free(rank->lane);
    free(rank->fresh);
    free(rank->parents_left);
    free(rank->last_parent);
}
