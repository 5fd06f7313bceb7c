/*
 * nodes - a rank's trace nodes: ready, issued to a slot, done.
 *
 * At each wake-up of a rank the nodes ready at that moment are issued in ascending id, each if its
 * slot is free (ASTRA-sim). A receive needs no slot.
 */
#include "sched/state.h"

#include <stdlib.h>

#include "base/memory.h"

/* -- ready heaps ---------------------------------------------------------------------------- */

static void heap_push(struct ready_heap *heap, uint32_t node)
{
    if (heap->count == heap->room) {
        heap->room = heap->room ? 2 * heap->room : 8;
        heap->node = realloc(heap->node, heap->room * sizeof *heap->node);
        need_memory(heap->node != NULL);
    }
    uint32_t hole = heap->count++;
    for (; hole && heap->node[(hole - 1) / 2] > node; hole = (hole - 1) / 2)
        heap->node[hole] = heap->node[(hole - 1) / 2];
    heap->node[hole] = node;
}

static uint32_t heap_pop(struct ready_heap *heap)
{
    uint32_t top = heap->node[0], last = heap->node[--heap->count], hole = 0;
    for (uint32_t child; (child = 2 * hole + 1) < heap->count; hole = child) {
        if (child + 1 < heap->count && heap->node[child + 1] < heap->node[child])
            child++;
        if (heap->node[child] >= last)
            break;
        heap->node[hole] = heap->node[child];
    }
    heap->node[hole] = last;
    return top;
}

/* -- what a node is ------------------------------------------------------------------------- */

static bool is_comm(const struct trace_node *node)
{
    enum op_type type = trace_run_as(node);
    return type == OP_COLLECTIVE || type == OP_SEND || type == OP_RECV;
}

static enum slot_class class_of(const struct trace_node *node)
{
    if (node->type == OP_RECV)
        return CLASS_FREE;
    if (is_comm(node))
        return CLASS_COMM; /* also with is_cpu_op: communication goes to the network */
    if (node->flags & NODE_IS_HOST || trace_run_as(node) == OP_HOST_WORK)
        return CLASS_HOST;
    return node->type == OP_COMPUTE ? CLASS_COMPUTE : CLASS_COMM;
}

