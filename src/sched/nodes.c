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
    bool by_host = rank->launch_ps && rank->launch_ps[flight->node] > flight->start;
    flight->start = now_of(sched);
    time_ps duration;
    promise(!node_takes_nothing(sched, rank, node, &duration));
    follow_begin(sched, flight->rank, flight->node, by_host);
    node_start(sched, index, node, duration);
}

/* When the node is launched: now, or later. variation.start-delay comes on top of the host's own
 * time: what starts communication is late by an exponential time (model/jitter.h). */
static time_ps launch_of(const struct sched *sched, uint32_t rank_index, uint32_t node)
{
    const struct rank *rank = &sched->rank[rank_index];
    time_ps launch = rank->launch_ps ? rank->launch_ps[node] : 0;
    if (!jitter_is_on(&sched->start_delay) ||
        !trace_is_communication(&rank->graph->trace->node[node]))
        return launch;
    double late_ns = sched->part.config->variation.start_delay_ns *
                     jitter_exponential(&sched->start_delay, rank_at(sched, rank_index), node);
    return time_after(time_later(launch, now_of(sched)),
                      time_rounded(late_ns, sched->system->whole_ns));
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
    if (node_takes_nothing(sched, rank, node, &duration)) {
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
    time_ps launch = launch_of(sched, rank_index, node_index);
    if (launch > now_of(sched))
        wait_for_launch(sched, flight, launch);
    else
        node_start(sched, flight, node, duration);
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
    rank->free_node =
        sched->part.free && sched->part.free->node ? sched->part.free->node[trace] : NULL;
    bool is_paced = sched->part.free && sched->part.free->compute_factor;
    rank->compute_factor = is_paced ? sched->part.free->compute_factor[trace] : 1;
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
