#include "cli/census_json.h"

#include "report/json_writer.h"

static void put_sum(struct json_writer *json, const char *name, const struct census_sum *sum)
{
    if (!sum->count)
        return;
    json_map_begin(json, name, JSON_INLINE);
    json_u64(json, "count", sum->count);
    json_u64(json, "size_bytes", sum->size_bytes);
    json_u64(json, "duration_ns", sum->duration_ns);
    json_u64(json, "flop_count", sum->flop_count);
    json_map_end(json);
}

static const char *kind_key(uint32_t kind)
{
    return kind == CENSUS_NO_KIND ? "kind-not-given" : collective_name((enum collective_kind)kind);
}

static void put_nodes(struct json_writer *json, const struct census *census)
{
    json_map_begin(json, "nodes_by_type", JSON_LINES);
    for (int type = 0; type < OP_TYPE_COUNT; type++)
        put_sum(json, op_name((enum op_type)type), &census->op[type][0]);
    json_map_end(json);
    json_map_begin(json, "host_nodes_by_type", JSON_LINES);
    for (int type = 0; type < OP_TYPE_COUNT; type++)
        put_sum(json, op_name((enum op_type)type), &census->op[type][1]);
    json_map_end(json);
    json_map_begin(json, "collectives", JSON_LINES);
    for (uint32_t kind = 0; kind < CENSUS_KINDS; kind++)
        put_sum(json, kind_key(kind), &census->kind[kind]);
    json_map_end(json);
}

static void put_groups(struct json_writer *json, const struct census *census)
{
    json_list_begin(json, "groups", JSON_LINES);
    for (uint32_t i = 0; i < census->group_count; i++) {
        const struct census_group *group = &census->group[i];
        json_map_begin(json, NULL, JSON_LINES);
        json_text(json, "name", group->name);
        for (uint32_t kind = 0; kind < CENSUS_KINDS; kind++)
            put_sum(json, kind_key(kind), &group->kind[kind]);
        put_sum(json, "send", &group->send);
        put_sum(json, "receive", &group->receive);
        json_map_end(json);
    }
    json_list_end(json);
    json_list_begin(json, "streams", JSON_LINES);
    for (uint32_t i = 0; i < census->stream_count; i++) {
        json_map_begin(json, NULL, JSON_INLINE);
        json_double(json, "stream", census->stream[i].stream);
        put_sum(json, "sum", &census->stream[i].sum);
        json_map_end(json);
    }
    json_list_end(json);
}

static void put_counts(struct json_writer *json, const struct census *census)
{
    const struct {
        const char *name;
        uint64_t count;
    } rows[] = {
        {"data_edges", census->data_edges},
        {"control_edges", census->control_edges},
        {"root_nodes", census->root_nodes},
        {"missing_data_parents", census->missing_data},
        {"missing_control_parents", census->missing_control},
        {"repeated_edges", census->repeated_edges},
        {"data_and_control_edges", census->shared_edges},
        {"self_edges", census->self_edges},
        {"forward_data_edges", census->forward_data},
        {"forward_control_edges", census->forward_control},
        {"unsorted_files", census->unsorted_files},
        {"gzip_files", census->gzip_files},
        {"paged_files", census->paged_files},
        {"pytorch_files", census->pytorch_files},
        {"declared_groups", census->declared_groups},
        {"zero_duration_compute", census->zero_duration_compute},
        {"sizes_derived", census->size_derived},
        {"sizes_absent", census->size_absent},
        {"kinds_absent", census->kind_absent},
        {"peers_absent", census->peer_absent},
    };
    json_map_begin(json, "counts", JSON_LINES);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        json_u64(json, rows[i].name, rows[i].count);
    json_map_end(json);
}

static void put_files(struct json_writer *json, const struct census *census)
{
    json_u64(json, "ranks", census->ranks);
    json_u64(json, "files", census->files);
    json_u64(json, "file_bytes", census->file_bytes);
    json_u64(json, "nodes", census->nodes);
    json_u64(json, "fewest_nodes_of_a_rank", census->fewest_nodes);
    json_u64(json, "most_nodes_of_a_rank", census->most_nodes);
    json_list_begin(json, "layouts", JSON_LINES);
    for (uint32_t i = 0; i < census->layout_count; i++) {
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "layout", census->layout[i].text);
        json_u64(json, "files", census->layout[i].files);
        json_map_end(json);
    }
    json_list_end(json);
}

static void put_ranks(struct json_writer *json, const struct census_rank *ranks, uint32_t count)
{
    json_list_begin(json, "per_rank", JSON_LINES);
    for (uint32_t i = 0; i < count; i++) {
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "source", ranks[i].source);
        json_u64(json, "rank", ranks[i].rank);
        json_u64(json, "nodes", ranks[i].nodes);
        json_u64(json, "compute", ranks[i].compute);
        json_u64(json, "host", ranks[i].host);
        json_u64(json, "memory", ranks[i].memory);
        json_u64(json, "collectives", ranks[i].collectives);
        json_u64(json, "sends", ranks[i].sends);
        json_u64(json, "receives", ranks[i].receives);
        json_u64(json, "comm_bytes", ranks[i].comm_bytes);
        json_map_end(json);
    }
    json_list_end(json);
}

void census_print_json(const struct census *census, const struct census_rank *ranks,
                       uint32_t rank_count, const struct notices *notices, FILE *out)
{
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "schema_version", "orrery.census/1");
    put_files(&json, census);
    put_nodes(&json, census);
    put_groups(&json, census);
    put_counts(&json, census);
    if (ranks)
        put_ranks(&json, ranks, rank_count);
    json_notices(&json, notices);
    json_map_end(&json);
}