static enum activity activity_of(const struct trace_node *node)
{
    if (is_comm(node))
        return ACTIVITY_COMM;
    if (node->type == OP_MEM_LOAD || node->type == OP_MEM_STORE)
        return ACTIVITY_MEMORY;
    return class_of(node) == CLASS_COMPUTE ? ACTIVITY_COMPUTE : ACTIVITY_HOST;
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
static bool is_zero_cost(const struct sched *sched, const struct trace_node *node,
                         time_ps *duration)
{
    *duration = 0;
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

/* -- flights -------------------------------------------------------------------------------- */

static uint32_t take_flight(struct sched *sched, uint32_t rank, uint32_t node)
{
    uint32_t index = sched->free_flight;
    if (index == NONE)
        index = (uint32_t)grow_push(&sched->flights, 1);
    else
        sched->free_flight = flight_at(sched, index)->next;
    *flight_at(sched, index) = (struct flight){.rank = rank,
                                               .node = node,
                                               .object = NONE,
                                               .start = now_of(sched),
                                               .next = NONE,
                                               .peer_ps = TIME_NEVER,
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
    heap_push(&rank->ready[class_of(&rank->graph->trace->node[node])], node);
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
    rank->nodes_left--;
    for (uint64_t c = graph->child_begin[node]; c < graph->child_begin[node + 1]; c++) {
        uint32_t child = graph->child[c];
        if (--rank->parents_left[child])
            continue;
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

static void issue(struct sched *sched, uint32_t rank_index, uint32_t node_index)
{
    struct rank *rank = &sched->rank[rank_index];
    const struct trace_node *node = &rank->graph->trace->node[node_index];
    time_ps duration;
    if (is_zero_cost(sched, node, &duration)) {
        totals_of(sched, rank_index)->nodes_done++;
        const struct observer *observer = &sched->part.observer;
        observer->ops->op_end(observer->self, rank_index, NONE, node->type, now_of(sched));
        release_children(rank, node_index, true);
        return;
    }
    rank->slots_free[class_of(node)]--;
    rank->in_flight++;
    uint32_t flight = take_flight(sched, rank_index, node_index);
    enum op_type type = trace_run_as(node);
    if (sched->system->replay_only || type == OP_COMPUTE || type == OP_HOST_WORK) {
        if (class_of(node) != CLASS_HOST)
            rank->compute_sum_ps = time_after(rank->compute_sum_ps, duration);
        start_timed(sched, flight, node, duration);
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
    if (node->collective == COLL_BROADCAST && sched->system->broadcast_replayed) {
        start_timed(sched, flight, node,
                    time_of_whole_ns(node->duration_ns ? node->duration_ns
                                                       : sched->system->least_duration_ns));
        return;
    }
    collective_join(sched, flight, node);
}

/* The class whose smallest ready node is the smallest of those that could be issued now. */
static enum slot_class next_class(const struct rank *rank)
{
    enum slot_class best = CLASS_COUNT;
    for (enum slot_class c = 0; c < CLASS_COUNT; c++) {
        if (!rank->ready[c].count || !rank->slots_free[c])
            continue;
        if (best == CLASS_COUNT || rank->ready[c].node[0] < rank->ready[best].node[0])
            best = c;
    }
    return best;
}

void node_issue_ready(struct sched *sched, uint32_t rank_index)
{
    struct rank *rank = &sched->rank[rank_index];
    rank->is_late = false;
    for (;;) {
        enum slot_class c;
        while ((c = next_class(rank)) != CLASS_COUNT)
            issue(sched, rank_index, heap_pop(&rank->ready[c]));
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

void node_done(struct sched *sched, uint32_t flight_index)
{
    struct flight *flight = flight_at(sched, flight_index);
    uint32_t rank_index = flight->rank;
    struct rank *rank = &sched->rank[rank_index];
    const struct trace_node *node = &rank->graph->trace->node[flight->node];
    const struct observer *observer = &sched->part.observer;
    fold_mark(sched, NULL);
    observer->ops->op_end(observer->self, rank_index, flight->handle, node->type, now_of(sched));
    if (node->type == OP_COLLECTIVE && flight->object != NONE)
        collective_member_done(sched, flight->object);
    rank->slots_free[class_of(node)]++;
    rank->in_flight--;
    totals_of(sched, rank_index)->nodes_done++;
    uint32_t node_index = flight->node;
    flight->is_active = false;
    flight->next = sched->free_flight;
    sched->free_flight = flight_index;
    release_children(rank, node_index, false);
    node_issue_ready(sched, rank_index);
}

/* -- set-up --------------------------------------------------------------------------------- */

void node_init_rank(struct sched *sched, uint32_t rank_index)
{
    struct rank *rank = &sched->rank[rank_index];
    const struct system_config *system = sched->system;
    rank->graph =
        &sched->part.graphs[sched->part.workload->trace_of_rank[rank_at(sched, rank_index)]];
    uint32_t count = rank->graph->count;
    rank->nodes_left = count;
    rank->parents_left = malloc((count + 1) * sizeof *rank->parents_left);
    need_memory(rank->parents_left != NULL);
    rank->slots_free[CLASS_HOST] = system->host_slots;
    rank->slots_free[CLASS_COMPUTE] = system->compute_slots;
    rank->slots_free[CLASS_COMM] = system->comm_slots;
    rank->slots_free[CLASS_FREE] = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) {
        rank->parents_left[i] = rank->graph->parent_count[i];
        if (!rank->parents_left[i])
            make_ready(rank, i);
    }
}

void node_release_rank(struct rank *rank)
{
    for (int c = 0; c < CLASS_COUNT; c++)
        free(rank->ready[c].node);
    free(rank->fresh);
    free(rank->parents_left);
}
