/* YAML: libyaml's events, folded into a tree with an explicit stack. */
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "base/doc_parts.h"
#include "base/table.h"
#include "base/memory.h"

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
        need_memory(build->pending != NULL);
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

static void type_plain(struct doc_node *node)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const trues[] = {"true", "True", "TRUE", NULL};
    static const char *const falses[] = {"false", "False", "FALSE", NULL};
    if (doc_is_one_of(node->text, nulls)) {
        node->kind = DOC_NULL;
    } else if (doc_is_one_of(node->text, trues) || doc_is_one_of(node->text, falses)) {
        node->kind = DOC_BOOL;
        node->boolean = doc_is_one_of(node->text, trues);
    } else if (!doc_take_number(node)) {
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
        return doc_fail_at(name, line, diag,
                           "anchors (&name) are not accepted: write the value out");
    if (event->data.scalar.tag)
        return doc_fail_at(name, line, diag, "tags (!type) are not accepted");
    if (memchr(text, 0, length))
        return doc_fail_at(name, line, diag, "text with a NUL byte is not accepted");
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
        return doc_fail_at(name, line, diag,
                           "anchors (&name) are not accepted: write the value out");
    if (tag)
        return doc_fail_at(name, line, diag, "tags (!type) are not accepted");
    if (build->depth == DOC_DEPTH)
        return doc_fail_at(name, line, diag, "nested too deeply (64 levels are accepted)");
    if (build->depth) {
        const struct level *outer = &build->level[build->depth - 1];
        if (outer->node.kind == DOC_MAP && !outer->key)
            return doc_fail_at(name, line, diag, "expected a key, found a list or map");
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
        status = doc_fail_at(build->doc->path, child[i].line, diag, "the key is given twice");
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
            return doc_fail_at(name, line, diag, "a second document: one is accepted");
        build->done = true;
        return STATUS_OK;
    case YAML_ALIAS_EVENT:
        return doc_fail_at(name, line, diag,
                           "aliases (*name) are not accepted: write the value out");
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
    return doc_fail_at(name, in_text ? parser->problem_mark.line + 1 : 0, diag, "");
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

enum status doc_parse_yaml(struct doc *doc, const char *text, size_t length, struct diag *diag)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return diag_fail(diag, STATUS_NO_MEMORY, "not enough memory to read the document");
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    struct build build = {.doc = doc};
    enum status status = run_events(&build, &parser, diag);
    if (status == STATUS_OK && build.count == 0)
        status = doc_fail_at(doc->path, 0, diag, "the file is empty");
    if (status == STATUS_OK) {
        doc->root = arena_take(&doc->arena, sizeof *doc->root);
        *doc->root = build.pending[0];
    }
    free(build.pending);
    yaml_parser_delete(&parser);
    return status;
}
