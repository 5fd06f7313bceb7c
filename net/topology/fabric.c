#include "net/topology/fabric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/memory.h"
#include "base/table.h"
#include "net/topology/fabric_check.h"

/* A link as it was added; `pair` is the other direction of its cable. */
struct raw_link {
    uint32_t src, dst;
    uint32_t pair;
    uint32_t count;
    double bandwidth_Bps; /* of one cable */
    double latency_ns;
    uint8_t dim;
};

struct fabric_builder {
    struct arena arena; /* names; goes to the fabric */
    struct grow node;   /* struct fabric_node */
    struct grow link;   /* struct raw_link */
    uint32_t npu_count;
    uint32_t dim_count;
    struct fabric_dim dim[CONFIG_MAX_DIMS];
    struct notices notices; /* go to the fabric */
};

struct fabric_builder *fabric_builder_create(void)
{
    struct fabric_builder *builder = calloc(1, sizeof *builder);
    need_memory(builder);
    arena_init(&builder->arena);
    notices_init(&builder->notices);
    need_memory(grow_init(&builder->node, sizeof(struct fabric_node), FABRIC_MAX_NODES));
    need_memory(grow_init(&builder->link, sizeof(struct raw_link), FABRIC_MAX_LINKS));
    return builder;
}

void fabric_builder_destroy(struct fabric_builder *builder)
{
    if (!builder)
        return;
    grow_release(&builder->node);
    grow_release(&builder->link);
    notices_release(&builder->notices);
    arena_release(&builder->arena);
    free(builder);
}

uint32_t fabric_add_node(struct fabric_builder *builder, enum fabric_role role, const char *name)
{
    uint32_t number = (uint32_t)grow_push(&builder->node, 1);
    struct fabric_node *node = fabric_builder_node(builder, number);
    node->name = arena_text(&builder->arena, name, strlen(name));
    node->role = (uint8_t)role;
    if (role == ROLE_NPU) {
        promise(number == builder->npu_count);
        builder->npu_count++;
    }
    return number;
}

void fabric_add_npus(struct fabric_builder *builder, uint32_t count)
{
    char name[24];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "npu%u", builder->npu_count);
        fabric_add_node(builder, ROLE_NPU, name);
    }
}

struct notices *fabric_builder_notices(struct fabric_builder *builder)
{
    return &builder->notices;
}

struct fabric_node *fabric_builder_node(struct fabric_builder *builder, uint32_t node)
{
    promise(node < builder->node.count);
    return (struct fabric_node *)builder->node.base + node;
}

static struct raw_link *raw_at(struct fabric_builder *builder, uint32_t handle)
{
    promise(handle < builder->link.count);
    return (struct raw_link *)builder->link.base + handle;
}

uint32_t fabric_add_link(struct fabric_builder *builder, uint32_t src, uint32_t dst,
                         double bandwidth_Bps, double latency_ns, uint32_t dim)
{
    promise(src < builder->node.count && dst < builder->node.count && dim < CONFIG_MAX_DIMS);
    uint32_t handle = (uint32_t)grow_push(&builder->link, 1);
    *raw_at(builder, handle) = (struct raw_link){.src = src,
                                                 .dst = dst,
                                                 .pair = FABRIC_NONE,
                                                 .count = 1,
                                                 .bandwidth_Bps = bandwidth_Bps,
                                                 .latency_ns = latency_ns,
                                                 .dim = (uint8_t)dim};
    return handle;
}

uint32_t fabric_add_cable(struct fabric_builder *builder, uint32_t a, uint32_t b,
                          double bandwidth_Bps, double latency_ns, uint32_t dim)
{
    uint32_t there = fabric_add_link(builder, a, b, bandwidth_Bps, latency_ns, dim);
    uint32_t back = fabric_add_link(builder, b, a, bandwidth_Bps, latency_ns, dim);
    raw_at(builder, there)->pair = back;
    raw_at(builder, back)->pair = there;
    return there;
}

void fabric_set_count(struct fabric_builder *builder, uint32_t handle, uint32_t count)
{
    struct raw_link *link = raw_at(builder, handle);
    link->count = count;
    if (link->pair != FABRIC_NONE)
        raw_at(builder, link->pair)->count = count;
}

void fabric_add_dim(struct fabric_builder *builder, struct fabric_dim dim)
{
    promise(builder->dim_count < CONFIG_MAX_DIMS);
    builder->dim[builder->dim_count++] = dim;
}

/* -- finishing ------------------------------------------------------------------------------- */

