/*
 * in_network - switches that reduce and multicast for a group (model/collective.h, PEER_NETWORK).
 *
 * A *reduction* is one operation: one slot of one phase of one line of members. Its messages go link
 * by link between the nodes of the group's tree: up, where a switch waits for all its children, and
 * down from the root. Switches take no time of their own; each hop is a message of the network
 * model. For the totals a message is sent by a rank and has arrived at its first switch, or comes
 * from its last.
 */
#include "sched/state.h"

#include <string.h>

#include "sched/reduction_tree.h"

struct reduction {
    uint64_t up_bytes, down_bytes; /* that one member sends, that one member receives */
    uint64_t key;                  /* in sched->reduction_of */
    const struct reduction_tree *tree;
    uint32_t line_first; /* stream of phase position 0 */
    uint32_t stride;     /* streams between members */
    uint32_t slot;
    uint32_t left;     /* deliveries to come */
    uint32_t *arrived; /* [tree nodes]: children heard from */
    uint8_t phase;
    uint32_t next_free;
};

struct tree_entry {
    struct reduction_tree tree;
    uint64_t hash;
    struct tree_entry *next;
};

enum { NODE_BITS = 28, DOWN_BIT = 59 };

/* Event data: down << 59 | tree node << 28 .. | reduction. */
static uint64_t hop_payload(uint32_t reduction, uint32_t node, bool down)
{
    return engine_payload(EVENT_IN_NETWORK,
                          (uint64_t)down << DOWN_BIT | (uint64_t)node << NODE_BITS | reduction);
}

static struct reduction *reduction_at(const struct sched *sched, uint32_t index)
{
    return (struct reduction *)sched->in_network.reductions.base + index;
}

/* -- trees ------------------------------------------------------------------------------------ */

/* One fixed path to the root, also where messages are sprayed. */
static enum status make_routing(struct in_network *in, const struct network_config *network,
                                struct diag *diag)
{
    struct network_config fixed = *network;
    fixed.routing = ROUTING_AUTO;
    return routing_create(&in->routing, network->fabric, &fixed, diag);
}

/* The tree of the members, made on first use; NULL with a finding if there is none. */
static const struct reduction_tree *tree_of(struct sched *sched, const uint32_t *member,
                                            uint32_t count)
{
    struct in_network *in = &sched->in_network;
    uint64_t hash = hash_bytes(member, count * sizeof *member, 0);
    for (struct tree_entry *entry = in->tree; entry; entry = entry->next) {
        if (entry->hash == hash && entry->tree.members == count &&
            memcmp(entry->tree.node, member, count * sizeof *member) == 0)
            return &entry->tree;
    }
    const struct network_config *network = &sched->part.config->network;
    struct tree_entry *entry = arena_take(&sched->arena, sizeof *entry);
    enum status status = STATUS_OK;
    if (!network->fabric)
        status = diag_fail(&sched->finding, STATUS_BAD_CONFIG,
                           "reduction in the network needs a backend that sees links");
    else if (!in->routing)
        status = make_routing(in, network, &sched->finding);
    if (status == STATUS_OK)
        status = reduction_tree_make(&entry->tree, network->fabric, in->routing, member, count,
                                     &sched->arena, &sched->finding);
    if (status != STATUS_OK) {
        sched->part.engine->stop = true;
        return NULL;
    }
    entry->hash = hash;
    entry->next = in->tree;
    in->tree = entry;
    return &entry->tree;
}

/* -- reductions ------------------------------------------------------------------------------- */

/* The members of an operation: phase positions first, first + step, .. */
struct line {
    uint32_t first, step, count;
};

static struct line line_of(const struct phase *phase, uint32_t position, uint32_t peer)
{
    uint32_t domain = phase->request.dim[0];
    if (peer == PEER_DOMAIN)
        return (struct line){position - position % domain, 1, domain};
    if (peer == PEER_RAIL)
        return (struct line){position % domain, domain, phase->n / domain};
    return (struct line){0, 1, phase->n};
}

static const struct reduction_tree *members_tree(struct sched *sched, const struct stream *stream,
                                                 const struct phase *phase, const struct line *line)
{
    const struct instance *instance = instance_at(sched, stream->instance);
    size_t bytes = line->count * sizeof(uint32_t);
    uint32_t *member = block_take(sched, bytes);
    uint32_t start = stream->position - stream->phase_position * phase->stride;
    for (uint32_t i = 0; i < line->count; i++) {
        uint32_t position = start + (line->first + i * line->step) * phase->stride;
        member[i] = instance->ranks ? instance->ranks[position] : position;
    }
    const struct reduction_tree *tree = tree_of(sched, member, line->count);
    block_give(sched, member, bytes);
    return tree;
}

static uint32_t new_reduction(struct in_network *in)
{
    uint32_t index = in->free_reduction;
    if (index == NONE)
        return (uint32_t)grow_push(&in->reductions, 1);
    in->free_reduction = ((struct reduction *)in->reductions.base + index)->next_free;
    return index;
}

