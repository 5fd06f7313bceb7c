#include "net/collective/tuner_fields.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "base/units.h"

enum { MOST_KEYS = 64 };

static const char *field_path(const struct tuner_reader *reader, const char *key, char *to,
                              size_t size)
{
    snprintf(to, size, "%s%s%s", reader->path, reader->path[0] ? "." : "", key);
    return to;
}

enum status tuner_field_fail(const struct tuner_reader *reader, const struct doc_node *node,
                             const char *key, const char *expected)
{
    char path[160];
    return doc_fail(reader->doc, node, field_path(reader, key, path, sizeof path), expected,
                    reader->diag);
}

static enum status read_quantity(const struct tuner_reader *reader, const struct doc_node *node,
                                 const char *key, enum tuner_field_kind kind, double *value)
{
    if (!node || (node->kind != DOC_NUMBER && node->kind != DOC_TEXT))
        return tuner_field_fail(reader, node, key, kind == FIELD_US ? "a duration" : "a bandwidth");
    enum status status = kind == FIELD_US
                             ? units_parse_duration(node->text, NULL, value, NULL, reader->diag)
                             : units_parse_bandwidth(node->text, NULL, value, NULL, reader->diag);
    if (status != STATUS_OK) {
        char path[160];
        diag_in(reader->diag, reader->doc->path);
        diag_at(reader->diag, DIAG_LINE, node->line);
        diag_field(reader->diag, "%s", field_path(reader, key, path, sizeof path));
        return reader->diag->status = STATUS_BAD_CONFIG;
    }
    if (kind == FIELD_US)
        *value /= 1000;
    /* What no hardware has would only make sums overflow. */
    if (kind == FIELD_US && *value > 1e6)
        return tuner_field_fail(reader, node, key, "at most 1s");
    if (kind == FIELD_RATE && (*value < 1 || *value > 1e18))
        return tuner_field_fail(reader, node, key, "from 1B/s to 10^9 GB/s");
    return STATUS_OK;
}

enum status tuner_read_scalar(const struct tuner_reader *reader, const struct doc_node *node,
                              const char *key, enum tuner_field_kind kind, void *to)
{
    char path[160];
    uint64_t count;
    enum status status;
    switch (kind) {
    case FIELD_US:
    case FIELD_RATE:
        return read_quantity(reader, node, key, kind, to);
    case FIELD_NUMBER:
        if (!node || node->kind != DOC_NUMBER || !(node->number >= 1e-9) || node->number > 1e12)
            return tuner_field_fail(reader, node, key, "a number above 0, at most 10^12");
        *(double *)to = node->number;
        return STATUS_OK;
    case FIELD_SHARE:
        if (!node || node->kind != DOC_NUMBER || !(node->number >= 0) || node->number > 1e3)
            return tuner_field_fail(reader, node, key, "a number from 0 to 1000");
        *(double *)to = node->number;
        return STATUS_OK;
    case FIELD_COUNT:
        status = doc_get_u64(reader->doc, node, field_path(reader, key, path, sizeof path), 1,
                             1u << 24, &count, reader->diag);
        *(uint32_t *)to = status == STATUS_OK ? (uint32_t)count : 0;
        return status;
    case FIELD_FLAG:
        if (!node || node->kind != DOC_BOOL)
            return tuner_field_fail(reader, node, key, "true or false");
        *(bool *)to = node->boolean;
        return STATUS_OK;
    default: {
        const char *text;
        status = doc_get_text(reader->doc, node, field_path(reader, key, path, sizeof path), &text,
                              reader->diag);
        if (status == STATUS_OK)
            *(const char **)to = arena_text(&reader->tuner->arena, text, strlen(text));
        return status;
    }
    }
}

static enum status read_field(const struct tuner_reader *reader, const struct doc_node *map,
                              const struct tuner_field *field, void *base)
{
    const struct doc_node *node = doc_find(map, field->key);
    char *to = (char *)base + field->offset;
    if (field->count == 1)
        return tuner_read_scalar(reader, node, field->key, field->kind, to);
    bool fits = node && node->kind == DOC_LIST &&
                (field->optional ? node->count >= 1 && node->count <= field->count
                                 : node->count == field->count);
    if (!fits) {
        char expected[48];
        snprintf(expected, sizeof expected, "a list of %s%u values", field->optional ? "1 to " : "",
                 field->count);
        return tuner_field_fail(reader, node, field->key, expected);
    }
    enum status status = STATUS_OK;
    for (uint32_t i = 0; status == STATUS_OK && i < node->count; i++)
        status = tuner_read_scalar(reader, &node->child[i], field->key, field->kind,
                                   to + i * sizeof(double));
    return status;
}

/* All fields of `map`; those absent are left as they are if optional or if `may_inherit`. */
enum status tuner_read_fields(const struct tuner_reader *reader, const struct doc_node *map,
                              const struct tuner_field *field, bool may_inherit, void *base)
{
    enum status status = STATUS_OK;
    for (; status == STATUS_OK && field->key; field++) {
        if (doc_find(map, field->key) || !(field->optional || may_inherit))
            status = read_field(reader, map, field, base);
    }
    return status;
}

enum status tuner_check_keys(const struct tuner_reader *reader, const struct doc_node *map,
                             const struct tuner_field *field, const char *const *more)
{
    const char *known[MOST_KEYS];
    uint32_t count = 0;
    for (; field->key; field++)
        known[count++] = field->key;
    for (; *more; more++)
        known[count++] = *more;
    promise(count < MOST_KEYS);
    known[count] = NULL;
    char path[160];
    enum status status = doc_want(reader->doc, map, reader->path[0] ? reader->path : "document",
                                  DOC_MAP, reader->diag);
    const struct doc_node *odd = status == STATUS_OK ? doc_unknown_key(map, known) : NULL;
    if (!odd)
        return status;
    diag_fail(reader->diag, STATUS_BAD_CONFIG, "unknown key");
    diag_in(reader->diag, reader->doc->path);
    diag_at(reader->diag, DIAG_LINE, odd->line);
    diag_field(reader->diag, "%s", field_path(reader, odd->key, path, sizeof path));
    const char *nearest = suggest_nearest(odd->key, known);
    if (nearest)
        diag_hint(reader->diag, "did you mean \"%s\"?", nearest);
    return STATUS_BAD_CONFIG;
}

/* Number of the word `key` among `words`, or an error that lists them. */
enum status tuner_read_word(const struct tuner_reader *reader, const struct doc_node *map,
                            const char *key, const char *const *words, uint32_t *number)
{
    const struct doc_node *node = doc_find(map, key);
    char expected[64] = "one of";
    for (uint32_t i = 0; words[i]; i++) {
        if (node && node->kind == DOC_TEXT && strcmp(node->text, words[i]) == 0) {
            *number = i;
            return STATUS_OK;
        }
        strncat(expected, " ", sizeof expected - strlen(expected) - 1);
        strncat(expected, words[i], sizeof expected - strlen(expected) - 1);
    }
    return tuner_field_fail(reader, node, key, expected);
}