/* Order of the raw links by source node, as added within a node: a counting sort. */
static uint32_t *sort_by_source(const struct raw_link *raw, size_t count, uint32_t node_count)
{
    uint32_t *order = malloc((count + 1) * sizeof *order);
    uint32_t *next = calloc((size_t)node_count + 1, sizeof *next);
    need_memory(order && next);
    for (size_t i = 0; i < count; i++)
        next[raw[i].src + 1]++;
    for (uint32_t v = 0; v < node_count; v++)
        next[v + 1] += next[v];
    for (size_t i = 0; i < count; i++)
        order[next[raw[i].src]++] = (uint32_t)i;
    free(next);
    return order;
}

static enum status differs(const struct fabric *fabric, const struct raw_link *raw,
                           struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "parallel links from %s to %s differ in latency",
              fabric->node[raw->src].name, fabric->node[raw->dst].name);
    diag_hint(diag, "give parallel links one latency, or put a switch in each");
    return diag->status;
}

/*
 * Numbers the links and merges parallel ones. final_of[raw] is the link a raw one became. `seen`
 * has, per node, the link of the present source that leads there, if it is one of the present
 * source's.
 */
static enum status number_links(struct fabric *fabric, struct fabric_builder *builder,
                                const uint32_t *order, uint32_t *final_of, struct diag *diag)
{
    size_t raw_count = builder->link.count;
    uint32_t *seen = malloc(((size_t)fabric->node_count + 1) * sizeof *seen);
    need_memory(seen);
    memset(seen, 0xff, ((size_t)fabric->node_count + 1) * sizeof *seen);
    uint32_t count = 0, first = 0, source = FABRIC_NONE;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < raw_count && status == STATUS_OK; i++) {
        const struct raw_link *raw = raw_at(builder, order[i]);
        if (raw->src != source) {
            source = raw->src;
            first = count;
        }
        uint32_t *slot = &seen[raw->dst];
        if (*slot == FABRIC_NONE || *slot < first) {
            *slot = count++;
            fabric->link[*slot] = (struct fabric_link){.src = raw->src,
                                                       .dst = raw->dst,
                                                       .reverse = FABRIC_NONE,
                                                       .latency_ns = raw->latency_ns,
                                                       .dim = raw->dim};
            fabric->first_link[raw->src + 1]++;
        }
        struct fabric_link *link = &fabric->link[*slot];
        link->count += raw->count;
        link->bandwidth_Bps += raw->bandwidth_Bps * raw->count;
        if (link->latency_ns != raw->latency_ns)
            status = differs(fabric, raw, diag);
        final_of[order[i]] = *slot;
    }
    for (uint32_t v = 0; v < fabric->node_count; v++)
        fabric->first_link[v + 1] += fabric->first_link[v];
    fabric->link_count = count;
    free(seen);
    return status;
}

/*
 * Links that were added one by one find their ways back: node by node, `slot` has the link to each
 * neighbour, and every link in is given its own. O(nodes + links), however many links a node has.
 */
static void find_ways_back(struct fabric *fabric)
{
    uint32_t nodes = fabric->node_count;
    uint32_t *next = calloc((size_t)nodes + 2, sizeof *next);
    uint32_t *in = malloc(((size_t)fabric->link_count + 1) * sizeof *in);
    uint32_t *slot = malloc(((size_t)nodes + 1) * sizeof *slot);
    need_memory(next && in && slot);
    memset(slot, 0xff, ((size_t)nodes + 1) * sizeof *slot);
    for (uint32_t i = 0; i < fabric->link_count; i++)
        next[fabric->link[i].dst + 2]++;
    for (uint32_t v = 0; v < nodes; v++)
        next[v + 2] += next[v + 1];
    for (uint32_t i = 0; i < fabric->link_count; i++)
        in[next[fabric->link[i].dst + 1]++] = i;
    for (uint32_t v = 0; v < nodes; v++) {
        for (uint32_t i = fabric->first_link[v]; i < fabric->first_link[v + 1]; i++)
            slot[fabric->link[i].dst] = i;
        for (uint32_t k = next[v]; k < next[v + 1]; k++) {
            struct fabric_link *link = &fabric->link[in[k]];
            if (link->reverse == FABRIC_NONE)
                link->reverse = slot[link->src];
        }
        for (uint32_t i = fabric->first_link[v]; i < fabric->first_link[v + 1]; i++)
            slot[fabric->link[i].dst] = FABRIC_NONE;
    }
    free(next);
    free(in);
    free(slot);
}

static void pair_links(struct fabric *fabric, struct fabric_builder *builder,
                       const uint32_t *final_of)
{
    bool alone = false;
    for (uint32_t i = 0; i < builder->link.count; i++) {
        uint32_t pair = raw_at(builder, i)->pair;
        if (pair != FABRIC_NONE)
            fabric->link[final_of[i]].reverse = final_of[pair];
        else
            alone = true;
    }
    if (alone)
        find_ways_back(fabric);
}

