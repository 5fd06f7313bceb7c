#include "sched/in_network.h"

#include <string.h>

#include "sched/reduction_tree.h"

struct reduction {
    uint64_t up_bytes, down_bytes; /* that one member sends, that one member receives */
    uint64_t key;                  /* in sched->reduction_of */
    const struct reduction_tree *tree;
    uint32_t line_first; /* stream of phase position 0 */
    uint32_t stride;     /* streams between members */
    uint32_t slot;
    uint32_t left;           /* deliveries to come */
    uint32_t up_pending;     /* data on its way up, or not yet sent */
    struct node_state *node; /* [tree nodes] */
    uint8_t phase;
    uint32_t next_free;
};

struct tree_entry {
    struct reduction_tree tree;
    uint64_t hash;
    struct tree_entry *next;
};

struct node_state {
    uint32_t heads; /* heard from children */
    bool has_data;  /* what comes down to it has come */
    bool has_tail;  /* .. and the end of it: reductions of which less comes down */
    bool is_ready;  /* .. and so for all above it, and all data has come up */
};

enum hop { HEAD_UP, DATA_UP, HEAD_DOWN, DATA_DOWN, TAIL_DOWN };
enum { NODE_BITS = 28, HOP_SHIFT = 56, HOP_MASK = 7 };

