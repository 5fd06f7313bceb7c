#include "workloads/census.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/memory.h"
#include "workloads/chakra/chakra.h"

static const char all_ranks[] = "all ranks";

void census_init(struct census *census)
{
    *census = (struct census){.fewest_nodes = UINT64_MAX, .first_id = UINT64_MAX};
    names_init(&census->group_names);
    names_init(&census->layout_names);
    table_init(&census->stream_index);
}

void census_release(struct census *census)
{
    free(census->group);
    free(census->stream);
    free(census->layout);
    names_release(&census->group_names);
    names_release(&census->layout_names);
    table_release(&census->stream_index);
    *census = (struct census){0};
}

/* Room for one more row of `bytes` bytes; new rows are cleared by the caller. */
static void *row_room(void *rows, uint32_t count, uint32_t *capacity, size_t bytes)
{
    if (count < *capacity)
        return rows;
    *capacity = *capacity ? 2 * *capacity : 8;
    rows = realloc(rows, *capacity * bytes);
    need_memory(rows != NULL);
    return rows;
}

static void add_sum(struct census_sum *sum, const struct trace_node *node, uint64_t ranks)
{
    sum->count += ranks;
    sum->size_bytes += ranks * node->size_bytes;
    sum->duration_ns += ranks * node->duration_ns;
    sum->flop_count += ranks * node->flop_count;
}

static struct census_group *group_row(struct census *census, const char *name)
{
    uint32_t index = names_add(&census->group_names, name, strlen(name));
    if (index == census->group_count) {
        census->group = row_room(census->group, census->group_count, &census->group_capacity,
                                 sizeof *census->group);
        census->group[census->group_count++] =
            (struct census_group){.name = census->group_names.text[index]};
    }
    return &census->group[index];
}

static struct census_stream *stream_row(struct census *census, int32_t stream)
{
    uint64_t key = (uint64_t)(int64_t)stream;
    uint32_t index = table_find(&census->stream_index, key);
    if (index == TABLE_NONE) {
        index = census->stream_count++;
        table_put(&census->stream_index, key, index);
        census->stream =
            row_room(census->stream, index, &census->stream_capacity, sizeof *census->stream);
        census->stream[index] = (struct census_stream){.stream = stream};
    }
    return &census->stream[index];
}

static void add_communication(struct census *census, const struct trace *trace,
                              const struct trace_node *node, uint64_t ranks)
{
    bool is_collective = node->type == OP_COLLECTIVE;
    bool has_kind = node->flags & NODE_HAS_KIND;
    uint32_t kind = has_kind ? node->collective : (uint32_t)CENSUS_NO_KIND;
    struct census_group *group =
        group_row(census, node->group == TRACE_NONE ? all_ranks : trace->group_names[node->group]);
    struct census_sum *sum = node->type == OP_SEND ? &group->send
                             : is_collective       ? &group->kind[kind]
                                                   : &group->receive;
    add_sum(sum, node, ranks);
    if (is_collective)
        add_sum(&census->kind[kind], node, ranks);
    census->kind_absent += is_collective && !has_kind ? ranks : 0;
    census->size_derived += node->flags & NODE_SIZE_DERIVED ? ranks : 0;
    census->size_absent += node->flags & NODE_HAS_SIZE ? 0 : ranks;
    census->peer_absent += !is_collective && !(node->flags & NODE_HAS_PEER) ? ranks : 0;
}

static void add_node(struct census *census, const struct trace *trace,
                     const struct trace_node *node, uint64_t ranks)
{
    bool is_host = node->flags & NODE_IS_HOST;
    add_sum(&census->op[node->type][is_host], node, ranks);
    if (node->flags & NODE_HAS_STREAM)
        add_sum(&stream_row(census, node->stream)->sum, node, ranks);
    bool is_work = node->type == OP_COMPUTE || node->type == OP_HOST_WORK;
    census->zero_duration_compute += is_work && !node->duration_ns && !node->flop_count ? ranks : 0;
    if (node->type == OP_SEND || node->type == OP_RECV || node->type == OP_COLLECTIVE)
        add_communication(census, trace, node, ranks);
}