static enum status take_links(struct fabric *fabric, struct fabric_builder *builder,
                              struct diag *diag)
{
    size_t count = builder->link.count;
    uint32_t *order = sort_by_source(builder->link.base, count, fabric->node_count);
    uint32_t *final_of = malloc((count + 1) * sizeof *final_of);
    need_memory(final_of);
    fabric->link = arena_array(&fabric->arena, count + 1, sizeof *fabric->link);
    fabric->first_link =
        arena_array(&fabric->arena, (size_t)fabric->node_count + 1, sizeof *fabric->first_link);
    enum status status = number_links(fabric, builder, order, final_of, diag);
    if (status == STATUS_OK)
        pair_links(fabric, builder, final_of);
    free(order);
    free(final_of);
    return status;
}

/* A graph without structure has one dimension, with the figures of rank 0's widest link. */
static void take_dims(struct fabric *fabric, const struct fabric_builder *builder)
{
    fabric->dim_count = builder->dim_count;
    memcpy(fabric->dim, builder->dim, sizeof fabric->dim);
    if (fabric->dim_count > 0)
        return;
    fabric->dim_count = 1;
    fabric->dim[0] =
        (struct fabric_dim){.kind = FABRIC_GRAPH, .npus = fabric->npu_count, .stride = 1};
    for (uint32_t i = 0; i < fabric->first_link[1]; i++) {
        const struct fabric_link *link = &fabric->link[i];
        if (link->bandwidth_Bps > fabric->dim[0].bandwidth_Bps) {
            fabric->dim[0].bandwidth_Bps = link->bandwidth_Bps;
            fabric->dim[0].latency_ns = link->latency_ns;
        }
    }
}

enum status fabric_finish(struct fabric_builder *builder, const char *text, struct fabric **fabric,
                          struct diag *diag)
{
    struct fabric *made = calloc(1, sizeof *made);
    need_memory(made);
    made->arena = builder->arena;
    made->notices = builder->notices;
    notices_init(&builder->notices);
    arena_init(&builder->arena);
    made->text = arena_text(&made->arena, text, strlen(text));
    made->npu_count = builder->npu_count;
    made->node_count = (uint32_t)builder->node.count;
    made->node = arena_array(&made->arena, (size_t)made->node_count + 1, sizeof *made->node);
    if (made->node_count > 0)
        memcpy(made->node, builder->node.base, made->node_count * sizeof *made->node);
    enum status status = take_links(made, builder, diag);
    if (status == STATUS_OK) {
        take_dims(made, builder);
        status = fabric_check(made, diag);
    }
    fabric_builder_destroy(builder);
    if (status != STATUS_OK) {
        fabric_destroy(made);
        return status;
    }
    *fabric = made;
    return STATUS_OK;
}

void fabric_destroy(struct fabric *fabric)
{
    if (!fabric)
        return;
    for (uint32_t d = 0; d < CONFIG_MAX_DIMS; d++)
        if (fabric->factor[d].fabric)
            fabric_destroy(fabric->factor[d].fabric); /* one level: a factor has none itself */
    notices_release(&fabric->notices);
    arena_release(&fabric->arena);
    free(fabric);
}

/* -- asking ---------------------------------------------------------------------------------- */

static uint32_t degree(const struct fabric *fabric, uint32_t node)
{
    return fabric->first_link[node + 1] - fabric->first_link[node];
}

uint32_t fabric_find_link(const struct fabric *fabric, uint32_t src, uint32_t dst)
{
    /* A hub has many links: ask the other end first. */
    if (degree(fabric, src) > degree(fabric, dst)) {
        for (uint32_t i = fabric->first_link[dst]; i < fabric->first_link[dst + 1]; i++)
            if (fabric->link[i].dst == src && fabric->link[i].reverse != FABRIC_NONE)
                return fabric->link[i].reverse;
    }
    for (uint32_t i = fabric->first_link[src]; i < fabric->first_link[src + 1]; i++)
        if (fabric->link[i].dst == dst)
            return i;
    return FABRIC_NONE;
}

uint32_t fabric_find_node(const struct fabric *fabric, const char *name)
{
    for (uint32_t v = 0; v < fabric->node_count; v++)
        if (strcmp(fabric->node[v].name, name) == 0)
            return v;
    return FABRIC_NONE;
}

const char *fabric_kind_name(unsigned kind)
{
    static const char *const names[FABRIC_KIND_COUNT] = {
        [FABRIC_RING] = "ring",     [FABRIC_LINE] = "line", [FABRIC_FULL] = "full",
        [FABRIC_SWITCH] = "switch", [FABRIC_TREE] = "tree", [FABRIC_GRAPH] = "graph"};
    return kind < FABRIC_KIND_COUNT ? names[kind] : "?";
}
