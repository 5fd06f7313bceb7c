#include "run/message_types.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/mix.h"

/* -- patterns --------------------------------------------------------------------------------- */

static struct plan_key key_of(const struct message_types *types, const struct trace_node *node,
                              uint32_t group, uint64_t chunk_bytes)
{
    const struct comm_group *members = &types->groups->table.group[group];
    uint32_t root = 0;
    if (node->flags & NODE_HAS_PEER && members->is_world)
        root = node->peer;
    else if (node->flags & NODE_HAS_PEER)
        root = groups_position(types->groups, group, node->peer);
    return plan_key_of(types->book, node, group, members, root, chunk_bytes);
}

static bool add_node(struct message_collecting *at, const struct trace_node *node, uint32_t group)
{
    const struct config *config = at->types->config;
    struct diag diag = DIAG_NONE;
    struct plan_split split;
    if (node->collective == COLL_BROADCAST && config->system.broadcast_replayed)
        return true;
    promise(!plan_split(config, node->collective, node->size_bytes, &split, &diag));
    struct plan_key key = key_of(at->types, node, group, split.chunk_bytes);
    uint64_t hash = hash_bytes(&key, sizeof key, 1) | (uint64_t)1 << 63;
    if (table_find(&at->seen, hash) != TABLE_NONE)
        return true;
    table_put(&at->seen, hash, 0);
    for (uint32_t turn = 0, orders = plan_order_count(config, &key); turn < orders; turn++) {
        if (turn > 0)
            plan_turn_order(config, turn, &key);
        if (!message_pattern_add(at, &key))
            return false;
    }
    return true;
}

/* The pattern of a slot of a trace in `group`. */
static bool make_pattern(struct message_types *types, uint32_t trace, uint32_t slot, uint32_t group,
                         uint32_t most, const char **why)
{
    const struct trace_shape *shape = &types->job->of_trace[trace];
    const struct trace *nodes = types->workload->traces[trace];
    struct message_collecting at = {.types = types, .most = most, .why = why};
    bool is_fine = true;
    table_init(&at.seen);
    at.pattern.hash = types->groups->table.group[group].count;
    for (uint32_t i = 0; i < nodes->count && is_fine; i++) {
        if (trace_run_as(&nodes->node[i]) == OP_COLLECTIVE && shape->slot_of[i] == slot)
            is_fine = add_node(&at, &nodes->node[i], group);
    }
    table_release(&at.seen);
    types->pattern = realloc(types->pattern, (types->pattern_count + 1) * sizeof *types->pattern);
    need_memory(types->pattern != NULL);
    types->pattern[types->pattern_count++] = at.pattern;
    return is_fine;
}

/* What of a group decides the plans of its collectives. */
static uint64_t kind_of_group(const struct message_types *types, uint32_t group)
{
    static const struct trace_node nodes[] = {{.collective = COLL_ALL_REDUCE},
                                              {.collective = COLL_ALL_GATHER},
                                              {.collective = COLL_REDUCE_SCATTER},
                                              {.collective = COLL_ALL_TO_ALL}};
    uint64_t hash = group == 0; /* only there do involved dimensions count */
    for (size_t k = 0; k < sizeof nodes / sizeof *nodes; k++) {
        struct plan_key key = key_of(types, &nodes[k], group, 0);
        hash = mix_in(hash, (uint64_t)key.group_size << 32 | key.domains);
    }
    return hash;
}

static uint32_t find_pattern(const struct message_types *types, uint32_t trace, uint32_t slot,
                             uint32_t group, uint64_t *key)
{
    *key = mix_in(mix_in((uint64_t)trace << 32 | slot, 2), types->group_kind[group]);
    return table_find(&types->pattern_of, *key);
}

static bool find_patterns(struct message_types *types, uint32_t most, const char **why)
{
    const struct workload *workload = types->workload;
    for (uint32_t r = 0; r < workload->rank_count; r++) {
        uint32_t trace = workload->trace_of_rank[r];
        for (uint32_t s = 0; s < types->job->of_trace[trace].group_count; s++) {
            uint32_t group = message_types_group(types, r, s);
            uint64_t key;
            if (!types->group_kind[group])
                types->group_kind[group] = kind_of_group(types, group);
            if (find_pattern(types, trace, s, group, &key) != TABLE_NONE)
                continue;
            table_put(&types->pattern_of, key, types->pattern_count);
            if (!make_pattern(types, trace, s, group, most, why))
                return false;
        }
    }
    return true;
}