/* data[p], control[p]: 1 + the last child that named p so. Children ascend, so nothing is reset. */
static void add_edges(struct census *census, const struct trace *trace, uint64_t ranks)
{
    uint64_t *data = calloc((size_t)trace->count + 1, sizeof *data);
    uint64_t *control = calloc((size_t)trace->count + 1, sizeof *control);
    need_memory(data && control);
    for (uint32_t child = 0; child < trace->count; child++) {
        uint64_t first = trace->parent_begin[child], end = trace->parent_begin[child + 1];
        census->root_nodes += first == end ? ranks : 0;
        for (uint64_t e = first; e < end; e++) {
            uint32_t parent = trace->parent[e] & PARENT_INDEX;
            bool is_control = trace->parent[e] & PARENT_IS_CONTROL;
            uint64_t *seen = is_control ? control : data;
            bool is_repeated = seen[parent] == child + UINT64_C(1);
            census->repeated_edges += is_repeated ? ranks : 0;
            /* Data comes first in the list, so a control edge sees every data edge. */
            census->shared_edges +=
                is_control && !is_repeated && data[parent] == child + UINT64_C(1) ? ranks : 0;
            census->self_edges += parent == child ? ranks : 0;
            seen[parent] = child + UINT64_C(1);
        }
    }
    for (uint32_t i = 0; i < trace->missing_count; i++)
        *(trace->missing[i].is_control ? &census->missing_control : &census->missing_data) += ranks;
    free(data);
    free(control);
}

static void add_layout(struct census *census, const struct trace *trace)
{
    char text[128];
    bool has_schema = trace->schema[0], has_version = trace->version[0];
    snprintf(text, sizeof text, "%.32s%s%.16s%s%.32s", trace->format,
             has_version ? ", version " : "", trace->version, has_schema ? ", schema " : "",
             trace->schema);
    uint32_t index = names_add(&census->layout_names, text, strlen(text));
    if (index == census->layout_count) {
        census->layout =
            row_room(census->layout, index, &census->layout_capacity, sizeof *census->layout);
        census->layout[census->layout_count++] =
            (struct census_layout){.text = census->layout_names.text[index]};
    }
    census->layout[index].files++;
}

static void add_file(struct census *census, const struct trace *trace, uint64_t ranks)
{
    const struct chakra_facts *facts = chakra_facts(trace);
    census->files++;
    census->resident_bytes += trace->resident_bytes;
    census->pytorch_files += trace->producer == PRODUCER_PYTORCH_CONVERTER;
    census->declared_groups += trace->group_count;
    add_layout(census, trace);
    if (!facts)
        return;
    census->file_bytes += facts->byte_count;
    census->unsorted_files += !facts->was_sorted;
    census->gzip_files += facts->was_gzip;
    census->paged_files += facts->is_paged;
    census->forward_data += ranks * facts->forward_data_count;
    census->forward_control += ranks * facts->forward_control_count;
}

static int by_stream(const void *one, const void *other)
{
    int32_t a = ((const struct census_stream *)one)->stream;
    int32_t b = ((const struct census_stream *)other)->stream;
    return (a > b) - (a < b);
}

/* Streams ascend; the index follows. */
static void sort_streams(struct census *census)
{
    if (census->stream_count > 1)
        qsort(census->stream, census->stream_count, sizeof *census->stream, by_stream);
    for (uint32_t i = 0; i < census->stream_count; i++)
        table_put(&census->stream_index, (uint64_t)(int64_t)census->stream[i].stream, i);
}

void census_add(struct census *census, const struct trace *trace, uint64_t ranks)
{
    add_file(census, trace, ranks);
    census->ranks += ranks;
    census->nodes += ranks * trace->count;
    census->data_edges += ranks * trace->data_edge_count;
    census->control_edges += ranks * trace->control_edge_count;
    if (trace->count < census->fewest_nodes)
        census->fewest_nodes = trace->count;
    if (trace->count > census->most_nodes)
        census->most_nodes = trace->count;
    if (trace->count && trace->node[0].id < census->first_id)
        census->first_id = trace->node[0].id;
    if (trace->count && trace->node[trace->count - 1].id > census->last_id)
        census->last_id = trace->node[trace->count - 1].id;
    for (uint32_t i = 0; i < trace->count; i++)
        add_node(census, trace, &trace->node[i], ranks);
    add_edges(census, trace, ranks);
    sort_streams(census);
}

void census_add_workload(struct census *census, const struct workload *workload)
{
    uint64_t *ranks = calloc((size_t)workload->trace_count + 1, sizeof *ranks);
    need_memory(ranks != NULL);
    for (uint32_t r = 0; r < workload->rank_count; r++)
        ranks[workload->trace_of_rank[r]]++;
    for (uint32_t t = 0; t < workload->trace_count; t++)
        census_add(census, workload->traces[t], ranks[t]);
    free(ranks);
}
