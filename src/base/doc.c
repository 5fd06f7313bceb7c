#include "base/doc.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <yaml.h>

#include "base/file.h"
#include "base/table.h"

/* A document is configuration: one larger than this is a mistake, or an attack. */
enum { LARGEST_DOCUMENT = 32 << 20 };

static enum status fail_at(const char *name, uint64_t line, struct diag *diag, const char *message)
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

/* Makes `node` a number if its text is one. */
static bool take_number(struct doc_node *node)
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
    errno = 0;
    uint64_t magnitude = strtoull(digits, NULL, 10);
    uint64_t most = node->is_negative ? (uint64_t)INT64_MAX + 1 : UINT64_MAX;
    node->is_integer = errno == 0 && magnitude <= most;
    node->magnitude = magnitude;
    return true;
}

/* -- JSON: jansson validates and decodes, a walk over the same text adds the lines ----------- */

struct walk {
    struct doc *doc;
    const char *at;
    uint32_t line;
};

static void skip_space(struct walk *walk)
{
    for (;; walk->at++) {
        if (*walk->at == '\n')
            walk->line++;
        else if (*walk->at != ' ' && *walk->at != '\t' && *walk->at != '\r')
            return;
    }
}

/* Skips one punctuation character with the space around it. */
static void skip_mark(struct walk *walk)
{
    skip_space(walk);
    walk->at++;
    skip_space(walk);
}

static void skip_string(struct walk *walk)
{
    for (walk->at++; *walk->at != '"'; walk->at++)
        walk->at += *walk->at == '\\';
    walk->at++;
}

static size_t scalar_length(const struct walk *walk)
{
    return strspn(walk->at, "+-.0123456789abcdefghijklmnopqrstuvwxyzE");
}

static void convert(struct walk *walk, json_t *json, struct doc_node *node);

static void convert_children(struct walk *walk, json_t *json, struct doc_node *node)
{
    struct arena *arena = &walk->doc->arena;
    bool is_map = json_is_object(json);
    size_t count = is_map ? json_object_size(json) : json_array_size(json);
    node->kind = is_map ? DOC_MAP : DOC_LIST;
    node->child = arena_array(arena, count, sizeof *node->child);
    node->count = (uint32_t)count;
    skip_mark(walk); /* opening bracket */
    if (count == 0)
        walk->at++;
    void *entry = is_map ? json_object_iter(json) : NULL;
    for (size_t i = 0; i < count; i++) {
        struct doc_node *child = &node->child[i];
        json_t *value = is_map ? json_object_iter_value(entry) : json_array_get(json, i);
        if (is_map) {
            const char *key = json_object_iter_key(entry);
            child->key = arena_text(arena, key, strlen(key));
            entry = json_object_iter_next(json, entry);
            skip_string(walk);
            skip_mark(walk); /* colon */
        }
        convert(walk, value, child);
        skip_mark(walk); /* comma or closing bracket */
    }
}

static void convert(struct walk *walk, json_t *json, struct doc_node *node)
{
    struct arena *arena = &walk->doc->arena;
    node->line = walk->line;
    if (json_is_object(json) || json_is_array(json)) {
        convert_children(walk, json, node);
        return;
    }
    if (json_is_string(json)) {
        node->kind = DOC_TEXT;
        node->length = json_string_length(json);
        node->text = arena_text(arena, json_string_value(json), node->length);
        skip_string(walk);
        return;
    }
    node->length = scalar_length(walk);
    node->text = arena_text(arena, walk->at, node->length);
    walk->at += node->length;
    node->kind = json_is_boolean(json) ? DOC_BOOL : DOC_NULL;
    node->boolean = json_is_true(json);
    if (json_is_number(json)) {
        bool taken = take_number(node);
        promise(taken);
    }
}

/* jansson recurses to depth 2048; deeper than DOC_DEPTH never reaches it. */
static enum status check_depth(const char *name, const char *text, struct diag *diag)
{
    uint32_t line = 1;
    int depth = 0;
    bool in_string = false;
    for (const char *c = text; *c; c++) {
        line += *c == '\n';
        if (in_string) {
            if (*c == '\\' && c[1])
                c++;
            in_string = *c != '"';
        } else if (*c == '"') {
            in_string = true;
        } else if (*c == '[' || *c == '{') {
            if (++depth > DOC_DEPTH)
                return fail_at(name, line, diag, "nested too deeply (64 levels are accepted)");
        } else if (*c == ']' || *c == '}') {
            depth--;
        }
    }
    return STATUS_OK;
}

