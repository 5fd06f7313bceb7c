#include "run/check_node.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/compute.h"
#include "run/check_reduction.h"
#include "sched/sched.h"

/* The node being checked and the first rank that runs it. */
struct place {
    const struct node_checks *checks;
    struct trace *trace;
    const struct trace_node *node;
    uint32_t trace_index, rank;
};

static enum status fail_at(const struct place *place, enum status status, const char *field)
{
    struct diag *diag = place->checks->diag;
    if (!place->trace->path[0])
        return status;
    diag_in(diag, place->trace->path);
    diag_rank(diag, place->rank);
    diag_at(diag, DIAG_NODE, place->node->id);
    diag_field(diag, "%s", field);
    return status;
}

static void notice(const struct place *place, enum notice_kind kind, const char *key)
{
    if (!place->trace->path[0])
        notices_add(place->checks->notices, kind, key, 1, "rank %u", place->rank);
    else
        notices_add(place->checks->notices, kind, key, 1, "rank %u node %" PRIu64 " (%s)",
                    place->rank, place->node->id, place->trace->path);
}

/* -- collectives ---------------------------------------------------------------------------- */

static bool is_rooted(enum collective_kind kind)
{
    return kind == COLL_BROADCAST || kind == COLL_REDUCE || kind == COLL_GATHER ||
           kind == COLL_SCATTER;
}

static enum status check_root(const struct place *place, uint32_t group, uint32_t *root)
{
    const struct trace_node *node = place->node;
    *root = 0;
    if (!is_rooted(node->collective))
        return STATUS_OK;
    if (!(node->flags & NODE_HAS_PEER)) {
        notice(place, NOTICE_DEFAULTED, "root of a rooted collective: the group's first member");
        return STATUS_OK;
    }
    bool exists = node->peer < place->checks->workload->rank_count;
    *root = exists ? groups_position(place->checks->groups, group, node->peer) : UINT32_MAX;
    if (*root != UINT32_MAX)
        return STATUS_OK;
    diag_fail(place->checks->diag, STATUS_BAD_INPUT, "root rank %u is not a member of group \"%s\"",
              node->peer, place->checks->groups->table.group[group].name);
    return fail_at(place, STATUS_BAD_INPUT, "root");
}

/* All chunks of one collective are in memory at once: of one member if the run can be folded. */
static enum status check_room(const struct place *place, const struct comm_group *group,
                              uint32_t streams)
{
    const struct node_checks *checks = place->checks;
    uint64_t members = checks->config->fold ? 1 : group->count;
    if (streams <= memory_limit() / sched_stream_bytes() / members)
        return STATUS_OK;
    diag_fail(checks->diag, STATUS_NO_MEMORY,
              "its %u chunks, each held for %" PRIu64 " of %u ranks, need more than the %zu MB of "
              "memory here",
              streams, members, group->count, memory_limit() / 1000000);
    diag_hint(checks->diag, "simulate fewer ranks or dataset splits");
    return fail_at(place, STATUS_NO_MEMORY,
                   checks->config->own_form ? "system.dataset-splits" : "preferred-dataset-splits");
}

/* A chunk is planned in each order that stands for those a run may choose. */
static enum status check_orders(const struct place *place, const struct comm_group *group,
                                struct plan_key *key)
{
    const struct node_checks *checks = place->checks;
    uint32_t orders = plan_order_count(checks->config, key);
    for (uint32_t turn = 0; turn < orders; turn++) {
        const struct chunk_plan *plan;
        if (turn > 0)
            plan_turn_order(checks->config, turn, key);
        enum status status = plan_find(checks->book, key, &plan, checks->diag);
        if (!status)
            status = check_reduction(checks->config, checks->book, plan, group, checks->diag);
        if (status && turn > 0) {
            checks->diag->hint[0] = '\0'; /* of the algorithm; the order is what to change */
            diag_hint(checks->diag, "chunks take the dimensions in turn here: each must be able to "
                                    "go first; dim-order ascending does not ask for it");
        }
        if (status)
            return fail_at(place, status, "collective");
    }
    return STATUS_OK;
}

static enum status check_plan(const struct place *place, uint32_t group_index, uint32_t root)
{
    const struct node_checks *checks = place->checks;
    const struct comm_group *group = &checks->groups->table.group[group_index];
    const struct trace_node *node = place->node;
    struct plan_split split;
    enum status status =
        plan_split(checks->config, node->collective, node->size_bytes, &split, checks->diag);
    if (status)
        return fail_at(place, status, "preferred-dataset-splits");
    status = check_room(place, group, split.streams);
    if (status)
        return status;
    if (!split.is_raised && split.streams > 1 &&
        split.chunk_bytes * split.streams > node->size_bytes)
        notice(place, NOTICE_CLAMPED,
               "size that its chunks do not divide: raised to whole chunks (ASTRA-sim)");
    if (split.is_raised)
        notice(place, NOTICE_CLAMPED,
               checks->config->own_form
                   ? "collective of fewer bytes than NPUs: raised to one byte for each"
                   : "collective smaller than its chunks x NPUs: one byte per chunk and NPU "
                     "(ASTRA-sim)");
    struct plan_key key =
        plan_key_of(checks->book, node, group_index, group, root, split.chunk_bytes);
    return check_orders(place, group, &key);
}

