/*
 * collectives - matching of a collective across its group, and its life from join to end.
 *
 * The s-th collective a member issues in a group is the s-th of every member. The first to come
 * makes the op: chunks, phases, directions; every other must agree in kind, size, root and
 * dimensions, or the run stops with a finding.
 */
#include "sched/follow.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* -- groups' order -------------------------------------------------------------------------- */

static const struct comm_group *group_at(const struct sched *sched, uint32_t group)
{
    return &sched->part.groups->table.group[group];
}

static uint32_t member_count(const struct sched *sched, uint32_t group)
{
    return sched->part.fold ? fold_group_of(sched, group)->count : group_at(sched, group)->count;
}

static uint32_t op_of_sequence(const struct group_run *run, uint32_t sequence)
{
    uint32_t ahead = sequence - run->first_sequence;
    return ahead < run->count ? run->op[(run->head + ahead) % run->room] : NONE;
}

static void append_op(struct group_run *run, uint32_t op)
{
    if (run->count == run->room) {
        uint32_t room = run->room ? 2 * run->room : 4;
        uint32_t *ops = malloc(room * sizeof *ops);
        need_memory(ops != NULL);
        for (uint32_t i = 0; i < run->count; i++)
            ops[i] = run->op[(run->head + i) % run->room];
        free(run->op);
        run->op = ops;
        run->head = 0;
        run->room = room;
    }
    run->op[(run->head + run->count++) % run->room] = op;
}

/* Forgets an ended op; those at the front leave the buffer. */
static void remove_op(struct group_run *run, uint32_t sequence)
{
    run->op[(run->head + sequence - run->first_sequence) % run->room] = NONE;
    while (run->count && run->op[run->head] == NONE) {
        run->head = (run->head + 1) % run->room;
        run->count--;
        run->first_sequence++;
    }
}

/* -- making an op --------------------------------------------------------------------------- */

static uint32_t take_index(struct grow *grow, uint32_t *free_head, uint32_t next_free)
{
    uint32_t index = *free_head;
    if (index == NONE)
        return (uint32_t)grow_push(grow, 1);
    *free_head = next_free;
    return index;
}

/* A run of `members` streams with consecutive indices. */
static uint32_t take_streams(struct sched *sched, uint32_t members)
{
    uint32_t first = table_find(&sched->free_streams, members);
    if (first == TABLE_NONE)
        return (uint32_t)grow_push(&sched->streams, members);
    uint32_t next = stream_at(sched, first)->next;
    if (next == NONE)
        table_remove(&sched->free_streams, members);
    else
        table_put(&sched->free_streams, members, next);
    memset(stream_at(sched, first), 0, members * sizeof(struct stream));
    return first;
}

static void give_streams(struct sched *sched, uint32_t first, uint32_t members)
{
    uint32_t next = table_put(&sched->free_streams, members, first);
    stream_at(sched, first)->next = next == TABLE_NONE ? NONE : next;
}

/* Of an array with an entry for each receive slot of each member. */
static size_t slot_bytes(const struct instance *instance, size_t entry_bytes)
{
    return (size_t)instance->members * instance->plan->slots * entry_bytes;
}

static uint32_t make_instance(struct sched *sched, uint32_t op_index, const struct chunk_plan *plan)
{
    uint32_t group = op_at(sched, op_index)->group;
    uint32_t index = take_index(
        &sched->instances, &sched->free_instance,
        sched->free_instance == NONE ? NONE : instance_at(sched, sched->free_instance)->next_free);
    struct instance *instance = instance_at(sched, index);
    *instance = (struct instance){
        .plan = plan,
        .op = op_index,
        .members = member_count(sched, group),
        .members_left = member_count(sched, group),
        .ranks = group_at(sched, group)->is_world ? NULL : group_at(sched, group)->ranks,
        .seats = sched->part.fold ? fold_group_of(sched, group)->seat : NULL,
    };
    instance->first_stream = take_streams(sched, instance->members);
    for (uint32_t m = 0; m < instance->members; m++) { /* messages may come before the member */
        struct stream *stream = stream_at(sched, instance->first_stream + m);
        stream->instance = index;
        stream->position = instance->seats ? instance->seats[m].position : m;
    }
    instance->credit = block_take(sched, slot_bytes(instance, sizeof *instance->credit));
    if (sched->system->rendezvous)
        instance->grant = block_take(sched, slot_bytes(instance, sizeof *instance->grant));
    if (sched->part.follower.ops)
        instance->origins = block_take(sched, slot_bytes(instance, sizeof *instance->origins));
    return index;
}