static enum status parse_json(struct doc *doc, const char *text, size_t length, struct diag *diag)
{
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* byte order mark */
        text += 3;
        length -= 3;
    }
    enum status status = check_depth(doc->path, text, diag);
    if (status != STATUS_OK)
        return status;
    if (text[strspn(text, " \t\r\n")] == '\0')
        return fail_at(doc->path, 0, diag, "the file is empty");
    json_error_t error;
    json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!json) {
        uint64_t line = error.line > 0 ? (uint64_t)error.line : 0;
        diag_fail(diag, STATUS_BAD_CONFIG, "JSON syntax: %s (column %d)", error.text, error.column);
        return fail_at(doc->path, line, diag, "");
    }
    struct walk walk = {.doc = doc, .at = text, .line = 1};
    skip_space(&walk);
    doc->root = arena_take(&doc->arena, sizeof *doc->root);
    convert(&walk, json, doc->root);
    json_decref(json);
    return STATUS_OK;
}

/* -- YAML: libyaml's events, folded into a tree with an explicit stack ------------------------ */

/* An open list or map: its children are the tail of `pending` from `first` on. */
struct level {
    struct doc_node node;
    size_t first;
    char *key; /* of the next value, if this is a map and the key was read */
};

struct build {
    struct doc *doc;
    struct doc_node *pending;
    size_t count, capacity;
    struct level level[DOC_DEPTH];
    int depth;
    bool done; /* the root is complete */
};

static struct doc_node *add_pending(struct build *build)
{
    if (build->count == build->capacity) {
        build->capacity = build->capacity ? 2 * build->capacity : 64;
        build->pending = realloc(build->pending, build->capacity * sizeof *build->pending);
        promise(build->pending != NULL);
    }
    return &build->pending[build->count++];
}

/* Puts a complete value under the key, or in the list, that waits for it. */
static void add_value(struct build *build, struct doc_node value)
{
    if (build->depth) {
        struct level *level = &build->level[build->depth - 1];
        value.key = level->key;
        level->key = NULL;
    }
    *add_pending(build) = value;
}

static bool is_one_of(const char *text, const char *const *words)
{
    for (; *words; words++) {
        if (strcmp(text, *words) == 0)
            return true;
    }
    return false;
}

static void type_plain(struct doc_node *node)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const trues[] = {"true", "True", "TRUE", NULL};
    static const char *const falses[] = {"false", "False", "FALSE", NULL};
    if (is_one_of(node->text, nulls)) {
        node->kind = DOC_NULL;
    } else if (is_one_of(node->text, trues) || is_one_of(node->text, falses)) {
        node->kind = DOC_BOOL;
        node->boolean = is_one_of(node->text, trues);
    } else if (!take_number(node)) {
        node->kind = DOC_TEXT;
    }
}

static enum status on_scalar(struct build *build, const yaml_event_t *event, uint32_t line,
                             struct diag *diag)
{
    const char *name = build->doc->path;
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (event->data.scalar.anchor)
        return fail_at(name, line, diag, "anchors (&name) are not accepted: write the value out");
    if (event->data.scalar.tag)
        return fail_at(name, line, diag, "tags (!type) are not accepted");
    if (memchr(text, 0, length))
        return fail_at(name, line, diag, "text with a NUL byte is not accepted");
    char *copy = arena_text(&build->doc->arena, text, length);
    struct level *level = build->depth ? &build->level[build->depth - 1] : NULL;
    if (level && level->node.kind == DOC_MAP && !level->key) {
        level->key = copy;
        return STATUS_OK;
    }
    struct doc_node node = {.kind = DOC_TEXT, .text = copy, .length = length, .line = line};
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        type_plain(&node);
    add_value(build, node);
    return STATUS_OK;
}

static enum status on_open(struct build *build, enum doc_kind kind, const yaml_char_t *anchor,
                           const yaml_char_t *tag, uint32_t line, struct diag *diag)
{
    const char *name = build->doc->path;
    if (anchor)
        return fail_at(name, line, diag, "anchors (&name) are not accepted: write the value out");
    if (tag)
        return fail_at(name, line, diag, "tags (!type) are not accepted");
    if (build->depth == DOC_DEPTH)
        return fail_at(name, line, diag, "nested too deeply (64 levels are accepted)");
    if (build->depth) {
        const struct level *outer = &build->level[build->depth - 1];
        if (outer->node.kind == DOC_MAP && !outer->key)
            return fail_at(name, line, diag, "expected a key, found a list or map");
    }
    build->level[build->depth++] =
        (struct level){.node = {.kind = kind, .line = line}, .first = build->count};
    return STATUS_OK;
}

static enum status check_keys(const struct build *build, const struct doc_node *child, size_t count,
                              struct diag *diag)
{
    struct names names;
    names_init(&names);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (names_add(&names, child[i].key, strlen(child[i].key)) == i)
            continue;
        diag_field(diag, "%s", child[i].key);
        status = fail_at(build->doc->path, child[i].line, diag, "the key is given twice");
    }
    names_release(&names);
    return status;
}

static enum status on_close(struct build *build, struct diag *diag)
{
    struct level *level = &build->level[--build->depth];
    struct doc_node node = level->node;
    size_t count = build->count - level->first;
    node.count = (uint32_t)count;
    node.child = arena_array(&build->doc->arena, count, sizeof *node.child);
    if (count)
        memcpy(node.child, &build->pending[level->first], count * sizeof *node.child);
    build->count = level->first;
    if (node.kind == DOC_MAP) {
        enum status status = check_keys(build, node.child, count, diag);
        if (status != STATUS_OK)
            return status;
    }
    add_value(build, node);
    return STATUS_OK;
}