static enum status check_collective(const struct place *place)
{
    const struct node_checks *checks = place->checks;
    const struct trace_node *node = place->node;
    if (!(node->flags & NODE_HAS_KIND)) {
        diag_fail(checks->diag, STATUS_BAD_INPUT,
                  "the collective does not say which one it is (0 would mean all-reduce, so it is "
                  "not guessed)");
        diag_hint(checks->diag, "replay-only: 1 in the system file gives every node its recorded "
                                "duration instead");
        return fail_at(place, STATUS_BAD_INPUT, "comm_type");
    }
    if (node->collective == COLL_BROADCAST && checks->config->system.broadcast_replayed) {
        notice(place, NOTICE_GUESSED, "broadcast replayed from its recorded duration (ASTRA-sim)");
        return STATUS_OK;
    }
    if (!(node->flags & NODE_HAS_SIZE) && node->collective != COLL_BARRIER) {
        diag_fail(checks->diag, STATUS_BAD_INPUT,
                  "the collective has no size, and no shapes to derive it from");
        return fail_at(place, STATUS_BAD_INPUT, "comm_size");
    }
    if (!node->size_bytes && node->collective != COLL_BARRIER)
        notice(place, NOTICE_ODDITY, "collective of 0 bytes");
    uint32_t group = groups_of(checks->groups, place->trace_index, node->group, place->rank);
    uint32_t dims = plan_dim_count(checks->config, node->collective);
    if (node->flags & NODE_HAS_DIMS && group)
        notice(place, NOTICE_IGNORED, "involved_dim of a collective in a named group");
    else if (node->flags & NODE_HAS_DIMS && node->dim_count < dims)
        notice(place, NOTICE_DEFAULTED, "involved_dim shorter than the network: rest not involved");
    uint32_t root;
    enum status status = check_root(place, group, &root);
    return status ? status : check_plan(place, group, root);
}

/* -- point to point ------------------------------------------------------------------------- */

/* A peer that is given as a distance in a group. */
static enum status check_places(const struct place *place, const char *field)
{
    const struct node_checks *checks = place->checks;
    uint32_t group = groups_of(checks->groups, place->trace_index, place->node->group, place->rank);
    const struct comm_group *members = &checks->groups->table.group[group];
    if (place->node->peer % members->count)
        return STATUS_OK;
    diag_fail(checks->diag, STATUS_BAD_INPUT,
              "%u places onwards in group \"%s\" of %u members is the rank itself",
              place->node->peer, members->name, members->count);
    return fail_at(place, STATUS_BAD_INPUT, field);
}

static enum status check_message(const struct place *place)
{
    const struct node_checks *checks = place->checks;
    const struct trace_node *node = place->node;
    bool is_send = node->type == OP_SEND;
    const char *peer_field = is_send ? "comm_dst" : "comm_src";
    enum status status;
    if (!(node->flags & NODE_HAS_PEER)) {
        diag_fail(checks->diag, STATUS_BAD_INPUT, "the %s does not say with which rank",
                  op_name((enum op_type)node->type));
        diag_hint(checks->diag, "PyTorch's converter never writes it; such traces need it added");
        return fail_at(place, STATUS_BAD_INPUT, peer_field);
    }
    if (node->flags & NODE_PEER_IN_GROUP) {
        status = check_places(place, peer_field);
        if (status)
            return status;
    } else if (node->peer >= checks->workload->rank_count) {
        diag_fail(checks->diag, STATUS_BAD_INPUT, "rank %u does not exist; ranks are 0 to %u",
                  node->peer, checks->workload->rank_count - 1);
        return fail_at(place, STATUS_BAD_INPUT, peer_field);
    }
    if (!(node->flags & NODE_PEER_IN_GROUP) && node->peer == place->rank) {
        diag_fail(checks->diag, STATUS_BAD_INPUT, "a rank cannot send a message to itself");
        return fail_at(place, STATUS_BAD_INPUT, peer_field);
    }
    if (node->flags & NODE_HAS_OWNER && node->owner != place->rank) {
        diag_fail(checks->diag, STATUS_BAD_INPUT,
                  "the %s belongs to rank %u, but stands in the trace of rank %u",
                  op_name((enum op_type)node->type), node->owner, place->rank);
        return fail_at(place, STATUS_BAD_INPUT, is_send ? "comm_src" : "comm_dst");
    }
    if (!(node->flags & NODE_HAS_SIZE)) {
        diag_fail(checks->diag, STATUS_BAD_INPUT, "the message has no size");
        return fail_at(place, STATUS_BAD_INPUT, "comm_size");
    }
    if (!(node->flags & NODE_HAS_TAG))
        notice(place, NOTICE_DEFAULTED, "message without a tag: 0");
    if (!node->size_bytes)
        notice(place, NOTICE_ODDITY, "message of 0 bytes");
    return STATUS_OK;
}