static void release_instance(struct sched *sched, uint32_t index)
{
    struct instance *instance = instance_at(sched, index);
    give_streams(sched, instance->first_stream, instance->members);
    block_give(sched, instance->credit, slot_bytes(instance, sizeof *instance->credit));
    if (instance->grant)
        block_give(sched, instance->grant, slot_bytes(instance, sizeof *instance->grant));
    if (instance->origins)
        block_give(sched, instance->origins, slot_bytes(instance, sizeof *instance->origins));
    instance->next_free = sched->free_instance;
    sched->free_instance = index;
}

/* Root as a position in the group; absent: the first member (preflight has said so). */
static uint32_t root_position(const struct sched *sched, uint32_t group,
                              const struct trace_node *node)
{
    if (!(node->flags & NODE_HAS_PEER))
        return 0;
    const struct comm_group *members = group_at(sched, group);
    return members->is_world ? node->peer : groups_position(sched->part.groups, group, node->peer);
}

/* Chunks of the node's collective. Preflight has run the same calls, so none can fail. */
static void make_instances(struct sched *sched, uint32_t op_index, const struct trace_node *node)
{
    struct coll_op *op = op_at(sched, op_index);
    struct plan_book *book = sched->part.book;
    struct diag diag = DIAG_NONE;
    const struct comm_group *group = group_at(sched, op->group);
    struct plan_split split;
    op->is_free = is_free_node(&sched->rank[seat_of(sched, op->first_rank)], node);
    if (op->is_free) {
        op->algorithm = "free";
        return;
    }
    promise(!plan_split(sched->part.config, node->collective, node->size_bytes, &split, &diag));
    struct plan_key key = plan_key_of(book, node, op->group, group, op->root, split.chunk_bytes);
    op->is_custom = key.custom && !book->custom[key.custom - 1].msccl;
    if (key.custom)
        split.streams = 1;
    for (uint32_t s = 0; s < split.streams; s++) {
        struct plan_key chunk = key;
        plan_choose_order(sched->part.config, &sched->order, &chunk);
        plan_choose_trees(book, &chunk);
        const struct chunk_plan *plan;
        promise(!plan_find(book, &chunk, &plan, &diag));
        op->algorithm =
            !op->algorithm || op->algorithm == plan->algorithm ? plan->algorithm : "mixed";
        if (!plan->phase_count) /* no dimension takes part: nothing to do */
            return;
        if (!op->instance) {
            op->streams = split.streams;
            op->instance = block_take(sched, op->streams * sizeof *op->instance);
        }
        op->instance[s] = make_instance(sched, op_index, plan);
        op->uneven_bytes += plan->uneven_bytes;
    }
}

static uint32_t make_op(struct sched *sched, uint32_t group, uint32_t sequence, uint32_t rank,
                        uint32_t root, const struct trace_node *node)
{
    uint32_t index =
        take_index(&sched->ops, &sched->free_op,
                   sched->free_op == NONE ? NONE : op_at(sched, sched->free_op)->next_free);
    struct coll_op *op = op_at(sched, index);
    *op = (struct coll_op){
        .size_bytes = node->size_bytes,
        .group = group,
        .sequence = sequence,
        .number = sched->ops_made++,
        .first_rank = rank,
        .first_node = node,
        .kind = node->collective,
        .dims = plan_dims_of(node, group),
        .root = root,
        .first_arrival_ps = now_of(sched),
        .all_arrived_ps = TIME_NEVER,
    };
    op->member = block_take(sched, member_count(sched, group) * sizeof *op->member);
    if (sched->part.follower.ops)
        op->came = block_take(sched, member_count(sched, group) * sizeof *op->came);
    make_instances(sched, index, node);
    append_op(&sched->group[group], index);
    return index;
}