static enum status on_event(struct build *build, const yaml_event_t *event, struct diag *diag)
{
    const char *name = build->doc->path;
    uint32_t line = (uint32_t)event->start_mark.line + 1;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (build->done)
            return fail_at(name, line, diag, "a second document: one is accepted");
        build->done = true;
        return STATUS_OK;
    case YAML_ALIAS_EVENT:
        return fail_at(name, line, diag, "aliases (*name) are not accepted: write the value out");
    case YAML_SCALAR_EVENT:
        return on_scalar(build, event, line, diag);
    case YAML_SEQUENCE_START_EVENT:
        return on_open(build, DOC_LIST, event->data.sequence_start.anchor,
                       event->data.sequence_start.tag, line, diag);
    case YAML_MAPPING_START_EVENT:
        return on_open(build, DOC_MAP, event->data.mapping_start.anchor,
                       event->data.mapping_start.tag, line, diag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return on_close(build, diag);
    default:
        return STATUS_OK;
    }
}

static enum status yaml_syntax(const yaml_parser_t *parser, const char *name, struct diag *diag)
{
    if (parser->error == YAML_MEMORY_ERROR)
        return diag_fail(diag, STATUS_NO_MEMORY, "not enough memory to read the document");
    bool in_text = parser->error != YAML_READER_ERROR;
    diag_fail(diag, STATUS_BAD_CONFIG, "YAML syntax: %s%s%s",
              parser->context ? parser->context : "", parser->context ? ": " : "",
              parser->problem ? parser->problem : "cannot be read");
    return fail_at(name, in_text ? parser->problem_mark.line + 1 : 0, diag, "");
}

static enum status run_events(struct build *build, yaml_parser_t *parser, struct diag *diag)
{
    for (;;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event))
            return yaml_syntax(parser, build->doc->path, diag);
        bool end = event.type == YAML_STREAM_END_EVENT;
        enum status status = on_event(build, &event, diag);
        yaml_event_delete(&event);
        if (status != STATUS_OK || end)
            return status;
    }
}

static enum status parse_yaml(struct doc *doc, const char *text, size_t length, struct diag *diag)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return diag_fail(diag, STATUS_NO_MEMORY, "not enough memory to read the document");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    struct build build = {.doc = doc};
    enum status status = run_events(&build, &parser, diag);
    if (status == STATUS_OK && build.count == 0)
        status = fail_at(doc->path, 0, diag, "the file is empty");
    if (status == STATUS_OK) {
        doc->root = arena_take(&doc->arena, sizeof *doc->root);
        *doc->root = build.pending[0];
    }
    free(build.pending);
    yaml_parser_delete(&parser);
    return status;
}

/* -- documents ----------------------------------------------------------------------------- */

enum status doc_parse(struct doc *doc, const char *name, const char *text, size_t length,
                      enum doc_syntax syntax, struct diag *diag)
{
    *doc = (struct doc){0};
    arena_init(&doc->arena);
    doc->path = arena_text(&doc->arena, name, strlen(name));
    enum status status = STATUS_OK;
    if (length > LARGEST_DOCUMENT)
        status = fail_at(name, 0, diag, "larger than the 32 MiB accepted for a document");
    else if (length && memchr(text, 0, length))
        status = fail_at(name, 0, diag, "a NUL byte: this is not a text file");
    if (status == STATUS_OK) {
        char *copy = malloc(length + 1); /* the scanners rely on the final NUL */
        promise(copy != NULL);
        if (length)
            memcpy(copy, text, length);
        copy[length] = '\0';
        status = syntax == DOC_JSON ? parse_json(doc, copy, length, diag)
                                    : parse_yaml(doc, copy, length, diag);
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
        if (!is_one_of(node->child[i].key, known))
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

enum status doc_get_number(const struct doc *doc, const struct doc_node *node, const char *field,
                           double *value, struct diag *diag)
{
    if (!node || node->kind != DOC_NUMBER)
        return doc_fail(doc, node, field, "a number", diag);
    *value = node->number;
    return STATUS_OK;
}

enum status doc_get_bool(const struct doc *doc, const struct doc_node *node, const char *field,
                         bool *value, struct diag *diag)
{
    if (!node || node->kind != DOC_BOOL)
        return doc_fail(doc, node, field, "true or false", diag);
    *value = node->boolean;
    return STATUS_OK;
}

enum status doc_get_text(const struct doc *doc, const struct doc_node *node, const char *field,
                         const char **value, struct diag *diag)
{
    if (!node || node->kind != DOC_TEXT)
        return doc_fail(doc, node, field, "text", diag);
    *value = node->text;
    return STATUS_OK;
}
