#include "report/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/visible.h"

void json_init(struct json_writer *json, FILE *out)
{
    memset(json, 0, sizeof *json);
    json->out = out;
}

static void write_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        size_t length = utf8_length((const char *)c);
        if (length == 0) {
            fputs("\\ufffd", out);
            c++;
            continue;
        }
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c == '\n')
            fputs("\\n", out);
        else if (*c == '\t')
            fputs("\\t", out);
        else if (*c < 0x20 || *c == 0x7f)
            fprintf(out, "\\u%04x", *c);
        else
            fwrite(c, 1, length, out);
        c += length;
    }
    fputc('"', out);
}

static void new_line(const struct json_writer *json)
{
    fprintf(json->out, "\n%*s", (int)(2 * json->depth), "");
}

/* Everything that stands before a value: comma, line, key. */
static void begin_value(struct json_writer *json, const char *key)
{
    if (json->depth == 0) {
        promise(key == NULL);
        return;
    }
    uint32_t level = json->depth - 1;
    promise(json->is_map[level] == (key != NULL));
    if (json->has_items[level])
        fputc(',', json->out);
    if (!json->is_inline[level])
        new_line(json);
    else if (json->has_items[level])
        fputc(' ', json->out);
    json->has_items[level] = true;
    if (key != NULL) {
        write_text(json->out, key);
        fputs(": ", json->out);
    }
}

static void begin(struct json_writer *json, const char *key, enum json_layout layout, bool is_map)
{
    begin_value(json, key);
    promise(json->depth < JSON_DEPTH);
    bool inside_inline = json->depth > 0 && json->is_inline[json->depth - 1];
    fputc(is_map ? '{' : '[', json->out);
    json->is_map[json->depth] = is_map;
    json->is_inline[json->depth] = inside_inline || layout == JSON_INLINE;
    json->has_items[json->depth] = false;
    json->depth++;
}

static void end(struct json_writer *json, bool is_map)
{
    promise(json->depth > 0 && json->is_map[json->depth - 1] == is_map);
    json->depth--;
    if (json->has_items[json->depth] && !json->is_inline[json->depth])
        new_line(json);
    fputc(is_map ? '}' : ']', json->out);
    if (json->depth == 0)
        fputc('\n', json->out);
}

void json_map_begin(struct json_writer *json, const char *key, enum json_layout layout)
{
    begin(json, key, layout, true);
}

void json_map_end(struct json_writer *json)
{
    end(json, true);
}

void json_list_begin(struct json_writer *json, const char *key, enum json_layout layout)
{
    begin(json, key, layout, false);
}

void json_list_end(struct json_writer *json)
{
    end(json, false);
}

void json_u64(struct json_writer *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void json_i64(struct json_writer *json, const char *key, int64_t value)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void json_double(struct json_writer *json, const char *key, double value)
{
    begin_value(json, key);
    if (!isfinite(value))
        fputs("null", json->out);
    else if (value == floor(value) && fabs(value) < 1e18)
        fprintf(json->out, "%.0f", value);
    else
        fprintf(json->out, "%.17g", value);
}

void json_number(struct json_writer *json, const char *key, double value)
{
    char text[40] = "null";
    begin_value(json, key);
    for (int digits = 15; digits <= 17 && isfinite(value); digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, json->out);
}

void json_us_of_ns(struct json_writer *json, const char *key, uint64_t time_ns)
{
    begin_value(json, key);
    fprintf(json->out, "%" PRIu64 ".%03" PRIu64, time_ns / 1000, time_ns % 1000);
}

void json_whole(struct json_writer *json, const char *key, double value)
{
    begin_value(json, key);
    if (isfinite(value))
        fprintf(json->out, "%.0f", value);
    else
        fputs("null", json->out);
}

void json_bool(struct json_writer *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->out);
}

void json_text(struct json_writer *json, const char *key, const char *text)
{
    begin_value(json, key);
    if (text == NULL)
        fputs("null", json->out);
    else
        write_text(json->out, text);
}

void json_notices(struct json_writer *json, const struct notices *notices)
{
    json_list_begin(json, "notices", JSON_LINES);
    for (size_t i = 0; i < notices->count; i++) {
        const struct notice *notice = &notices->row[i];
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "kind", notice_kind_name(notice->kind));
        json_text(json, "key", notice->key);
        json_u64(json, "count", notice->count);
        json_text(json, "example", notice->example);
        json_map_end(json);
    }
    json_list_end(json);
}