/* -- a member joins ------------------------------------------------------------------------- */

/* What differs between the op and a member's node, or NULL. */
static const char *disagreement(const struct coll_op *op, uint32_t root,
                                const struct trace_node *node)
{
    if (op->kind != node->collective)
        return "the kind of collective";
    if (op->size_bytes != node->size_bytes)
        return "the size";
    if (op->root != root)
        return "the root";
    if (op->dims != plan_dims_of(node, op->group))
        return "the dimensions that take part";
    return NULL;
}

static bool share_trace(const struct sched *sched, uint32_t a, uint32_t b)
{
    return sched->rank[seat_of(sched, a)].graph->trace ==
           sched->rank[seat_of(sched, b)].graph->trace;
}

static void report_mismatch(struct sched *sched, const struct coll_op *op, uint32_t rank,
                            const struct trace_node *node, const char *what)
{
    struct diag *diag = &sched->finding;
    diag_fail(diag, STATUS_MISMATCH,
              "ranks disagree about %s of collective number %u in group \"%s\": rank %u has %s of "
              "%" PRIu64 " B, rank %u (node %" PRIu64 ") has %s of %" PRIu64 " B",
              what, op->sequence, group_at(sched, op->group)->name, op->first_rank,
              collective_name((enum collective_kind)op->kind), op->size_bytes, rank, node->id,
              collective_name((enum collective_kind)node->collective), node->size_bytes);
    diag_rank(diag, rank);
    bool is_one_trace = share_trace(sched, rank, op->first_rank);
    diag_hint(diag, "%s",
              is_one_trace
                  ? "both ranks run one trace, in which nodes ended in another "
                    "order: a dependency between the two collectives gives one order"
                  : "collectives of a group are matched in the order in which each rank issues "
                    "them; check the order and sizes on these two ranks");
    sched->part.engine->stop = true;
}

/* The stream of member `m` of one instance takes its queues and starts its first phase. */
static void join_instance(struct sched *sched, uint32_t index, uint32_t m, uint32_t rank,
                          int32_t priority)
{
    struct instance *instance = instance_at(sched, index);
    struct rank *owner = &sched->rank[rank];
    struct stream *stream = stream_at(sched, instance->first_stream + m);
    stream->rank = rank;
    stream->priority = priority;
    stream->origin = m;
    for (uint32_t p = 0; p < instance->plan->phase_count; p++) {
        bool anticlockwise = false;
        stream->queue[p] =
            (uint16_t)queue_next(sched, owner, phase_of(instance, p), &anticlockwise);
        if (anticlockwise)
            stream->anticlockwise |= (uint16_t)(1u << p);
    }
    queue_proceed(sched, stream, true);
}

static int32_t next_priority(struct sched *sched, struct rank *rank, const struct trace_node *node)
{
    switch (sched->system->policy) {
    case POLICY_LIFO:
        return rank->priority_turn++;
    case POLICY_FIFO:
        return rank->priority_turn--;
    case POLICY_EXPLICIT:
        break;
    }
    return node->priority;
}

/* Which member the seat is in `*group`, which becomes the one that is run for its like. */
static uint32_t find_member(const struct sched *sched, uint32_t seat, uint32_t *group)
{
    if (sched->part.fold) {
        const struct fold_group *folded = fold_group_of(sched, *group);
        *group = folded->lead;
        return fold_seat_find(folded->seat, folded->count, seat);
    }
    return group_at(sched, *group)->is_world ? seat
                                             : groups_position(sched->part.groups, *group, seat);
}

/* A free collective ends on all members when the last has come. */
static void end_if_all_came(struct sched *sched, const struct coll_op *op)
{
    uint32_t members = member_count(sched, op->group);
    for (uint32_t m = 0; op->arrived == members && m < members; m++) {
        uint32_t flight = op->member[m].flight;
        agenda_add(&sched->agenda, flight_at(sched, flight)->rank, now_of(sched),
                   item_payload(ITEM_NODE, 0, flight));
    }
}

