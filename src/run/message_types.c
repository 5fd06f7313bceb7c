#include "run/message_types.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/mix.h"
#include "net/collective/request.h"
#include "run/partition_parts.h"

/* -- targets ---------------------------------------------------------------------------------- */

/* Phase position that `p` sends to: an exchange counts on through all positions, whatever their
 * shape. */
static uint32_t image(const struct message_step *step, uint32_t p)
{
    const struct phase *phase = step->phase;
    if (step->is_xor)
        return p ^ step->peer;
    if (phase->schedule.form == SCHEDULE_EXCHANGE)
        return exchange_up(p, step->peer, phase->n);
    return schedule_relabel(&phase->request, phase->schedule.symmetry, p, step->peer);
}

uint32_t message_step_target(const struct message_step *step, uint32_t position)
{
    const struct phase *phase = step->phase;
    uint32_t p = position / phase->stride % phase->n;
    return position + (image(step, p) - p) * phase->stride; /* modulo 2^32, as in sched/streams.c */
}

/* -- collecting the steps of a pattern -------------------------------------------------------- */

struct collecting {
    struct message_types *types;
    struct message_pattern pattern;
    struct table seen; /* labels of the pattern's steps; plans that are in it */
    uint32_t most;
    const char **why;
};

static bool have_one_shape(const struct phase *a, const struct phase *b)
{
    if (a->n != b->n || a->stride != b->stride || a->schedule.form != b->schedule.form)
        return false;
    if (a->schedule.form == SCHEDULE_EXCHANGE)
        return true;
    if (a->schedule.symmetry != b->schedule.symmetry ||
        a->request.dim_count != b->request.dim_count)
        return false;
    for (uint32_t d = 0; d < a->request.dim_count; d++) {
        if (a->request.dim[d] != b->request.dim[d])
            return false;
    }
    return true;
}

static uint32_t shape_of(struct message_types *types, const struct phase *phase)
{
    for (uint32_t i = 0; i < types->shape_count; i++) {
        if (have_one_shape(types->shape[i], phase))
            return i;
    }
    types->shape = realloc(types->shape, (types->shape_count + 1) * sizeof *types->shape);
    need_memory(types->shape != NULL);
    types->shape[types->shape_count] = phase;
    return types->shape_count++;
}

/* Adds the step unless there is an equal one. False if there are too many. */
static bool add_step(struct collecting *at, uint32_t shape, struct message_step step)
{
    struct message_pattern *pattern = &at->pattern;
    uint64_t key = (uint64_t)shape << 33 | (uint64_t)step.peer << 1 | step.is_xor;
    step.label = mix_in(key, 1);
    if (table_find(&at->seen, key) != TABLE_NONE)
        return true;
    *at->why = partition_too_many_routes;
    if (pattern->count == at->most)
        return false;
    if (pattern->count == pattern->room) {
        pattern->room = pattern->room ? 2 * pattern->room : 16;
        pattern->step = realloc(pattern->step, pattern->room * sizeof *pattern->step);
        need_memory(pattern->step != NULL);
    }
    table_put(&at->seen, key, 0);
    pattern->hash += step.label; /* a set: the order does not matter */
    pattern->step[pattern->count++] = step;
    return true;
}

/* An exchange by shifts may turn either way: each queue has its direction. */
static bool add_exchange(struct collecting *at, const struct phase *phase, bool is_xor)
{
    const struct exchange *exchange = &phase->schedule.exchange;
    uint32_t shape = shape_of(at->types, phase);
    for (uint32_t j = 0; j < exchange->period; j++) {
        uint32_t offset = exchange->step[j].offset;
        if (!add_step(at, shape, (struct message_step){phase, offset, is_xor, 0}))
            return false;
        if (!is_xor &&
            !add_step(at, shape, (struct message_step){phase, phase->n - offset, false, 0}))
            return false;
    }
    return true;
}

static bool add_program(struct collecting *at, const struct phase *phase)
{
    bool is_xor = phase->schedule.symmetry == SYMMETRY_XOR;
    uint32_t shape = shape_of(at->types, phase);
    const struct program *program = plan_program(at->types->book, phase, 0);
    for (uint32_t s = 0; s < program->count; s++) {
        const struct program_step *step = &program->step[s];
        if (step->op != STEP_SEND)
            continue;
        *at->why = "switches reduce";
        if (peer_is_network(step->peer))
            return false;
        if (!add_step(at, shape, (struct message_step){phase, step->peer, is_xor, 0}))
            return false;
    }
    return true;
}

