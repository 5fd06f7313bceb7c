#include "workloads/generate/job_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/table.h"
#include "workloads/generate/job_groups.h"

enum { NAME_BYTES = 160, LABEL_BITS = 12, LAYER_BITS = 16, BATCH_BITS = 32 };

struct job_trace {
    struct trace trace; /* first: trace->destroy() frees the whole */
    uint32_t node_room, shape_room, life_room;
    uint64_t parent_room;
    const char **label; /* constant texts of names */
    uint32_t label_count, label_room;
    struct table label_of; /* address of the text -> label */
    struct table shape_of; /* hash of the shape -> shape */
    const char *group_name[GROUP_KIND_COUNT];
    uint32_t group_of_kind[GROUP_KIND_COUNT];
    char path[24];
    char name[NAME_BYTES]; /* the one asked for last */
};

/* An array with room for one more element. */
static void *roomy(void *array, uint64_t count, uint64_t room, size_t size)
{
    if (count < room)
        return array;
    array = realloc(array, 2 * room * size);
    need_memory(array != NULL);
    return array;
}

#define MAKE_ROOM(array, count, room)                                                              \
    do {                                                                                           \
        (array) = roomy((array), (count), (room), sizeof *(array));                                \
        if ((count) == (room))                                                                     \
            (room) *= 2;                                                                           \
    } while (0)

/* -- names ---------------------------------------------------------------------------------- */

static uint32_t label_of(struct job_trace *job, const char *text)
{
    uint32_t label = table_find(&job->label_of, (uintptr_t)text);
    if (label != TABLE_NONE)
        return label;
    MAKE_ROOM(job->label, job->label_count, job->label_room);
    job->label[job->label_count] = text;
    table_put(&job->label_of, (uintptr_t)text, job->label_count);
    promise(job->label_count < 1u << LABEL_BITS);
    return job->label_count++;
}

/* pass (4 bits), label, layer + 1, micro-batch */
static uint64_t pack_name(uint32_t label, struct job_place place)
{
    uint64_t layer = place.layer == TRACE_NONE ? 0 : place.layer + (uint64_t)1;
    promise(layer < 1u << LAYER_BITS);
    return ((uint64_t)place.pass << LABEL_BITS | label) << (LAYER_BITS + BATCH_BITS) |
           layer << BATCH_BITS | place.micro_batch;
}

static const char *name_of(struct trace *trace, uint32_t index)
{
    static const char *const passes[] = {
#define X(name, text) [name] = text,
        JOB_PASS_LIST(X)
#undef X
    };
    struct job_trace *job = (struct job_trace *)trace;
    uint64_t name = trace->node[index].name;
    uint32_t micro_batch = (uint32_t)name;
    uint32_t layer = name >> BATCH_BITS & ((1u << LAYER_BITS) - 1);
    uint32_t label = name >> (LAYER_BITS + BATCH_BITS) & ((1u << LABEL_BITS) - 1);
    enum job_pass pass = (enum job_pass)(name >> (LAYER_BITS + BATCH_BITS + LABEL_BITS));
    int at = 0;
    if (pass != PASS_STEP)
        at = snprintf(job->name, NAME_BYTES, "mb%u.", micro_batch);
    at += snprintf(job->name + at, NAME_BYTES - (size_t)at, "%s.", passes[pass]);
    if (layer)
        at += snprintf(job->name + at, NAME_BYTES - (size_t)at, "layer%u.", layer - 1);
    snprintf(job->name + at, NAME_BYTES - (size_t)at, "%s", job->label[label]);
    return job->name;
}

/* -- life ----------------------------------------------------------------------------------- */

static void destroy(struct trace *trace)
{
    struct job_trace *job = (struct job_trace *)trace;
    table_release(&job->label_of);
    table_release(&job->shape_of);
    free(trace->node);
    free(trace->parent_begin);
    free(trace->parent);
    free(trace->shape);
    free(trace->life);
    free(job->label);
    free(job);
}

struct job_trace *job_trace_create(void)
{
    struct job_trace *job = calloc(1, sizeof *job);
    need_memory(job != NULL);
    *job = (struct job_trace){.node_room = 1024,
                              .shape_room = 64,
                              .life_room = 256,
                              .parent_room = 2048,
                              .label_room = 64};
    struct trace *trace = &job->trace;
    trace->node = malloc(job->node_room * sizeof *trace->node);
    trace->parent_begin = malloc((job->node_room + (size_t)1) * sizeof *trace->parent_begin);
    trace->parent = malloc(job->parent_room * sizeof *trace->parent);
    trace->shape = malloc(job->shape_room * sizeof *trace->shape);
    trace->life = malloc(job->life_room * sizeof *trace->life);
    job->label = malloc(job->label_room * sizeof *job->label);
    need_memory(trace->node && trace->parent_begin && trace->parent && trace->shape &&
                trace->life && job->label);
    trace->parent_begin[0] = 0;
    table_init(&job->label_of);
    table_init(&job->shape_of);
    for (int kind = 0; kind < GROUP_KIND_COUNT; kind++)
        job->group_of_kind[kind] = TRACE_NONE;
    return job;
}

/* -- nodes ---------------------------------------------------------------------------------- */

