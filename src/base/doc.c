#include "base/doc.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/doc_parts.h"
#include "base/file.h"
#include "base/table.h"
#include "base/memory.h"

/* A document is configuration: one larger than this is a mistake, or an attack. */
enum { LARGEST_DOCUMENT = 32 << 20 };

enum status doc_fail_at(const char *name, uint64_t line, struct diag *diag, const char *message)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "%s", message);
    diag_in(diag, name);
    if (line)
        diag_at(diag, DIAG_LINE, line);
    return STATUS_BAD_CONFIG;
}

/* -- numbers ------------------------------------------------------------------------------- */

static const char *after_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

/* True if `text` is wholly a decimal number: sign, digits without leading zero, point, exponent. */
static bool is_number(const char *text, size_t length, bool *is_integer)
{
    const char *end = text + length;
    const char *at = text + (length && (*text == '-' || *text == '+'));
    const char *digits = at;
    at = after_digits(at, end);
    size_t count = (size_t)(at - digits);
    if (count > 1 && *digits == '0')
        return false;
    *is_integer = true;
    if (at < end && *at == '.') {
        const char *fraction = after_digits(at + 1, end);
        count += (size_t)(fraction - at - 1);
        at = fraction;
        *is_integer = false;
    }
    if (count == 0)
        return false;
    if (at < end && (*at == 'e' || *at == 'E')) {
        at += 1 + (at + 1 < end && (at[1] == '-' || at[1] == '+'));
        const char *power = after_digits(at, end);
        if (power == at)
            return false;
        at = power;
        *is_integer = false;
    }
    return at == end;
}

bool doc_take_number(struct doc_node *node)
{
    bool is_integer;
    if (!is_number(node->text, node->length, &is_integer))
        return false;
    double number = strtod(node->text, NULL);
    if (!isfinite(number))
        return false;
    node->kind = DOC_NUMBER;
    node->number = number;
    node->is_negative = number < 0;
    if (!is_integer)
        return true;
    const char *digits = node->text + (*node->text == '-' || *node->text == '+');
    size_t length = node->length - (size_t)(digits - node->text);
    uint64_t most = node->is_negative ? (uint64_t)INT64_MAX + 1 : UINT64_MAX;
    node->is_integer = decimal_u64(digits, length, &node->magnitude) && node->magnitude <= most;
    return true;
}

bool doc_is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++) {
        if (strcmp(text, *words) == 0)
            return true;
    }
    return false;
}

/* -- documents ----------------------------------------------------------------------------- */

enum status doc_parse(struct doc *doc, const char *name, const char *text, size_t length,
                      enum doc_syntax syntax, struct diag *diag)
{
    *doc = (struct doc){0};
    arena_init(&doc->arena);
    doc->path = arena_text(&doc->arena, name, strlen(name));
    doc->content_hash = hash_bytes(text, length, 0);
    enum status status = STATUS_OK;
    if (length > LARGEST_DOCUMENT)
        status = doc_fail_at(name, 0, diag, "larger than the 32 MiB accepted for a document");
    else if (length && memchr(text, 0, length))
        status = doc_fail_at(name, 0, diag, "a NUL byte: this is not a text file");
    if (status == STATUS_OK) {
        char *copy = malloc(length + 1); /* the scanners rely on the final NUL */
        need_memory(copy != NULL);
        if (length)
            memcpy(copy, text, length);
        copy[length] = '\0';
        status = syntax == DOC_JSON ? doc_parse_json(doc, copy, length, diag)
                                    : doc_parse_yaml(doc, copy, length, diag);
        free(copy);
    }
    if (status != STATUS_OK)
        doc_release(doc);
    return status;
}

