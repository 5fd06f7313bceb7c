#include "base/doc_edit.h"

#include <stdio.h>
#include <string.h>

#include "base/decimal.h"
#include "base/doc_parts.h"

/* Parses `text` into the arena of `doc`; NULL with a message. */
static struct doc_node *parse_value(struct doc *doc, const char *path, const char *text,
                                    struct diag *diag)
{
    size_t size = strlen(text) + 5;
    char *yaml = arena_take(&doc->arena, size);
    int length = snprintf(yaml, size, "v: %s\n", text);
    struct doc part = {.arena = doc->arena, .path = doc->path};
    enum status status = doc_parse_yaml(&part, yaml, (size_t)length, diag);
    doc->arena = part.arena;
    if (status == STATUS_OK && part.root->kind == DOC_MAP && part.root->count == 1)
        return part.root->child;
    diag_fail(diag, STATUS_BAD_CONFIG, "\"%.80s\" is no value", text);
    diag_field(diag, "%s", path);
    return NULL;
}

/* The child of that key, made if it is not there; NULL if `node` is no map. */
static struct doc_node *child_of(struct doc *doc, struct doc_node *node, const char *key)
{
    if (node->kind == DOC_NULL)
        node->kind = DOC_MAP;
    if (node->kind != DOC_MAP)
        return NULL;
    for (uint32_t i = 0; i < node->count; i++) {
        if (strcmp(node->child[i].key, key) == 0)
            return &node->child[i];
    }
    struct doc_node *child = arena_array(&doc->arena, node->count + 1u, sizeof *child);
    if (node->count)
        memcpy(child, node->child, node->count * sizeof *child);
    child[node->count] = (struct doc_node){.kind = DOC_NULL, .key = key, .line = node->line};
    node->child = child;
    return &child[node->count++];
}

/* One step of a path: "name" or, after it, "[n]". NULL if there is no such place. */
static struct doc_node *step(struct doc *doc, struct doc_node *node, const char **at)
{
    uint64_t index;
    if (**at == '[') {
        size_t digits = strcspn(*at + 1, "]");
        if (!decimal_u64(*at + 1, digits, &index) || node->kind != DOC_LIST || index >= node->count)
            return NULL;
        *at += digits + 1;
        *at += **at == ']';
        return &node->child[index];
    }
    *at += **at == '.';
    size_t length = strcspn(*at, ".[");
    if (length == 0)
        return NULL;
    const char *key = arena_text(&doc->arena, *at, length);
    *at += length;
    return child_of(doc, node, key);
}

enum status doc_set(struct doc *doc, const char *path, const char *text, struct diag *diag)
{
    struct doc_node *node = doc->root;
    for (const char *at = path; node && *at;)
        node = step(doc, node, &at);
    if (!node) {
        diag_fail(diag, STATUS_BAD_CONFIG, "there is no such place in the file");
        diag_in(diag, doc->path);
        diag_field(diag, "%s", path);
        return STATUS_BAD_CONFIG;
    }
    struct doc_node *value = parse_value(doc, path, text, diag);
    if (!value)
        return diag->status;
    const char *key = node->key;
    uint32_t line = node->line;
    *node = *value;
    node->key = key;
    node->line = line;
    return STATUS_OK;
}