static uint32_t shape_of(struct job_trace *job, const struct op_shape *shape)
{
    struct trace *trace = &job->trace;
    uint64_t hash = hash_bytes(shape, sizeof *shape, 0);
    uint32_t found;
    while ((found = table_find(&job->shape_of, hash)) != TABLE_NONE) {
        if (memcmp(&trace->shape[found], shape, sizeof *shape) == 0)
            return found;
        hash++;
    }
    MAKE_ROOM(trace->shape, trace->shape_count, job->shape_room);
    trace->shape[trace->shape_count] = *shape;
    table_put(&job->shape_of, hash, trace->shape_count);
    return trace->shape_count++;
}

static void set_shape(struct job_trace *job, struct trace_node *node, const struct op_shape *shape)
{
    node->shape = shape_of(job, shape);
    node->flop_count = shape->flops;
    node->size_bytes = shape->read_bytes + shape->write_bytes;
    node->flags |= NODE_HAS_FLOPS | NODE_HAS_SIZE;
}

static void add_parents(struct job_trace *job, uint32_t index, const uint32_t *parent,
                        uint32_t count)
{
    struct trace *trace = &job->trace;
    uint64_t at = trace->parent_begin[index];
    for (uint32_t i = 0; i < count; i++) {
        promise(parent[i] < index);
        MAKE_ROOM(trace->parent, at, job->parent_room);
        trace->parent[at++] = parent[i];
    }
    trace->parent_begin[index + 1] = at;
    trace->data_edge_count += count;
}

uint32_t job_trace_add(struct job_trace *job, const char *text, struct job_place place,
                       struct trace_node node, const struct op_shape *shape, const uint32_t *parent,
                       uint32_t parent_count)
{
    struct trace *trace = &job->trace;
    uint32_t index = trace->count;
    promise(index < PARENT_INDEX);
    if (index == job->node_room) {
        uint32_t room = 2 * job->node_room;
        trace->node = realloc(trace->node, room * sizeof *trace->node);
        trace->parent_begin =
            realloc(trace->parent_begin, (room + (size_t)1) * sizeof *trace->parent_begin);
        need_memory(trace->node && trace->parent_begin);
        job->node_room = room;
    }
    node.id = index;
    node.name = pack_name(label_of(job, text), place);
    node.flags |= NODE_HAS_STREAM;
    node.shape = node.owner = TRACE_NONE;
    if (!(node.flags & NODE_HAS_PEER))
        node.peer = TRACE_NONE;
    if (shape)
        set_shape(job, &node, shape);
    trace->node[index] = node;
    add_parents(job, index, parent, parent_count);
    trace->count++;
    return index;
}

uint32_t job_trace_group(struct job_trace *job, enum group_kind kind)
{
    struct trace *trace = &job->trace;
    if (job->group_of_kind[kind] == TRACE_NONE) {
        job->group_of_kind[kind] = trace->group_name_count;
        job->group_name[trace->group_name_count++] = job_group_name(kind);
    }
    return job->group_of_kind[kind];
}

uint32_t job_trace_kinds(const struct job_trace *job)
{
    uint32_t kinds = 0;
    for (int kind = 0; kind < GROUP_KIND_COUNT; kind++)
        kinds |= (job->group_of_kind[kind] != TRACE_NONE) << kind;
    return kinds;
}

void job_trace_hold(struct job_trace *job, uint32_t first, uint32_t last, uint64_t bytes,
                    enum life_kind kind)
{
    struct trace *trace = &job->trace;
    if (!bytes)
        return;
    promise(first <= last && last < trace->count);
    MAKE_ROOM(trace->life, trace->life_count, job->life_room);
    trace->life[trace->life_count++] = (struct trace_life){first, last, bytes, (uint8_t)kind};
}

uint32_t job_trace_count(const struct job_trace *job)
{
    return job->trace.count;
}

/* Stands for the bytes of a file: what the nodes are and wait for. */
static uint64_t hash_of(const struct trace *trace)
{
    uint64_t edges = trace->parent_begin[trace->count];
    uint64_t hash = hash_bytes(trace->parent, edges * sizeof *trace->parent, trace->count);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct trace_node *node = &trace->node[i];
        const uint64_t words[] = {hash,
                                  node->name,
                                  node->size_bytes,
                                  node->flop_count,
                                  (uint64_t)node->group << 32 | node->peer,
                                  (uint64_t)node->tag << 32 | (uint32_t)node->stream,
                                  (uint64_t)node->shape << 32 | (uint32_t)node->type << 8 |
                                      node->collective};
        hash = hash_bytes(words, sizeof words, 0);
    }
    return hash_bytes(trace->shape, trace->shape_count * sizeof *trace->shape, hash);
}

struct trace *job_trace_finish(struct job_trace *job, uint32_t stage, uint64_t fixed_bytes)
{
    struct trace *trace = &job->trace;
    snprintf(job->path, sizeof job->path, "(stage %u)", stage);
    trace->group_names = job->group_name;
    trace->fixed_bytes = fixed_bytes;
    trace->path = job->path;
    trace->format = "generated";
    trace->version = "1.0.0";
    trace->schema = "orrery";
    trace->name_of = name_of;
    trace->destroy = destroy;
    trace->resident_bytes = trace->count * (sizeof *trace->node + sizeof *trace->parent_begin) +
                            trace->parent_begin[trace->count] * sizeof *trace->parent;
    trace_sort_lives(trace);
    trace->content_hash = hash_of(trace);
    return trace;
}