bool message_types_collect(struct message_types *types, const struct config *config,
                           const struct workload *workload, struct prepared *prepared,
                           const struct job_shape *job, bool prefer_xor, uint32_t most,
                           const char **why)
{
    *types = (struct message_types){.config = config,
                                    .workload = workload,
                                    .groups = &prepared->groups,
                                    .book = &prepared->book,
                                    .job = job,
                                    .prefer_xor = prefer_xor};
    table_init(&types->pattern_of);
    types->group_kind = calloc(types->groups->table.count + 1, sizeof *types->group_kind);
    need_memory(types->group_kind != NULL);
    return find_patterns(types, most, why);
}

void message_types_release(struct message_types *types)
{
    for (uint32_t p = 0; p < types->pattern_count; p++)
        message_pattern_release(&types->pattern[p]);
    free(types->pattern);
    free(types->shape);
    free(types->group_kind);
    table_release(&types->pattern_of);
    *types = (struct message_types){.config = NULL};
}

/* -- what a rank sends ------------------------------------------------------------------------ */

uint32_t message_types_slot_of(const struct message_types *types, uint32_t rank, uint32_t group)
{
    for (uint32_t s = 0, slots = message_types_slots(types, rank); s < slots; s++) {
        if (message_types_group(types, rank, s) == group)
            return s;
    }
    return UINT32_MAX;
}

uint32_t message_types_peer(const struct message_types *types, uint32_t rank, uint32_t slot)
{
    uint32_t trace = types->workload->trace_of_rank[rank];
    const struct peer_slot *peer = &types->job->of_trace[trace].peer[slot];
    const struct trace_node *node = &types->workload->traces[trace]->node[peer->node];
    return groups_peer(types->groups, trace, node, rank);
}

static const struct message_pattern *pattern_at(const struct message_types *types, uint32_t rank,
                                                uint32_t slot, uint32_t group)
{
    uint64_t key;
    uint32_t trace = types->workload->trace_of_rank[rank];
    return &types->pattern[find_pattern(types, trace, slot, group, &key)];
}

/* One group of the rank whose messages are visited. */
struct visit {
    const struct message_types *types;
    const struct comm_group *members;
    uint32_t group, slot, position;
    void (*call)(void *context, uint64_t label, uint32_t to);
    void *context;
};

static void visit_target(const struct visit *visit, uint64_t label, uint32_t position)
{
    uint32_t to = visit->members->is_world ? position : visit->members->ranks[position];
    label =
        mix_in(mix_in(label, visit->slot), message_types_slot_of(visit->types, to, visit->group));
    visit->call(visit->context, label, to);
}

static void visit_part(const struct visit *visit, const struct message_part *part)
{
    const struct phase *phase = part->phase;
    uint32_t p = visit->position / phase->stride % phase->n;
    for (uint32_t i = part->begin[p]; i < part->begin[p + 1]; i++)
        visit_target(visit, mix_in(part->hash, part->peer[i]),
                     visit->position + (part->peer[i] - p) * phase->stride);
}

void message_types_visit(const struct message_types *types, uint32_t rank,
                         void (*call)(void *context, uint64_t label, uint32_t to), void *context)
{
    struct visit visit = {.types = types, .call = call, .context = context};
    for (uint32_t s = 0, slots = message_types_slots(types, rank); s < slots; s++) {
        visit.slot = s;
        visit.group = message_types_group(types, rank, s);
        visit.members = &types->groups->table.group[visit.group];
        visit.position =
            visit.members->is_world ? rank : groups_position(types->groups, visit.group, rank);
        const struct message_pattern *pattern = pattern_at(types, rank, s, visit.group);
        for (uint32_t i = 0; i < pattern->count; i++)
            visit_target(&visit, pattern->step[i].label,
                         message_step_target(&pattern->step[i], visit.position));
        for (uint32_t i = 0; i < pattern->part_count; i++)
            visit_part(&visit, &pattern->part[i]);
    }
    const struct trace_shape *shape = &types->job->of_trace[types->workload->trace_of_rank[rank]];
    for (uint32_t s = 0; s < shape->peer_count; s++) {
        if (shape->peer[s].sent)
            call(context, mix_in(s, 5), message_types_peer(types, rank, s));
    }
}

uint64_t message_types_rank_hash(const struct message_types *types, uint32_t rank)
{
    uint32_t trace = types->workload->trace_of_rank[rank];
    uint64_t hash = mix_in(types->job->of_trace[trace].shape, 4);
    for (uint32_t s = 0, slots = message_types_slots(types, rank); s < slots; s++) {
        uint32_t group = message_types_group(types, rank, s);
        const struct message_pattern *pattern = pattern_at(types, rank, s, group);
        hash = mix_in(hash, pattern->hash);
        if (!pattern->part_count)
            continue;
        uint32_t position = types->groups->table.group[group].is_world
                                ? rank
                                : groups_position(types->groups, group, rank);
        hash = mix_in(hash, position);
    }
    return hash;
}