/* Event data: hop << 56 | tree node it comes to << 28 | reduction. */
static uint64_t hop_payload(uint32_t reduction, uint32_t node, enum hop hop)
{
    return engine_payload(EVENT_IN_NETWORK,
                          (uint64_t)hop << HOP_SHIFT | (uint64_t)node << NODE_BITS | reduction);
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

static const struct reduction_tree *members_tree(struct sched *sched, const struct stream *stream,
                                                 const struct phase *phase,
                                                 const struct network_members *line)
{
    const struct instance *instance = instance_at(sched, stream->instance);
    size_t bytes = line->count * sizeof(uint32_t);
    uint32_t *member = block_take(sched, bytes);
    uint32_t start = stream->position - stream->phase_position * phase->stride;
    for (uint32_t i = 0; i < line->count; i++) {
        uint32_t position = start + (line->first + i * line->stride) * phase->stride;
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
                             const struct phase *phase, const struct network_members *line,
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
        .stride = line->stride * phase->stride,
        .slot = step->slot,
        .left = line->count,
        .up_pending = tree->count - 1,
        .node = block_take(sched, tree->count * sizeof(struct node_state)),
        .phase = stream->phase,
    };
    table_put(&in->reduction_of, key, index);
    return index;
}

static void end_reduction(struct sched *sched, uint32_t index)
{
    struct reduction *reduction = reduction_at(sched, index);
    table_remove(&sched->in_network.reduction_of, reduction->key);
    block_give(sched, reduction->node, reduction->tree->count * sizeof(struct node_state));
    reduction->next_free = sched->in_network.free_reduction;
    sched->in_network.free_reduction = index;
}

/* -- hops ------------------------------------------------------------------------------------- */

/* What comes down is more than what one sends: switches put together, and do not add up. */
static bool gathers(const struct reduction *reduction)
{
    return reduction->down_bytes > reduction->up_bytes;
}

/* What comes down is less: each member gets its part. */
static bool scatters(const struct reduction *reduction)
{
    return reduction->down_bytes < reduction->up_bytes;
}

/* One message of a reduction between neighbours of its tree. */
static void send_hop(struct sched *sched, uint32_t index, uint32_t from, uint32_t to,
                     uint64_t bytes, enum hop hop)
{
    const struct reduction_tree *tree = reduction_at(sched, index)->tree;
    sched->network->send(sched->net, tree->node[from], tree->node[to], bytes,
                         hop_payload(index, to, hop));
}

static void start_up(struct sched *sched, uint32_t index, uint32_t from)
{
    const struct reduction *reduction = reduction_at(sched, index);
    const struct reduction_tree *tree = reduction->tree;
    uint64_t bytes = reduction->up_bytes * (gathers(reduction) ? tree->below[from] : 1);
    send_hop(sched, index, from, tree->parent[from], 0, HEAD_UP);
    send_hop(sched, index, from, tree->parent[from], bytes, DATA_UP);
}

static void start_down(struct sched *sched, uint32_t index, uint32_t from)
{
    const struct reduction *reduction = reduction_at(sched, index);
    const struct reduction_tree *tree = reduction->tree;
    for (uint32_t c = tree->first_child[from]; c < tree->first_child[from + 1]; c++) {
        uint32_t to = tree->child[c];
        uint64_t bytes = reduction->down_bytes * (scatters(reduction) ? tree->below[to] : 1);
        if (to >= tree->members)
            send_hop(sched, index, from, to, 0, HEAD_DOWN);
        send_hop(sched, index, from, to, bytes, DATA_DOWN);
    }
}

static void deliver(struct sched *sched, struct reduction *reduction, uint32_t member)
{
    uint32_t stream = reduction->line_first + member * reduction->stride;
    reduction->left--;
    engine_push(sched->part.engine, now_of(sched),
                ticket_of(EVENT_FROM_NETWORK, reduction->phase, reduction->slot, stream));
}

/* Has all come that the node needs before it is ready? */
static bool is_due(const struct reduction *reduction, uint32_t node)
{
    uint32_t parent = reduction->tree->parent[node];
    const struct node_state *state = &reduction->node[node];
    if (reduction->up_pending > 0 || state->is_ready)
        return false;
    if (parent == TREE_ROOT)
        return true;
    return state->has_data &&
           (scatters(reduction) ? state->has_tail : reduction->node[parent].is_ready);
}

/* Data has come to the tree node: it and what is below it may have become ready. */
static void settle(struct sched *sched, uint32_t index, uint32_t node)
{
    struct reduction *reduction = reduction_at(sched, index);
    const struct reduction_tree *tree = reduction->tree;
    size_t bytes = tree->count * sizeof(uint32_t);
    uint32_t *waiting = block_take(sched, bytes);
    uint32_t count = 0;
    waiting[count++] = node;
    while (count > 0) {
        uint32_t at = waiting[--count];
        if (!is_due(reduction, at))
            continue;
        reduction->node[at].is_ready = true;
        if (at < tree->members)
            deliver(sched, reduction, at);
        for (uint32_t c = tree->first_child[at]; c < tree->first_child[at + 1]; c++) {
            if (scatters(reduction))
                send_hop(sched, index, at, tree->child[c], 0, TAIL_DOWN);
            else
                waiting[count++] = tree->child[c];
        }
    }
    block_give(sched, waiting, bytes);
    if (!reduction->left)
        end_reduction(sched, index);
}

/* The head from a child: with the last of them the stream goes on. */
static void hear_head(struct sched *sched, uint32_t index, uint32_t node)
{
    struct reduction *reduction = reduction_at(sched, index);
    const struct reduction_tree *tree = reduction->tree;
    if (++reduction->node[node].heads < tree->first_child[node + 1] - tree->first_child[node])
        return;
    if (node == tree->root)
        start_down(sched, index, node);
    else
        start_up(sched, index, node);
}

void in_network_on_hop(void *self, uint64_t payload)
{
    struct sched *sched = self;
    uint32_t index = payload & ((1u << NODE_BITS) - 1);
    uint32_t node = (uint32_t)(payload >> NODE_BITS) & ((1u << NODE_BITS) - 1);
    struct reduction *reduction = reduction_at(sched, index);
    sched->agenda.cause++;
    switch ((enum hop)(payload >> HOP_SHIFT & HOP_MASK)) {
    case HEAD_UP:
        hear_head(sched, index, node);
        break;
    case DATA_UP:
        if (--reduction->up_pending == 0)
            settle(sched, index, reduction->tree->root);
        break;
    case HEAD_DOWN:
        start_down(sched, index, node);
        break;
    case DATA_DOWN:
        reduction->node[node].has_data = true;
        settle(sched, index, node);
        break;
    case TAIL_DOWN:
        reduction->node[node].has_tail = true;
        settle(sched, index, node);
        break;
    }
}

void in_network_send(struct sched *sched, struct stream *stream, const struct phase *phase,
                     const struct program_step *step, uint64_t down_bytes)
{
    struct network_members line =
        schedule_members(&phase->request, step->peer, stream->phase_position);
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
    start_up(sched, index, (stream->phase_position - line.first) / line.stride);
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