/* The peers that position p sends to, appended to the part, each once. */
static bool add_peers(struct collecting *at, struct message_part *part, uint32_t p)
{
    const struct program *program = plan_program(at->types->book, part->phase, p);
    uint32_t first = part->begin[p], count = first;
    part->peer = realloc(part->peer, (first + program->count + 1) * sizeof *part->peer);
    need_memory(part->peer != NULL);
    for (uint32_t s = 0; s < program->count; s++) {
        const struct program_step *step = &program->step[s];
        *at->why = "switches reduce";
        if (step->op == STEP_SEND && peer_is_network(step->peer))
            return false;
        uint32_t i = first;
        while (i < count && part->peer[i] != step->peer)
            i++;
        if (step->op == STEP_SEND && i == count)
            part->peer[count++] = step->peer;
    }
    part->begin[p + 1] = count;
    *at->why = partition_too_many_routes;
    return count - first <= at->most;
}

/* Every position has its own part. */
static bool add_part(struct collecting *at, const struct phase *phase)
{
    struct message_pattern *pattern = &at->pattern;
    *at->why = "a collective's algorithm gives ranks different parts";
    if (phase->n > at->types->config->network.npu_count / 2 ||
        phase->algorithm == collective_algorithms[ALG_DOUBLE_BINARY_TREE])
        return false; /* its two trees take turns through the groups of a job */
    pattern->part = realloc(pattern->part, (pattern->part_count + 1) * sizeof *pattern->part);
    need_memory(pattern->part != NULL);
    struct message_part *part = &pattern->part[pattern->part_count++];
    *part = (struct message_part){.phase = phase};
    part->begin = calloc((size_t)phase->n + 1, sizeof *part->begin);
    need_memory(part->begin != NULL);
    for (uint32_t p = 0; p < phase->n; p++) {
        if (!add_peers(at, part, p))
            return false;
    }
    part->hash = mix_in((uint64_t)phase->n << 32 | phase->stride, 3);
    part->hash = hash_bytes(part->begin, (phase->n + 1) * sizeof *part->begin, part->hash);
    part->hash = hash_bytes(part->peer, part->begin[phase->n] * sizeof *part->peer, part->hash);
    pattern->hash += part->hash;
    return true;
}

bool message_types_is_free(const struct phase *phase)
{
    const struct exchange *exchange = &phase->schedule.exchange;
    return phase->schedule.form == SCHEDULE_EXCHANGE && is_power_of_two(phase->n) &&
           exchange->peer != PEER_FLIP && exchange->same_bytes &&
           exchange->period == phase->n - 1 && !exchange->gated &&
           exchange->parallel >= phase->n - 1;
}

static bool add_phase(struct collecting *at, const struct phase *phase)
{
    const struct schedule *schedule = &phase->schedule;
    if (schedule->form == SCHEDULE_PROGRAM)
        return schedule->symmetry == SYMMETRY_NONE ? add_part(at, phase) : add_program(at, phase);
    bool is_flip = schedule->exchange.peer == PEER_FLIP;
    bool is_xor = is_flip || (at->types->prefer_xor && message_types_is_free(phase));
    *at->why = "the group is no power of two";
    if (is_xor && !is_power_of_two(phase->n))
        return false;
    return add_exchange(at, phase, is_xor);
}

static bool add_plan(struct collecting *at, const struct plan_key *key)
{
    struct diag diag = DIAG_NONE;
    const struct chunk_plan *plan;
    promise(!plan_find(at->types->book, key, &plan, &diag)); /* prepare() has made it */
    for (uint32_t i = 0; i < plan->phase_count; i++) {
        if (!add_phase(at, &plan->phase[i]))
            return false;
    }
    return true;
}

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

static bool add_node(struct collecting *at, const struct trace_node *node, uint32_t group)
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
        if (!add_plan(at, &key))
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
    struct collecting at = {.types = types, .most = most, .why = why};
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
    for (uint32_t p = 0; p < types->pattern_count; p++) {
        for (uint32_t i = 0; i < types->pattern[p].part_count; i++) {
            free(types->pattern[p].part[i].begin);
            free(types->pattern[p].part[i].peer);
        }
        free(types->pattern[p].step);
        free(types->pattern[p].part);
    }
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
