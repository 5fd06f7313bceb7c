#include <math.h>

#include "config/names.h"
#include "report/step_report.h"
#include "report/describe.h"
#include "report/formats.h"
#include "report/json_writer.h"
#include "report/links.h"
#include "report/memory_report.h"
#include "report/origin_json.h"
#include "report/spread.h"

#define SCHEMA "orrery.run/2"

/* "exposed_all_reduce" -> "exposed_all_reduce_ps" */
static const char *with_ps(char *to, size_t size, const char *key)
{
    snprintf(to, size, "%s_ps", key);
    return to;
}

static void put_outcome(struct json_writer *json, const struct run_result *result)
{
    json_text(json, "status", status_name(result->status));
    json_u64(json, "exit_code", (uint64_t)status_exit_code(result->status));
    json_u64(json, "end_ps", result->end_ps);
    json_u64(json, "rank_count", result->rank_count);
    json_u64(json, "finished_count", result->finished_count);
    json_map_begin(json, "census", JSON_LINES);
    json_u64(json, "node_total", result->node_total);
    json_u64(json, "node_done", result->node_done);
    json_u64(json, "messages", result->messages);
    json_whole(json, "sent_bytes", result->bytes_sent);
    json_whole(json, "delivered_bytes", result->bytes_delivered);
    json_map_end(json);
}

static void put_spreads(struct json_writer *json, const struct run_result *result, const char *name,
                        enum time_group group)
{
    json_map_begin(json, name, JSON_LINES);
    for (uint32_t i = 0; i < time_category_count; i++) {
        const struct time_category *category = &time_categories[i];
        if (category->group != group)
            continue;
        struct spread spread = spread_of(result, category);
        json_map_begin(json, category->key, JSON_INLINE);
        json_u64(json, "least_ps", spread.least);
        json_u64(json, "mean_ps", spread.mean);
        json_u64(json, "most_ps", spread.most);
        json_u64(json, "most_rank", spread.most_rank);
        json_map_end(json);
    }
    json_map_end(json);
}

static void put_collectives(struct json_writer *json, const struct run_result *result)
{
    json_list_begin(json, "collectives", JSON_LINES);
    for (uint32_t i = 0; i < result->collective_count; i++) {
        const struct collective_row *row = &result->collective[i];
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "kind", collective_name(row->kind));
        json_u64(json, "group_size", row->group_size);
        json_text(json, "algorithm", row->algorithm);
        json_u64(json, "count", row->count);
        json_whole(json, "size_bytes", row->bytes);
        json_u64(json, "time_ps", row->time_ps);
        json_u64(json, "least_ps", row->least_ps);
        json_u64(json, "most_ps", row->most_ps);
        json_u64(json, "skew_ps", row->skew_ps);
        json_whole(json, "algorithm_bytes_per_s", row->algorithm_Bps);
        json_whole(json, "bus_bytes_per_s", row->bus_Bps);
        json_map_end(json);
    }
    json_list_end(json);
}

static void put_compute(struct json_writer *json, const struct run_result *result)
{
    json_list_begin(json, "compute", JSON_LINES);
    for (uint32_t i = 0; i < result->compute_count; i++) {
        const struct compute_row *row = &result->compute[i];
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "class", op_class_name(row->class));
        json_text(json, "model", row->model);
        json_u64(json, "ops", row->nodes);
        json_u64(json, "extrapolated", row->extrapolated);
        json_whole(json, "time_ps", 1e3 * row->time_ns);
        json_whole(json, "flop", row->flops);
        json_map_end(json);
    }
    json_list_end(json);
}

static void put_groups(struct json_writer *json, const struct run_result *result)
{
    json_list_begin(json, "groups", JSON_LINES);
    for (uint32_t i = 0; i < result->group_count; i++) {
        const struct group_row *row = &result->group[i];
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "name", row->name);
        json_u64(json, "group_size", row->size);
        json_u64(json, "groups", row->groups);
        json_u64(json, "collectives", row->collectives);
        json_whole(json, "size_bytes", row->bytes);
        json_u64(json, "time_ps", row->time_ps);
        json_map_end(json);
    }
    json_list_end(json);
}

static void put_dimensions(struct json_writer *json, const struct run_result *result)
{
    json_list_begin(json, "dimensions", JSON_LINES);
    for (uint32_t i = 0; i < result->dimension_count; i++) {
        const struct dimension_row *row = &result->dimension[i];
        json_map_begin(json, NULL, JSON_INLINE);
        json_u64(json, "dim", row->dim);
        json_text(json, "block", row->block);
        json_u64(json, "npus", row->npus);
        json_u64(json, "messages", row->messages);
        json_whole(json, "injected_bytes", row->bytes);
        time_ps share = share_at_link_rate(result, row);
        if (share == TIME_NEVER)
            json_double(json, "ideal_busy_ps", NAN); /* null: no NPU has a link in it */
        else
            json_u64(json, "ideal_busy_ps", share);
        json_map_end(json);
    }
    json_list_end(json);
}

