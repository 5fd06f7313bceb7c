#include "run/fold_groups.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/table.h"

/* -- groups ----------------------------------------------------------------------------------- */

struct building {
    struct fold_groups *made;
    const struct groups *groups;
    const struct classes *of_ranks, *of_groups;
    const struct message_types *types;
    uint32_t *stamp; /* [classes of ranks] the last group in which one was seen, + 1 */
    uint32_t *class; /* [classes of ranks] those of the group */
    const char **why;
};

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Classes of the members of `group`, ascending, into `building->class`. */
static uint32_t classes_of(struct building *building, uint32_t group)
{
    const struct comm_group *members = &building->groups->table.group[group];
    uint32_t count = 0;
    for (uint32_t p = 0; p < members->count; p++) {
        uint32_t class = building->of_ranks->of[members->ranks[p]];
        if (building->stamp[class] == group + 1)
            continue;
        building->stamp[class] = group + 1;
        building->class[count++] = class;
    }
    qsort(building->class, count, sizeof *building->class, compare_numbers);
    return count;
}

/* The one group of class `class` that `rank` is in; UINT32_MAX: there are several, or none. */
static uint32_t group_of_rank(const struct building *building, uint32_t rank, uint32_t class)
{
    uint32_t found = UINT32_MAX;
    for (uint32_t s = 0, slots = message_types_slots(building->types, rank); s < slots; s++) {
        uint32_t group = message_types_group(building->types, rank, s);
        if (building->of_groups->of[group] != class)
            continue;
        if (found != UINT32_MAX)
            return UINT32_MAX;
        found = group;
    }
    return found;
}

static bool fill_seat(const struct building *building, struct fold_seat *seat, uint32_t class)
{
    uint32_t rank = building->of_ranks->first[seat->class];
    uint32_t group = group_of_rank(building, rank, class);
    *building->why = "a group has members that do not use it, or a rank is in two that look alike";
    if (group == UINT32_MAX)
        return false;
    seat->position = groups_position(building->groups, group, rank);
    seat->ranks = building->groups->table.group[group].ranks;
    return true;
}

static bool is_used(const struct building *building, uint32_t group)
{
    const struct comm_group *members = &building->groups->table.group[group];
    return building->types &&
           message_types_slot_of(building->types, members->ranks[0], group) != UINT32_MAX;
}

static bool build_group(struct building *building, uint32_t class)
{
    uint32_t lead = building->of_groups->first[class];
    bool is_world = building->groups->table.group[lead].is_world;
    struct fold_group *group = &building->made->group[class];
    *group = (struct fold_group){.lead = lead, .groups = building->of_groups->size[class]};
    if (!is_world && !is_used(building, lead))
        return true;
    group->count = classes_of(building, lead);
    group->seat = arena_array(&building->made->arena, group->count, sizeof *group->seat);
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t seat_class = building->class[i];
        group->seat[i] = (struct fold_seat){.class = seat_class,
                                            .position = building->of_ranks->first[seat_class]};
        if (!is_world && !fill_seat(building, &group->seat[i], class))
            return false;
    }
    return true;
}

bool fold_groups_init(struct fold_groups *made, const struct groups *groups,
                      const struct classes *of_ranks, const struct classes *of_groups,
                      const struct message_types *types, const char **why)
{
    *made = (struct fold_groups){.count = of_groups->count};
    arena_init(&made->arena);
    made->group = arena_array(&made->arena, made->count, sizeof *made->group);
    struct building building = {
        .made = made,
        .groups = groups,
        .of_ranks = of_ranks,
        .of_groups = of_groups,
        .types = types,
        .stamp = calloc(of_ranks->count + 1, sizeof(uint32_t)),
        .class = calloc(of_ranks->count + 1, sizeof(uint32_t)),
        .why = why,
    };
    need_memory(building.stamp && building.class);
    bool is_fine = true;
    for (uint32_t c = 0; c < of_groups->count && is_fine; c++)
        is_fine = build_group(&building, c);
    free(building.stamp);
    free(building.class);
    return is_fine;
}

