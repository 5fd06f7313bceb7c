#include "report/origin_json.h"

#include <inttypes.h>

void origin_json_command(struct json_writer *json, const char *const *command)
{
    if (!command)
        return;
    json_list_begin(json, "command", JSON_LINES);
    for (; *command; command++)
        json_text(json, NULL, *command);
    json_list_end(json);
}

static void put_hash(struct json_writer *json, const char *key, uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    json_text(json, key, text);
}

void origin_json_inputs(struct json_writer *json, const struct config *config,
                        const struct workload *workload)
{
    json_list_begin(json, "inputs", JSON_LINES);
    for (uint32_t i = 0; i < config->input_count; i++) {
        const struct config_input *input = &config->input[i];
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "role", input->role);
        json_text(json, "path", input->path);
        put_hash(json, "content_hash", input->hash);
        json_map_end(json);
    }
    for (uint32_t t = 0; workload && t < workload->trace_count; t++) {
        const struct trace *trace = workload->traces[t];
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "role", "trace");
        json_text(json, "path", trace->path);
        json_text(json, "format", trace->format);
        put_hash(json, "content_hash", trace->content_hash);
        json_map_end(json);
    }
    json_list_end(json);
}
