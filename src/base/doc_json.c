/* JSON: jansson validates and decodes, a walk over the same text adds the lines. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/doc_parts.h"
#include "base/memory.h"

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
        bool taken = doc_take_number(node);
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
                return doc_fail_at(name, line, diag, "nested too deeply (64 levels are accepted)");
        } else if (*c == ']' || *c == '}') {
            depth--;
        }
    }
    return STATUS_OK;
}

/* jansson loses a character when it cannot allocate: exhausted memory is a promise, as in an arena.
 */
static void *allocate(size_t size)
{
    void *memory = malloc(size);
    need_memory(memory != NULL);
    return memory;
}

/* The allocator is one for the process: set once, so that documents may be read in threads. */
static void set_allocator(void)
{
    json_set_alloc_funcs(allocate, free);
}

enum {
    SAFE_DIGITS = 18,    /* any integer of so many digits fits in int64 */
    FINITE_DIGITS = 308, /* and of so many in a double */
};

/*
 * jansson stops at 2^63 - 1. Longer integers are shown to it as reals of the same length ("9223.."
 * becomes "9.23.."): it checks the syntax, and the walk takes the number from the text itself.
 * One that no double holds is left for jansson to refuse. Returns a copy to be freed, or NULL if
 * there is none.
 */
static char *hide_long_integers(const char *text, size_t length)
{
    char *copy = NULL;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"') {
            for (i++; i < length && text[i] != '"'; i++)
                i += text[i] == '\\';
            continue;
        }
        size_t digits = strspn(text + i, "0123456789");
        bool is_integer = digits > SAFE_DIGITS && digits <= FINITE_DIGITS && text[i] != '0' &&
                          !strchr(".eE", text[i + digits]);
        if (is_integer && (i == 0 || !strchr(".eE+", text[i - 1]))) {
            if (!copy) {
                copy = allocate(length + 1);
                memcpy(copy, text, length + 1);
            }
            copy[i + 1] = '.';
        }
        i += digits ? digits - 1 : 0;
    }
    return copy;
}

enum status doc_parse_json(struct doc *doc, const char *text, size_t length, struct diag *diag)
{
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) { /* byte order mark */
        text += 3;
        length -= 3;
    }
    enum status status = check_depth(doc->path, text, diag);
    if (status != STATUS_OK)
        return status;
    if (text[strspn(text, " \t\r\n")] == '\0')
        return doc_fail_at(doc->path, 0, diag, "the file is empty");
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_allocator);
    json_error_t error;
    char *tamed = hide_long_integers(text, length);
    json_t *json =
        json_loadb(tamed ? tamed : text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    free(tamed);
    if (!json) {
        uint64_t line = error.line > 0 ? (uint64_t)error.line : 0;
        diag_fail(diag, STATUS_BAD_CONFIG, "JSON syntax: %s (column %d)", error.text, error.column);
        return doc_fail_at(doc->path, line, diag, "");
    }
    struct walk walk = {.doc = doc, .at = text, .line = 1};
    skip_space(&walk);
    doc->root = arena_take(&doc->arena, sizeof *doc->root);
    convert(&walk, json, doc->root);
    json_decref(json);
    return STATUS_OK;
}
