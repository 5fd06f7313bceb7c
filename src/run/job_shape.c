#include "run/job_shape.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/mix.h"
#include "base/table.h"

/* -- slots ------------------------------------------------------------------------------------ */

static uint32_t group_slot(struct trace_shape *shape, struct table *seen, uint32_t name)
{
    uint32_t slot = table_find(seen, name);
    if (slot != TABLE_NONE)
        return slot;
    slot = shape->group_count++;
    shape->group[slot] = name;
    table_put(seen, name, slot);
    return slot;
}

static uint32_t peer_slot(struct trace_shape *shape, struct table *seen,
                          const struct trace_node *node, uint32_t index)
{
    bool is_in_group = node->flags & NODE_PEER_IN_GROUP;
    uint64_t key = (uint64_t)(is_in_group ? node->group : UINT32_MAX) << 32 | node->peer;
    uint32_t slot = table_find(seen, key);
    if (slot == TABLE_NONE) {
        slot = shape->peer_count++;
        shape->peer[slot] = (struct peer_slot){.node = index};
        table_put(seen, key, slot);
    }
    uint64_t message = mix_in(mix_in(0, node->tag), node->size_bytes);
    *(node->type == OP_SEND ? &shape->peer[slot].sent : &shape->peer[slot].received) += message;
    return slot;
}

static bool is_rooted(const struct trace_node *node)
{
    return node->collective == COLL_BROADCAST || node->collective == COLL_REDUCE ||
           node->collective == COLL_GATHER || node->collective == COLL_SCATTER;
}

static void fill_slots(struct job_shape *job, struct trace_shape *shape, const struct trace *trace)
{
    struct table groups, peers;
    table_init(&groups);
    table_init(&peers);
    shape->slot_of = arena_array(&job->arena, trace->count, sizeof *shape->slot_of);
    shape->group = arena_array(&job->arena, trace->group_name_count + 1, sizeof *shape->group);
    uint32_t messages = 0;
    for (uint32_t i = 0; i < trace->count; i++)
        messages += trace->node[i].type == OP_SEND || trace->node[i].type == OP_RECV;
    shape->peer = arena_array(&job->arena, messages, sizeof *shape->peer);
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct trace_node *node = &trace->node[i];
        enum op_type type = trace_run_as(node);
        shape->slot_of[i] = TRACE_NONE;
        if (type == OP_COLLECTIVE)
            shape->slot_of[i] = group_slot(shape, &groups, node->group);
        else if (type == OP_SEND || type == OP_RECV)
            shape->slot_of[i] = peer_slot(shape, &peers, node, i);
        shape->names_a_root |=
            type == OP_COLLECTIVE && is_rooted(node) && node->flags & NODE_HAS_PEER;
    }
    table_release(&groups);
    table_release(&peers);
}

/* -- hashes ----------------------------------------------------------------------------------- */

/* An op_shape has no padding that is not zero: readers clear it before they fill it. */
static uint64_t hash_of_node(const struct trace *trace, const struct trace_shape *shape, uint32_t i)
{
    const struct trace_node *node = &trace->node[i];
    const uint64_t words[] = {
        node->duration_ns,
        node->size_bytes,
        node->flop_count,
        shape->slot_of[i],
        is_rooted(node) ? node->peer : 0,
        node->tag,
        (uint32_t)node->priority,
        (uint32_t)node->stream,
        node->flags,
        node->type,
        node->collective,
        node->dims,
        node->dim_count,
    };
    uint64_t hash = hash_bytes(words, sizeof words, 0);
    if (node->type == OP_COMPUTE && node->shape != TRACE_NONE && node->shape < trace->shape_count)
        hash = hash_bytes(&trace->shape[node->shape], sizeof *trace->shape, hash);
    return hash;
}

static uint64_t hash_of_trace(const struct trace_shape *shape, const struct graph *graph)
{
    const struct trace *trace = graph->trace;
    uint64_t hash = mix_in(shape->group_count, trace->count);
    for (uint32_t i = 0; i < trace->count; i++)
        hash = mix_in(hash, hash_of_node(trace, shape, i));
    hash = hash_bytes(graph->child_begin, (trace->count + 1) * sizeof *graph->child_begin, hash);
    return hash_bytes(graph->child, graph->child_begin[trace->count] * sizeof *graph->child, hash);
}

void job_shape_init(struct job_shape *job, const struct workload *workload,
                    const struct graph *graphs, const uint64_t *variant)
{
    uint32_t count = workload->trace_count;
    *job = (struct job_shape){.arena = {0}};
    arena_init(&job->arena);
    job->of_trace = arena_array(&job->arena, count, sizeof *job->of_trace);
    uint64_t *hash = calloc(count + 1, sizeof *hash);
    uint32_t *number = calloc(count + 1, sizeof *number);
    need_memory(hash && number);
    for (uint32_t t = 0; t < count; t++) {
        fill_slots(job, &job->of_trace[t], workload->traces[t]);
        hash[t] = mix_in(hash_of_trace(&job->of_trace[t], &graphs[t]), variant ? variant[t] : 0);
    }
    job->shape_count = table_number(hash, count, number);
    for (uint32_t t = 0; t < count; t++)
        job->of_trace[t].shape = number[t];
    free(hash);
    free(number);
}

void job_shape_release(struct job_shape *job)
{
    arena_release(&job->arena);
    *job = (struct job_shape){.of_trace = NULL};
}