static void put_rank(struct json_writer *json, uint32_t r, const struct rank_result *rank)
{
    char key[64];
    json_map_begin(json, NULL, JSON_INLINE);
    json_u64(json, "rank", r);
    json_bool(json, "finished", rank->finished);
    json_u64(json, "finish_ps", rank->finish_ps);
    for (uint32_t i = 0; i < time_category_count; i++) {
        const struct time_category *category = &time_categories[i];
        json_u64(json, with_ps(key, sizeof key, category->key), time_of(rank, category));
    }
    json_u64(json, "compute_sum_ps", rank->compute_sum_ps);
    json_map_begin(json, "nodes", JSON_INLINE);
    for (int type = 0; type < OP_TYPE_COUNT; type++) {
        if (rank->nodes[type] > 0)
            json_u64(json, op_name((enum op_type)type), rank->nodes[type]);
    }
    json_map_end(json);
    json_map_end(json);
}

static void put_ranks(struct json_writer *json, const struct run_result *result)
{
    json_list_begin(json, "ranks", JSON_LINES);
    for (uint32_t r = 0; r < result->rank_count; r++)
        put_rank(json, r, result_rank(result, r));
    json_list_end(json);
}

static void put_wait_for(struct json_writer *json, const struct run_result *result)
{
    json_list_begin(json, "wait_for", JSON_LINES);
    for (uint32_t i = 0; i < result->wait_for_count; i++)
        json_text(json, NULL, result->wait_for[i]);
    json_list_end(json);
}

static void put_provenance(struct json_writer *json, const struct run_result *result,
                           const struct config *config, const struct report_context *context)
{
    char text[DESCRIBE_TEXT];
    json_map_begin(json, "provenance", JSON_LINES);
    json_text(json, "orrery_version", context->version);
    json_map_begin(json, "models", JSON_INLINE);
    json_text(json, "network", net_backend_names[config->network.backend]);
    json_text(json, "compute", compute_model_names[config->system.compute]);
    json_text(json, "memory", memory_type_names[config->memory.type]);
    json_map_end(json);
    json_text(json, "network", describe_network(text, &config->network));
    json_text(json, "fold", describe_fold(text, result));
    origin_json_inputs(json, config, context->workload);
    json_list_begin(json, "config", JSON_LINES);
    for (uint32_t i = 0; i < config->provenance_count; i++) {
        const struct provenance *row = &config->provenance[i];
        if (describe_is_fold_row(row))
            continue;
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "key", row->key);
        json_text(json, "value", row->value);
        json_text(json, "source", row->source);
        json_map_end(json);
    }
    json_list_end(json);
    json_map_end(json);
}

static void put_host(struct json_writer *json, const struct host_figures *host)
{
    json_map_begin(json, "host", JSON_INLINE);
    json_double(json, "wall_s", host->wall_s);
    json_double(json, "user_s", host->user_s);
    json_u64(json, "peak_rss_bytes", host->peak_rss_bytes);
    json_map_end(json);
}

static enum status write_json(const struct run_result *result, const struct config *config,
                              const struct report_context *context, FILE *out, struct diag *diag)
{
    struct json_writer json;
    json_init(&json, out);
    json_map_begin(&json, NULL, JSON_LINES);
    json_text(&json, "schema_version", SCHEMA);
    origin_json_command(&json, context->command);
    put_outcome(&json, result);
    put_spreads(&json, result, "breakdown", TIME_EXCLUSIVE);
    put_spreads(&json, result, "overlapped", TIME_OVERLAPPED);
    put_collectives(&json, result);
    if (result->compute_count)
        put_compute(&json, result);
    memory_json(result, &json);
    put_groups(&json, result);
    if (context->step)
        step_json(result, context->step, &json);
    if (context->against)
        against_json(result, context->against, &json);
    put_dimensions(&json, result);
    links_json(result, config, &json);
    put_wait_for(&json, result);
    json_notices(&json, &result->notices);
    put_provenance(&json, result, config, context);
    if (context->with_host)
        put_host(&json, &result->host);
    put_ranks(&json, result);
    json_map_end(&json);
    return report_finish(out, diag);
}

const struct report_ops report_json = {
    .name = "json",
    .summary = "everything, raw figures with units in their names (" SCHEMA ")",
    .write = write_json,
};
