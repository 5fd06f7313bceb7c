#include "base/fields.h"

#include <inttypes.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "base/units.h"

enum { MOST_KEYS = 96, PATH = 160 };

static const char *path_of(const struct field_reader *reader, const char *key, char to[PATH])
{
    snprintf(to, PATH, "%s%s%s", reader->path, reader->path[0] ? "." : "", key);
    return to;
}

static enum status fail(const struct field_reader *reader, const struct doc_node *node,
                        const char *key, const char *expected)
{
    char path[PATH];
    return doc_fail(reader->doc, node, path_of(reader, key, path), expected, reader->diag);
}

/* -- one value ------------------------------------------------------------------------------ */

typedef enum status (*parse_unit)(const char *text, const char *bare_unit, double *value,
                                  bool *was_bare, struct diag *diag);

static enum status parse_bytes(const char *text, const char *bare_unit, double *value,
                               bool *was_bare, struct diag *diag)
{
    uint64_t bytes = 0;
    enum status status = units_parse_bytes(text, bare_unit, &bytes, was_bare, diag);
    *value = (double)bytes;
    return status;
}

static enum status read_quantity(const struct field_reader *reader, const struct doc_node *node,
                                 const char *key, parse_unit parse, double *value)
{
    if (node->kind != DOC_NUMBER && node->kind != DOC_TEXT)
        return fail(reader, node, key, "a quantity with its unit");
    if (parse(node->text, NULL, value, NULL, reader->diag) == STATUS_OK)
        return STATUS_OK;
    char path[PATH];
    diag_in(reader->diag, reader->doc->path);
    diag_at(reader->diag, DIAG_LINE, node->line);
    diag_field(reader->diag, "%s", path_of(reader, key, path));
    return reader->diag->status = STATUS_BAD_CONFIG;
}

static enum status read_word(const struct field_reader *reader, const struct doc_node *node,
                             const struct field *field, int *value)
{
    char expected[200] = "one of";
    for (int i = 0; field->words[i]; i++) {
        if (node->kind == DOC_TEXT && strcmp(node->text, field->words[i]) == 0) {
            *value = i;
            return STATUS_OK;
        }
        strncat(expected, i ? ", " : " ", sizeof expected - strlen(expected) - 1);
        strncat(expected, field->words[i], sizeof expected - strlen(expected) - 1);
    }
    enum status status = fail(reader, node, field->key, expected);
    const char *nearest = node->kind == DOC_TEXT ? suggest_nearest(node->text, field->words) : NULL;
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"?", nearest);
    return status;
}

static enum status read_number(const struct field_reader *reader, const struct doc_node *node,
                               const char *key, uint64_t most, double *value)
{
    char expected[64];
    if (most)
        snprintf(expected, sizeof expected, "a number from 0 to %" PRIu64, most);
    if (node->kind != DOC_NUMBER || !isfinite(node->number) || node->number < 0 ||
        (most && node->number > (double)most))
        return fail(reader, node, key, most ? expected : "a number of at least 0");
    *value = node->number;
    return STATUS_OK;
}

static enum status read_whole(const struct field_reader *reader, const struct doc_node *node,
                              const struct field *field, void *to)
{
    char path[PATH];
    uint64_t value = 0;
    uint64_t most = field->kind == FIELD_U32 ? UINT32_MAX : UINT64_MAX;
    if (field->most)
        most = field->most;
    enum status status = doc_get_u64(reader->doc, node, path_of(reader, field->key, path),
                                     field->least, most, &value, reader->diag);
    if (status != STATUS_OK)
        return status;
    if (field->kind == FIELD_U32)
        *(uint32_t *)to = (uint32_t)value;
    else
        *(uint64_t *)to = value;
    return STATUS_OK;
}

static enum status read_text(const struct field_reader *reader, const struct doc_node *node,
                             const char *key, const char **to)
{
    if (node->kind != DOC_TEXT && node->kind != DOC_NUMBER)
        return fail(reader, node, key, "text");
    *to = arena_text(reader->arena, node->text, node->length);
    return STATUS_OK;
}

