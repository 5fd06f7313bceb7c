/* Process-group declarations of metadata nodes. */
#include "workloads/chakra/chakra_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/doc.h"
#include "base/status.h"
#include "base/memory.h"

/* The declarations: from the first '{' to the last '}'. */
static struct chakra_text between_braces(struct chakra_text text)
{
    const char *first = text.length ? memchr(text.at, '{', text.length) : NULL;
    if (!first)
        return (struct chakra_text){0};
    const char *last = text.at + text.length;
    while (--last > first && *last != '}')
        ;
    return (struct chakra_text){first, (size_t)(last - first) + (last > first)};
}

struct rewriter {
    char *to;
    size_t length;
};

static void emit(struct rewriter *out, const char *text, size_t length)
{
    memcpy(out->to + out->length, text, length);
    out->length += length;
}

/* One quoted text, whatever its quotes, with double quotes. Returns the place after it. */
static const char *rewrite_quoted(struct rewriter *out, const char *at, const char *end)
{
    char quote = *at++;
    emit(out, "\"", 1);
    for (; at < end && *at != quote; at++) {
        if (*at == '"') {
            emit(out, "\\\"", 2);
        } else if (*at == '\\' && at + 1 < end) {
            at++;
            if (*at == '\'')
                emit(out, at, 1);
            else
                emit(out, at - 1, 2);
        } else {
            emit(out, at, 1);
        }
    }
    emit(out, "\"", 1);
    return at < end ? at + 1 : end;
}

static bool word_is(const char *at, const char *end, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

/*
 * JSON for a Python display: 'x' becomes "x", (..) becomes [..], None, True and False their JSON
 * words. The result is at most twice as long, plus the brackets around it.
 */
static struct rewriter to_json(struct chakra_text text)
{
    struct rewriter out = {malloc(2 * text.length + 16), 0};
    need_memory(out.to != NULL);
    const char *at = text.at, *end = text.at + text.length;
    emit(&out, "[", 1);
    while (at < end) {
        if (*at == '"' || *at == '\'') {
            at = rewrite_quoted(&out, at, end);
        } else if (word_is(at, end, "None")) {
            emit(&out, "null", 4);
            at += 4;
        } else if (word_is(at, end, "True")) {
            emit(&out, "true", 4);
            at += 4;
        } else if (word_is(at, end, "False")) {
            emit(&out, "false", 5);
            at += 5;
        } else {
            emit(&out, *at == '(' ? "[" : *at == ')' ? "]" : at, 1);
            at++;
        }
    }
    emit(&out, "]", 1);
    return out;
}

static bool same_members(const struct trace_group *group, const uint32_t *ranks, uint32_t count)
{
    return group->count == count && (count == 0 || !memcmp(group->ranks, ranks, count * 4));
}

static void add_group(struct group_list *list, struct trace_group group)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(list->group[i].name, group.name) == 0 &&
            same_members(&list->group[i], group.ranks, group.count))
            return;
    }
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 8;
        list->group = realloc(list->group, list->capacity * sizeof *list->group);
        need_memory(list->group != NULL);
    }
    list->group[list->count++] = group;
}

static bool read_ranks(const struct doc_node *ranks, struct arena *arena, struct trace_group *group)
{
    if (!ranks || ranks->kind == DOC_NULL)
        return true;
    if (ranks->kind != DOC_LIST)
        return false;
    group->count = ranks->count;
    group->ranks = arena_array(arena, ranks->count, sizeof *group->ranks);
    for (uint32_t i = 0; i < ranks->count; i++) {
        const struct doc_node *rank = &ranks->child[i];
        if (rank->kind != DOC_NUMBER || !rank->is_integer || rank->is_negative ||
            rank->magnitude >= TRACE_NONE)
            return false;
        group->ranks[i] = (uint32_t)rank->magnitude;
    }
    return true;
}

static bool read_group(const struct doc_node *map, struct arena *arena, struct group_list *list)
{
    const struct doc_node *name = doc_find(map, "pg_name");
    if (!name || (name->kind != DOC_TEXT && name->kind != DOC_NUMBER))
        return false;
    struct trace_group group = {.name = arena_text(arena, name->text, name->length)};
    if (!read_ranks(doc_find(map, "ranks"), arena, &group))
        return false;
    add_group(list, group);
    return true;
}

bool chakra_text_groups(struct chakra_text values, struct arena *arena, struct group_list *list)
{
    values.length = values.at ? strnlen(values.at, values.length) : 0;
    struct chakra_text text = between_braces(values);
    if (!text.length)
        return true;
    struct rewriter json = to_json(text);
    struct diag ignored = DIAG_NONE;
    struct doc doc;
    bool ok =
        doc_parse(&doc, "process groups", json.to, json.length, DOC_JSON, &ignored) == STATUS_OK;
    for (uint32_t i = 0; ok && i < doc.root->count; i++)
        ok = read_group(&doc.root->child[i], arena, list);
    if (ignored.status == STATUS_OK)
        doc_release(&doc);
    free(json.to);
    return ok;
}

void group_list_release(struct group_list *list)
{
    free(list->group);
    *list = (struct group_list){0};
}