/* The operation that the step belongs to, begun by the first member that comes; NONE: no tree. */
static uint32_t reduction_of(struct sched *sched, const struct stream *stream,
                             const struct phase *phase, const struct line *line,
                             const struct program_step *step, uint64_t down_bytes)
{
    struct in_network *in = &sched->in_network;
    uint32_t line_first = stream->first_peer + line->first * phase->stride;
    uint64_t key = (uint64_t)stream->phase << 56 | (uint64_t)step->slot << 32 | line_first;
    uint32_t index = table_find(&in->reduction_of, key);
    if (index != TABLE_NONE)
        return index;
    const struct reduction_tree *tree = members_tree(sched, stream, phase, line);
    if (!tree)
        return NONE;
    index = new_reduction(in);
    *reduction_at(sched, index) = (struct reduction){
        .up_bytes = step->bytes,
        .down_bytes = down_bytes,
        .key = key,
        .tree = tree,
        .line_first = line_first,
        .stride = line->step * phase->stride,
        .slot = step->slot,
        .left = line->count,
        .arrived = block_take(sched, tree->count * sizeof(uint32_t)),
        .phase = stream->phase,
    };
    table_put(&in->reduction_of, key, index);
    return index;
}

static void end_reduction(struct sched *sched, uint32_t index)
{
    struct reduction *reduction = reduction_at(sched, index);
    table_remove(&sched->in_network.reduction_of, reduction->key);
    block_give(sched, reduction->arrived, reduction->tree->count * sizeof(uint32_t));
    reduction->next_free = sched->in_network.free_reduction;
    sched->in_network.free_reduction = index;
}

/* -- hops ------------------------------------------------------------------------------------- */

/* What comes down is more than what one sends: switches put together, and do not add up. */
static bool gathers(const struct reduction *reduction)
{
    return reduction->down_bytes > reduction->up_bytes;
}

static void send_up(struct sched *sched, uint32_t index, uint32_t from)
{
    const struct reduction *reduction = reduction_at(sched, index);
    const struct reduction_tree *tree = reduction->tree;
    uint32_t to = tree->parent[from];
    uint64_t bytes = reduction->up_bytes * (gathers(reduction) ? tree->below[from] : 1);
    sched->network->send(sched->net, tree->node[from], tree->node[to], bytes,
                         hop_payload(index, to, false));
}

/* To one child: a switch, or a member, whose receive it meets. */
static void send_down(struct sched *sched, uint32_t index, uint32_t from, uint32_t to)
{
    struct reduction *reduction = reduction_at(sched, index);
    const struct reduction_tree *tree = reduction->tree;
    bool scatters = reduction->down_bytes < reduction->up_bytes;
    uint64_t bytes = reduction->down_bytes * (scatters ? tree->below[to] : 1);
    uint64_t payload = hop_payload(index, to, true);
    if (to < tree->members) {
        reduction->left--;
        payload = ticket_of(EVENT_FROM_NETWORK, reduction->phase, reduction->slot,
                            reduction->line_first + to * reduction->stride);
    }
    sched->network->send(sched->net, tree->node[from], tree->node[to], bytes, payload);
}

static void go_down(struct sched *sched, uint32_t index, uint32_t node)
{
    const struct reduction_tree *tree = reduction_at(sched, index)->tree;
    for (uint32_t c = tree->first_child[node]; c < tree->first_child[node + 1]; c++)
        send_down(sched, index, node, tree->child[c]);
    if (!reduction_at(sched, index)->left)
        end_reduction(sched, index);
}

void in_network_on_hop(void *self, uint64_t payload)
{
    struct sched *sched = self;
    uint32_t index = payload & ((1u << NODE_BITS) - 1);
    uint32_t node = (uint32_t)(payload >> NODE_BITS) & ((1u << NODE_BITS) - 1);
    struct reduction *reduction = reduction_at(sched, index);
    const struct reduction_tree *tree = reduction->tree;
    sched->agenda.cause++;
    if (payload >> DOWN_BIT & 1) {
        go_down(sched, index, node);
        return;
    }
    if (++reduction->arrived[node] < tree->first_child[node + 1] - tree->first_child[node])
        return;
    if (node == tree->root)
        go_down(sched, index, node);
    else
        send_up(sched, index, node);
}

void in_network_send(struct sched *sched, struct stream *stream, const struct phase *phase,
                     const struct program_step *step, uint64_t down_bytes)
{
    struct line line = line_of(phase, stream->phase_position, step->peer);
    uint32_t index = reduction_of(sched, stream, phase, &line, step, down_bytes);
    if (index == NONE)
        return;
    uint32_t dim = phase->network_dim >= 0 ? (uint32_t)phase->network_dim : 0;
    sched->totals->messages_sent++;
    sched->totals->messages_arrived++;
    sched->totals->bytes_sent += step->bytes;
    sched->totals->bytes_arrived += step->bytes;
    sched->totals->dimension[dim].messages++;
    sched->totals->dimension[dim].bytes += step->bytes;
    send_up(sched, index, (stream->phase_position - line.first) / line.step);
}

/* -- life ------------------------------------------------------------------------------------- */

bool in_network_init(struct sched *sched)
{
    struct in_network *in = &sched->in_network;
    in->free_reduction = NONE;
    table_init(&in->reduction_of);
    return grow_init(&in->reductions, sizeof(struct reduction), 1u << NODE_BITS);
}

void in_network_release(struct sched *sched)
{
    struct in_network *in = &sched->in_network;
    if (in->routing)
        routing_destroy(in->routing);
    table_release(&in->reduction_of);
    grow_release(&in->reductions);
}