void collective_join(struct sched *sched, uint32_t flight_index, const struct trace_node *node)
{
    struct flight *flight = flight_at(sched, flight_index);
    uint32_t seat = flight->rank, rank = rank_at(sched, seat);
    uint32_t trace = sched->part.workload->trace_of_rank[rank];
    uint32_t group = groups_of(sched->part.groups, trace, node->group, rank);
    uint32_t root = root_position(sched, group, node), m = find_member(sched, seat, &group);
    struct group_run *run = &sched->group[group];
    uint32_t sequence = run->next_sequence[m]++;
    uint32_t op_index = op_of_sequence(run, sequence);
    if (op_index == NONE)
        op_index = make_op(sched, group, sequence, rank, root, node);
    struct coll_op *op = op_at(sched, op_index);
    const char *what = disagreement(op, root, node);
    if (what) {
        report_mismatch(sched, op, rank, node, what);
        return;
    }
    if (node != op->first_node && share_trace(sched, rank, op->first_rank))
        notices_add(sched->part.notices, NOTICE_ODDITY,
                    "ranks of one trace meet with different nodes: theirs ended in another order",
                    1, "rank %u node %" PRIu64 ", rank %u node %" PRIu64, op->first_rank,
                    op->first_node->id, rank, node->id);
    flight->object = op_index;
    node_begin(sched, flight_index, node, &op->all_arrived_ps);
    op->last_arrival_ps = now_of(sched);
    op->last_member = m;
    follow_join(sched, op, m, flight);
    if (++op->arrived == member_count(sched, group))
        op->all_arrived_ps = now_of(sched);
    struct member *member = &op->member[m];
    *member = (struct member){op->streams, flight_index};
    int32_t priority = next_priority(sched, &sched->rank[seat], node);
    if (op->is_free)
        end_if_all_came(sched, op);
    else if (!op->streams) /* nothing to communicate: done at once, as an event of its own */
        agenda_add(&sched->agenda, seat, now_of(sched), item_payload(ITEM_NODE, 0, flight_index));
    for (uint32_t s = 0; s < op->streams; s++)
        join_instance(sched, op->instance[s], m, seat, priority);
}

/* -- the end -------------------------------------------------------------------------------- */

static void release_op(struct sched *sched, uint32_t op_index)
{
    struct coll_op *op = op_at(sched, op_index);
    const struct collective_record record = {
        .kind = (enum collective_kind)op->kind,
        .group = group_at(sched, op->group),
        .group_index = op->group,
        .groups = sched->part.fold ? fold_group_of(sched, op->group)->groups : 1,
        .algorithm = op->algorithm,
        .size_bytes = op->size_bytes,
        .first_arrival_ps = op->first_arrival_ps,
        .last_arrival_ps = op->last_arrival_ps,
        .last_end_ps = now_of(sched),
        .moves_own_sizes = op->is_custom,
        .uneven_bytes = op->uneven_bytes,
    };
    sched->part.observer.ops->collective_end(sched->part.observer.self, &record);
    remove_op(&sched->group[op->group], op->sequence);
    block_give(sched, op->member, member_count(sched, op->group) * sizeof *op->member);
    if (op->came)
        block_give(sched, op->came, member_count(sched, op->group) * sizeof *op->came);
    if (op->streams)
        block_give(sched, op->instance, op->streams * sizeof *op->instance);
    op->next_free = sched->free_op;
    sched->free_op = op_index;
}

void collective_member_done(struct sched *sched, uint32_t op_index)
{
    struct coll_op *op = op_at(sched, op_index);
    if (++op->ended == member_count(sched, op->group))
        release_op(sched, op_index);
}

void collective_stream_done(struct sched *sched, struct stream *stream)
{
    uint32_t instance_index = stream->instance;
    struct instance *instance = instance_at(sched, instance_index);
    struct member *member = &op_at(sched, instance->op)->member[member_of(sched, stream)];
    if (--member->streams_left)
        return;
    follow_member(sched, op_at(sched, instance->op), member->flight, stream->origin);
    node_done(sched, member->flight);
}

void collective_stream_removed(struct sched *sched, uint32_t instance_index)
{
    struct instance *instance = instance_at(sched, instance_index);
    if (--instance->members_left == 0)
        release_instance(sched, instance_index);
}