void fold_groups_release(struct fold_groups *made)
{
    arena_release(&made->arena);
    *made = (struct fold_groups){.group = NULL};
}

/* -- messages --------------------------------------------------------------------------------- */

enum { MOST_PEERS = 256 }; /* of a rank; all pairs of them are looked at */

static const struct trace_shape *shape_of(const struct message_types *types, uint32_t rank)
{
    return &types->job->of_trace[types->workload->trace_of_rank[rank]];
}

/* What `rank` sends to and hears from `peer`, over all slots that mean it. */
static struct peer_slot between(const struct message_types *types, uint32_t rank, uint32_t peer)
{
    const struct trace_shape *shape = shape_of(types, rank);
    struct peer_slot sum = {.sent = 0};
    for (uint32_t s = 0; s < shape->peer_count; s++) {
        if (message_types_peer(types, rank, s) != peer)
            continue;
        sum.sent += shape->peer[s].sent;
        sum.received += shape->peer[s].received;
    }
    return sum;
}

static bool is_answered(const struct message_types *types, uint32_t rank, uint32_t peer)
{
    struct peer_slot own = between(types, rank, peer), other = between(types, peer, rank);
    return own.sent == other.received && own.received == other.sent;
}

/* Does the rank, which stands for its class, use one tag and size with two peers of one class? */
static bool is_ambiguous(const struct message_types *types, const struct classes *of_ranks,
                         uint32_t rank)
{
    uint32_t trace = types->workload->trace_of_rank[rank];
    const struct trace *nodes = types->workload->traces[trace];
    struct table peer_of;
    bool found = false;
    table_init(&peer_of);
    for (uint32_t i = 0; i < nodes->count && !found; i++) {
        const struct trace_node *node = &nodes->node[i];
        if (node->type != OP_SEND && node->type != OP_RECV)
            continue;
        uint32_t peer = groups_peer(types->groups, trace, node, rank);
        const uint64_t key[] = {(uint64_t)of_ranks->of[peer] << 32 | node->tag, node->size_bytes,
                                node->type};
        uint32_t before = table_put(&peer_of, hash_bytes(key, sizeof key, 0), peer);
        found = before != TABLE_NONE && before != peer;
    }
    table_release(&peer_of);
    return found;
}

static bool has_two_of_a_class(const struct message_types *types, const struct classes *of_ranks,
                               uint32_t rank)
{
    uint32_t count = shape_of(types, rank)->peer_count;
    for (uint32_t a = 0; a < count; a++) {
        uint32_t one = message_types_peer(types, rank, a);
        for (uint32_t b = a + 1; b < count; b++) {
            uint32_t other = message_types_peer(types, rank, b);
            if (one != other && of_ranks->of[one] == of_ranks->of[other])
                return true;
        }
    }
    return false;
}

bool fold_messages_match(const struct message_types *types, const struct classes *of_ranks,
                         const char **why)
{
    for (uint32_t r = 0; r < of_ranks->things; r++) {
        uint32_t peers = shape_of(types, r)->peer_count;
        *why = "a rank has messages with too many others";
        if (peers > MOST_PEERS)
            return false;
        *why = "a message is sent that its receiver does not ask for, or asked for and not sent";
        for (uint32_t s = 0; s < peers; s++) {
            if (!is_answered(types, r, message_types_peer(types, r, s)))
                return false;
        }
    }
    *why = "a rank has messages of one tag and size with two ranks of one class";
    for (uint32_t c = 0; c < of_ranks->count; c++) {
        uint32_t rank = of_ranks->first[c];
        if (has_two_of_a_class(types, of_ranks, rank) && is_ambiguous(types, of_ranks, rank))
            return false;
    }
    return true;
}
