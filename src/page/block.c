#include "page/block.h"

void block_section_begin(struct json_writer *json, const char *id, const char *title,
                         const char *intro)
{
    json_map_begin(json, NULL, JSON_LINES);
    json_text(json, "id", id);
    json_text(json, "title", title);
    json_text(json, "intro", intro);
    json_list_begin(json, "blocks", JSON_LINES);
}

void block_section_end(struct json_writer *json)
{
    json_list_end(json);
    json_map_end(json);
}

void block_table_begin(struct json_writer *json, const char *id, const char *caption,
                       const struct block_column *column, const char *note)
{
    json_map_begin(json, NULL, JSON_LINES);
    json_text(json, "type", "table");
    json_text(json, "id", id);
    json_text(json, "caption", caption);
    json_text(json, "note", note);
    json_list_begin(json, "columns", JSON_LINES);
    for (; column->key; column++) {
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "key", column->key);
        json_text(json, "label", column->label);
        json_text(json, "unit", column->unit);
        json_text(json, "source", column->source);
        json_text(json, "kind", column->is_text ? "text" : "number");
        json_map_end(json);
    }
    json_list_end(json);
    json_list_begin(json, "rows", JSON_LINES);
}

void block_table_end(struct json_writer *json)
{
    json_list_end(json);
    json_map_end(json);
}

void block_code(struct json_writer *json, const char *caption, const char *text)
{
    json_map_begin(json, NULL, JSON_LINES);
    json_text(json, "type", "code");
    json_text(json, "caption", caption);
    json_text(json, "text", text);
    json_map_end(json);
}

static void fact_begin(struct json_writer *json, const char *label, const char *source)
{
    json_map_begin(json, NULL, JSON_INLINE);
    json_text(json, "label", label);
    json_text(json, "source", source);
}

void block_fact(struct json_writer *json, const char *label, double value, const char *unit,
                const char *source)
{
    fact_begin(json, label, source);
    json_double(json, "value", value);
    json_text(json, "unit", unit);
    json_map_end(json);
}

void block_fact_text(struct json_writer *json, const char *label, const char *value,
                     const char *source)
{
    fact_begin(json, label, source);
    json_text(json, "text", value);
    json_map_end(json);
}