static enum status read_texts(const struct field_reader *reader, const struct doc_node *node,
                              const char *key, const char *const **to)
{
    if (node->kind != DOC_LIST)
        return fail(reader, node, key, "a list of texts");
    const char **text = arena_array(reader->arena, (size_t)node->count + 1, sizeof *text);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < node->count && status == STATUS_OK; i++)
        status = read_text(reader, &node->child[i], key, &text[i]);
    *to = text;
    return status;
}

static enum status read_numbers(const struct field_reader *reader, const struct doc_node *node,
                                const struct field *field, double *to)
{
    char expected[64];
    snprintf(expected, sizeof expected, "a list of at most %u numbers", (unsigned)field->most);
    if (node->kind != DOC_LIST || node->count > field->most)
        return fail(reader, node, field->key, expected);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < node->count && status == STATUS_OK; i++)
        status = read_number(reader, &node->child[i], field->key, 0, &to[i]);
    return status;
}

static enum status read_value(const struct field_reader *reader, const struct doc_node *node,
                              const struct field *field, void *to)
{
    switch (field->kind) {
    case FIELD_TEXT:
        return read_text(reader, node, field->key, to);
    case FIELD_FLAG:
        if (node->kind != DOC_BOOL)
            return fail(reader, node, field->key, "true or false");
        *(bool *)to = node->boolean;
        return STATUS_OK;
    case FIELD_U32:
    case FIELD_U64:
        return read_whole(reader, node, field, to);
    case FIELD_NUMBER:
        return read_number(reader, node, field->key, field->most, to);
    case FIELD_WORD:
        return read_word(reader, node, field, to);
    case FIELD_NS:
        return read_quantity(reader, node, field->key, units_parse_duration, to);
    case FIELD_BYTES:
        return read_quantity(reader, node, field->key, parse_bytes, to);
    case FIELD_RATE:
        return read_quantity(reader, node, field->key, units_parse_bandwidth, to);
    case FIELD_FLOPS:
        return read_quantity(reader, node, field->key, units_parse_flops, to);
    case FIELD_HZ:
        return read_quantity(reader, node, field->key, units_parse_clock, to);
    case FIELD_WATTS:
        return read_quantity(reader, node, field->key, units_parse_power, to);
    case FIELD_TEXTS:
        return read_texts(reader, node, field->key, to);
    default:
        return read_numbers(reader, node, field, to);
    }
}

/* -- the map -------------------------------------------------------------------------------- */

static enum status check_keys(const struct field_reader *reader, const struct doc_node *map,
                              const struct field *field, const char *const *more)
{
    const char *known[MOST_KEYS + 1];
    uint32_t count = 0;
    for (; field->key && count < MOST_KEYS; field++)
        known[count++] = field->key;
    for (; more && *more && count < MOST_KEYS; more++)
        known[count++] = *more;
    known[count] = NULL;
    const struct doc_node *odd = doc_unknown_key(map, known);
    if (!odd)
        return STATUS_OK;
    char path[PATH];
    diag_fail(reader->diag, STATUS_BAD_CONFIG, "unknown key");
    diag_in(reader->diag, reader->doc->path);
    diag_at(reader->diag, DIAG_LINE, odd->line);
    diag_field(reader->diag, "%s", path_of(reader, odd->key, path));
    const char *nearest = suggest_nearest(odd->key, known);
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"?", nearest);
    return STATUS_BAD_CONFIG;
}

enum status fields_read(const struct field_reader *reader, const struct doc_node *map,
                        const struct field *field, const char *const *more, void *base)
{
    const char *where = reader->path[0] ? reader->path : "document";
    enum status status = doc_want(reader->doc, map, where, DOC_MAP, reader->diag);
    if (status == STATUS_OK)
        status = check_keys(reader, map, field, more);
    for (; field->key && status == STATUS_OK; field++) {
        const struct doc_node *node = doc_find(map, field->key);
        if (node)
            status = read_value(reader, node, field, (char *)base + field->offset);
        else if (field->is_required)
            status = fail(reader, NULL, field->key, "a value");
    }
    return status;
}
