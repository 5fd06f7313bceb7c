#include "workloads/trace_check.h"

#include <string.h>

static const char *node_unsound(const struct trace *trace, uint32_t i)
{
    const struct trace_node *node = &trace->node[i];
    if (i && node->id <= trace->node[i - 1].id)
        return "node ids ascend";
    if (node->type >= OP_TYPE_COUNT)
        return "node types are known";
    if (node->collective >= COLL_KIND_COUNT)
        return "collective kinds are known";
    if (node->dim_count > 8)
        return "at most eight dimensions";
    if (node->group != TRACE_NONE && node->group >= trace->group_name_count)
        return "groups are named";
    if (trace->parent_begin[i] > trace->parent_begin[i + 1])
        return "parent offsets ascend";
    if (node->duration_ns > UINT64_MAX / 1000)
        return "durations fit in picoseconds";
    return NULL;
}

const char *trace_unsound(const struct trace *trace)
{
    uint64_t edges = trace->parent_begin[trace->count];
    if (edges + trace->missing_count != trace->data_edge_count + trace->control_edge_count)
        return "edges in the file are either resolved or missing";
    for (uint32_t i = 0; i < trace->count; i++) {
        const char *broken = node_unsound(trace, i);
        if (broken)
            return broken;
    }
    for (uint64_t i = 0; i < edges; i++) {
        if ((trace->parent[i] & PARENT_INDEX) >= trace->count)
            return "parents are nodes";
    }
    for (uint32_t i = 0; i < trace->missing_count; i++) {
        if (trace->missing[i].child >= trace->count)
            return "missing parents belong to nodes";
    }
    return NULL;
}

/* Names are compared apart: where they are kept differs. */
static bool same_node(const struct trace_node *one, const struct trace_node *other)
{
    return one->id == other->id && one->duration_ns == other->duration_ns &&
           one->start_ns == other->start_ns && one->size_bytes == other->size_bytes &&
           one->flop_count == other->flop_count && one->group == other->group &&
           one->peer == other->peer && one->owner == other->owner && one->tag == other->tag &&
           one->priority == other->priority && one->stream == other->stream &&
           one->flags == other->flags && one->type == other->type &&
           one->collective == other->collective && one->dims == other->dims &&
           one->dim_count == other->dim_count && one->kernels == other->kernels;
}

static bool same_name(struct trace *one, struct trace *other, uint32_t i)
{
    return strcmp(trace_name(one, i), trace_name(other, i)) == 0;
}

static const char *edges_differ(const struct trace *one, const struct trace *other)
{
    uint64_t edges = one->parent_begin[one->count];
    if (memcmp(one->parent_begin, other->parent_begin, ((size_t)one->count + 1) * 8) != 0)
        return "parent offsets";
    if (edges && memcmp(one->parent, other->parent, edges * sizeof *one->parent) != 0)
        return "parents";
    if (one->missing_count != other->missing_count)
        return "number of missing parents";
    for (uint32_t i = 0; i < one->missing_count; i++) {
        const struct missing_parent *a = &one->missing[i], *b = &other->missing[i];
        if (a->child != b->child || a->is_control != b->is_control || a->id != b->id)
            return "missing parents";
    }
    return NULL;
}

static const char *groups_differ(const struct trace *one, const struct trace *other)
{
    if (one->group_name_count != other->group_name_count || one->group_count != other->group_count)
        return "number of groups";
    for (uint32_t i = 0; i < one->group_name_count; i++) {
        if (strcmp(one->group_names[i], other->group_names[i]) != 0)
            return "group names";
    }
    for (uint32_t i = 0; i < one->group_count; i++) {
        const struct trace_group *a = &one->groups[i], *b = &other->groups[i];
        if (strcmp(a->name, b->name) != 0 || a->count != b->count ||
            (a->count && memcmp(a->ranks, b->ranks, a->count * sizeof *a->ranks) != 0))
            return "declared groups";
    }
    return NULL;
}

static const char *lives_differ(const struct trace *one, const struct trace *other)
{
    if (one->fixed_bytes != other->fixed_bytes || one->life_count != other->life_count)
        return "bytes held";
    for (uint32_t i = 0; i < one->life_count; i++) {
        const struct trace_life *a = &one->life[i], *b = &other->life[i];
        if (a->first != b->first || a->last != b->last || a->bytes != b->bytes ||
            a->kind != b->kind)
            return "lives of tensors";
    }
    return NULL;
}

const char *trace_difference(struct trace *one, struct trace *other)
{
    if (one->count != other->count)
        return "number of nodes";
    for (uint32_t i = 0; i < one->count; i++) {
        if (!same_node(&one->node[i], &other->node[i]))
            return "a node";
        if (!same_name(one, other, i))
            return "a name";
    }
    if (one->data_edge_count != other->data_edge_count ||
        one->control_edge_count != other->control_edge_count)
        return "number of edges";
    const char *differs = edges_differ(one, other);
    if (!differs)
        differs = groups_differ(one, other);
    if (!differs)
        differs = lives_differ(one, other);
    if (!differs && one->producer != other->producer)
        differs = "producer";
    if (!differs && strcmp(one->version, other->version) != 0)
        differs = "version";
    return !differs && strcmp(one->schema, other->schema) != 0 ? "schema" : differs;
}
