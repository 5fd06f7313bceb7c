#include "workloads/text/text_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

enum { FIRST_ROOM = 256, NAME_BYTES = 256, PART_BITS = 2, PART_MASK = 3, GROUP_NAMES = 8 };

struct text_trace {
    struct trace trace; /* first: trace->destroy() frees the whole */
    struct arena arena;
    const char **layer_of; /* name of each node's layer */
    size_t node_room, parent_room, wait_room;
    uint32_t last_compute, pass;
    uint32_t *wait;
    uint32_t wait_count;
    const char *group_name[GROUP_NAMES];
    char name[NAME_BYTES];
};

static const char *const part_names[] = {
    [PART_FORWARD] = "forward",
    [PART_INPUT_GRADIENT] = "input-gradient",
    [PART_WEIGHT_GRADIENT] = "weight-gradient",
    [PART_RECOMPUTE] = "recompute",
};

static const char *name_of(struct trace *trace, uint32_t index)
{
    struct text_trace *text = (struct text_trace *)trace;
    const struct trace_node *node = &trace->node[index];
    bool is_collective = node->type == OP_COLLECTIVE;
    char pass[24] = "";
    if (node->name >> PART_BITS > 0)
        snprintf(pass, sizeof pass, "%" PRIu64 ".", node->name >> PART_BITS);
    snprintf(text->name, sizeof text->name, "%s%.200s.%s%s%s", pass, text->layer_of[index],
             part_names[node->name & PART_MASK], is_collective ? "." : "",
             is_collective ? collective_name((enum collective_kind)node->collective) : "");
    return text->name;
}

static void destroy(struct trace *trace)
{
    struct text_trace *text = (struct text_trace *)trace;
    free(trace->node);
    free(trace->parent_begin);
    free(trace->parent);
    free(text->layer_of);
    free(text->wait);
    arena_release(&text->arena);
    free(text);
}

struct text_trace *text_trace_create(const char *path, struct arena *arena)
{
    struct text_trace *text = calloc(1, sizeof *text);
    need_memory(text != NULL);
    text->trace = (struct trace){.path = path,
                                 .format = "text workload",
                                 .version = "",
                                 .schema = "",
                                 .group_names = text->group_name,
                                 .name_of = name_of,
                                 .destroy = destroy};
    text->arena = *arena; /* moved */
    text->last_compute = TRACE_NONE;
    text->trace.parent_begin = calloc(1, sizeof *text->trace.parent_begin);
    need_memory(text->trace.parent_begin != NULL);
    return text;
}

void text_trace_next_pass(struct text_trace *text)
{
    text->pass++;
}

static void *roomy(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    *room = *room > 0 ? 2 * *room : FIRST_ROOM;
    array = realloc(array, *room * size);
    need_memory(array != NULL);
    return array;
}

static void add_parent(struct text_trace *text, uint32_t parent)
{
    struct trace *trace = &text->trace;
    if (parent == TRACE_NONE)
        return;
    trace->parent =
        roomy(trace->parent, trace->data_edge_count, &text->parent_room, sizeof *trace->parent);
    trace->parent[trace->data_edge_count++] = parent;
}

/* Its parents are those added since the last node. */
static uint32_t add_node(struct text_trace *text, const char *layer, enum text_part part,
                         struct trace_node node)
{
    struct trace *trace = &text->trace;
    promise(trace->count < PARENT_INDEX);
    if (trace->count == text->node_room) {
        size_t room = text->node_room, same = room;
        trace->node = roomy(trace->node, trace->count, &room, sizeof *trace->node);
        text->layer_of = roomy(text->layer_of, trace->count, &same, sizeof *text->layer_of);
        trace->parent_begin =
            realloc(trace->parent_begin, (room + 1) * sizeof *trace->parent_begin);
        need_memory(trace->parent_begin != NULL);
        text->node_room = room;
    }
    uint32_t index = trace->count++;
    node.id = index;
    node.name = (uint64_t)text->pass << PART_BITS | part;
    node.shape = TRACE_NONE;
    trace->node[index] = node;
    text->layer_of[index] = layer;
    trace->parent_begin[index + 1] = trace->data_edge_count;
    return index;
}

/* Of a collective: the compute node it follows. */
static uint32_t only_parent(const struct text_trace *text, uint32_t index)
{
    const struct trace *trace = &text->trace;
    uint64_t at = trace->parent_begin[index];
    return at < trace->parent_begin[index + 1] ? trace->parent[at] : TRACE_NONE;
}

void text_trace_compute(struct text_trace *text, const char *layer, enum text_part part,
                        uint64_t duration_ns)
{
    /* what waits for a collective that began after the last compute node waits for that too */
    bool is_implied = false;
    for (uint32_t w = 0; w < text->wait_count; w++)
        is_implied |= only_parent(text, text->wait[w]) == text->last_compute;
    if (!is_implied)
        add_parent(text, text->last_compute);
    for (uint32_t w = 0; w < text->wait_count; w++)
        add_parent(text, text->wait[w]);
    text->wait_count = 0;
    text->last_compute = add_node(
        text, layer, part,
        (struct trace_node){.type = OP_COMPUTE, .duration_ns = duration_ns, .group = TRACE_NONE});
}

uint32_t text_trace_collective(struct text_trace *text, const char *layer, enum text_part part,
                               struct trace_node node)
{
    add_parent(text, text->last_compute);
    node.type = OP_COLLECTIVE;
    node.flags |= NODE_HAS_SIZE | NODE_HAS_KIND;
    return add_node(text, layer, part, node);
}

void text_trace_wait(struct text_trace *text, uint32_t index)
{
    if (index == TRACE_NONE)
        return;
    text->wait = roomy(text->wait, text->wait_count, &text->wait_room, sizeof *text->wait);
    text->wait[text->wait_count++] = index;
}

uint32_t text_trace_group(struct text_trace *text, const char *name, uint32_t ranks, uint32_t size,
                          uint32_t stride)
{
    struct trace *trace = &text->trace;
    for (uint32_t g = 0; g < trace->group_name_count; g++) {
        if (trace->group_names[g] == name)
            return g;
    }
    promise(trace->group_name_count < GROUP_NAMES && ranks % (size * stride) == 0);
    uint32_t more = ranks / size, count = trace->group_count;
    struct trace_group *groups = arena_array(&text->arena, count + (size_t)more, sizeof *groups);
    for (uint32_t g = 0; g < count; g++)
        groups[g] = trace->groups[g];
    uint32_t *member = arena_array(&text->arena, ranks, sizeof *member);
    for (uint32_t g = 0; g < more; g++) {
        uint32_t first = g / stride * stride * size + g % stride;
        groups[count + g] =
            (struct trace_group){.name = name, .ranks = member, .count = size, .is_family = true};
        for (uint32_t m = 0; m < size; m++)
            *member++ = first + m * stride;
    }
    trace->groups = groups;
    trace->group_count = count + more;
    text->group_name[trace->group_name_count] = name;
    return trace->group_name_count++;
}

struct trace *text_trace_finish(struct text_trace *text, uint64_t content_hash)
{
    struct trace *trace = &text->trace;
    trace->content_hash = content_hash;
    trace->resident_bytes =
        trace->count * (sizeof *trace->node + sizeof *text->layer_of + sizeof(uint64_t)) +
        trace->data_edge_count * sizeof *trace->parent;
    return trace;
}