enum status doc_load(struct doc *doc, const char *path, enum doc_syntax syntax, struct diag *diag)
{
    *doc = (struct doc){0};
    struct file file;
    enum status status = file_load(&file, path, LARGEST_DOCUMENT, diag);
    if (status == STATUS_BAD_INPUT) /* what file.h calls it; here it is a configuration file */
        status = diag->status = STATUS_BAD_CONFIG;
    if (status != STATUS_OK)
        return status;
    status = doc_parse(doc, path, (const char *)file.bytes, file.length, syntax, diag);
    file_release(&file);
    return status;
}

void doc_release(struct doc *doc)
{
    arena_release(&doc->arena);
    *doc = (struct doc){0};
}

const struct doc_node *doc_find(const struct doc_node *node, const char *key)
{
    if (!node || node->kind != DOC_MAP)
        return NULL;
    for (uint32_t i = 0; i < node->count; i++) {
        if (strcmp(node->child[i].key, key) == 0)
            return &node->child[i];
    }
    return NULL;
}

const struct doc_node *doc_unknown_key(const struct doc_node *node, const char *const *known)
{
    for (uint32_t i = 0; node && node->kind == DOC_MAP && i < node->count; i++) {
        if (!doc_is_one_of(node->child[i].key, known))
            return &node->child[i];
    }
    return NULL;
}

const char *doc_kind_name(enum doc_kind kind)
{
    static const char *const names[] = {
        [DOC_NULL] = "nothing", [DOC_BOOL] = "a truth value", [DOC_NUMBER] = "a number",
        [DOC_TEXT] = "text",    [DOC_LIST] = "a list",        [DOC_MAP] = "a map",
    };
    return names[kind];
}

enum status doc_fail(const struct doc *doc, const struct doc_node *node, const char *field,
                     const char *expected, struct diag *diag)
{
    if (!node)
        diag_fail(diag, STATUS_BAD_CONFIG, "missing; expected %s", expected);
    else if (node->kind == DOC_TEXT)
        diag_fail(diag, STATUS_BAD_CONFIG, "expected %s, found text \"%.60s\"", expected,
                  node->text);
    else if (node->kind == DOC_LIST || node->kind == DOC_MAP)
        diag_fail(diag, STATUS_BAD_CONFIG, "expected %s, found %s of %" PRIu32, expected,
                  doc_kind_name(node->kind), node->count);
    else
        diag_fail(diag, STATUS_BAD_CONFIG, "expected %s, found %s%s%.60s", expected,
                  doc_kind_name(node->kind), node->length ? " " : "", node->text);
    diag_in(diag, doc->path);
    diag_field(diag, "%s", field);
    if (node && node->line)
        diag_at(diag, DIAG_LINE, node->line);
    return STATUS_BAD_CONFIG;
}

enum status doc_want(const struct doc *doc, const struct doc_node *node, const char *field,
                     enum doc_kind kind, struct diag *diag)
{
    if (node && node->kind == kind)
        return STATUS_OK;
    return doc_fail(doc, node, field, doc_kind_name(kind), diag);
}

enum status doc_get_u64(const struct doc *doc, const struct doc_node *node, const char *field,
                        uint64_t least, uint64_t most, uint64_t *value, struct diag *diag)
{
    if (node && node->kind == DOC_NUMBER && node->is_integer && !node->is_negative &&
        node->magnitude >= least && node->magnitude <= most) {
        *value = node->magnitude;
        return STATUS_OK;
    }
    char expected[96];
    if (most >= INT64_MAX)
        snprintf(expected, sizeof expected, "an integer of %" PRIu64 " or more", least);
    else
        snprintf(expected, sizeof expected, "an integer from %" PRIu64 " to %" PRIu64, least, most);
    return doc_fail(doc, node, field, expected, diag);
}

enum status doc_get_text(const struct doc *doc, const struct doc_node *node, const char *field,
                         const char **value, struct diag *diag)
{
    if (!node || node->kind != DOC_TEXT)
        return doc_fail(doc, node, field, "text", diag);
    *value = node->text;
    return STATUS_OK;
}