/* -- the rest ------------------------------------------------------------------------------- */

static enum status check_memory(const struct place *place)
{
    const struct node_checks *checks = place->checks;
    if (checks->config->memory.type == MEMORY_NONE) {
        diag_fail(checks->diag, STATUS_BAD_CONFIG,
                  "a remote memory access, and no remote memory is configured");
        diag_hint(checks->diag, "give a memory-type other than NO_MEMORY_EXPANSION");
        return fail_at(place, STATUS_BAD_CONFIG, "memory-type");
    }
    if (!(place->node->flags & NODE_HAS_SIZE)) {
        diag_fail(checks->diag, STATUS_BAD_INPUT, "the memory access has no size");
        return fail_at(place, STATUS_BAD_INPUT, "tensor_size");
    }
    if (!checks->config->memory.bandwidth_B_per_ns)
        notice(place, NOTICE_ODDITY, "remote memory without a bandwidth: only latency is counted");
    return STATUS_OK;
}

static enum status check_compute(const struct place *place)
{
    const struct system_config *system = &place->checks->config->system;
    const struct compute_ops *model = compute_model_for(system, place->node);
    if (model == compute_models[COMPUTE_DEVICE]) {
        if (place->node->shape != TRACE_NONE)
            return STATUS_OK; /* timed by op_times.h */
        notice(
            place, NOTICE_GUESSED,
            place->node->flags & (NODE_HAS_FLOPS | NODE_HAS_SIZE)
                ? "compute node without op_shape: timed by its num_ops and tensor_size alone"
                : "compute node without op_shape, num_ops and tensor_size: its recorded duration");
    }
    enum status status = model->check(system, place->node, place->checks->diag);
    if (status)
        return fail_at(place, status, "compute");
    bool is_free;
    if (!model->duration(system, place->node, &is_free))
        notice(place, NOTICE_ODDITY, "compute node that takes no time");
    return STATUS_OK;
}

static enum status check_node(const struct place *place)
{
    const struct trace_node *node = place->node;
    if (place->checks->config->system.replay_only)
        return STATUS_OK;
    if (trace_run_as(node) != node->type)
        notice(place, NOTICE_GUESSED, "host op of a collective without a kind: run as host work");
    switch (trace_run_as(node)) {
    case OP_COLLECTIVE:
        return check_collective(place);
    case OP_SEND:
    case OP_RECV:
        return check_message(place);
    case OP_MEM_LOAD:
    case OP_MEM_STORE:
        return check_memory(place);
    case OP_COMPUTE:
    case OP_HOST_WORK:
        return check_compute(place);
    case OP_INVALID:
        notice(place, NOTICE_IGNORED, "node of type INVALID: done at once, whatever it recorded");
        return STATUS_OK;
    default:
        return STATUS_OK;
    }
}

/* What this says to one rank it may not say to another that runs the same trace. */
static bool names_a_rank(const struct trace_node *node)
{
    return (node->type == OP_SEND || node->type == OP_RECV) && !(node->flags & NODE_PEER_IN_GROUP);
}

/* Ranks that share a trace differ only in what a message node may say. */
static enum status check_rank(const struct node_checks *checks, uint32_t rank, bool is_first)
{
    uint32_t t = checks->workload->trace_of_rank[rank];
    struct trace *trace = checks->workload->traces[t];
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct trace_node *node = &trace->node[i];
        if (!is_first && !names_a_rank(node))
            continue;
        struct place place = {checks, trace, node, t, rank};
        enum status status = check_node(&place);
        if (status)
            return status;
    }
    return STATUS_OK;
}

static bool has_messages(const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->count; i++) {
        if (names_a_rank(&trace->node[i]))
            return true;
    }
    return false;
}

enum status check_nodes(const struct node_checks *checks)
{
    const struct workload *workload = checks->workload;
    /* Per trace: not seen yet, or must every rank that runs it be checked? */
    enum { UNSEEN, ONCE, EVERY_RANK } *each = calloc(workload->trace_count + 1, sizeof *each);
    need_memory(each != NULL);
    enum status status = STATUS_OK;
    for (uint32_t r = 0; r < workload->rank_count && !status; r++) {
        uint32_t t = workload->trace_of_rank[r];
        bool is_first = each[t] == UNSEEN;
        if (is_first)
            each[t] = has_messages(workload->traces[t]) ? EVERY_RANK : ONCE;
        if (is_first || each[t] == EVERY_RANK)
            status = check_rank(checks, r, is_first);
    }
    free(each);
    return status;
}
