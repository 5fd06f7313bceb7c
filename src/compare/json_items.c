#include "compare/json_items.h"

#include <string.h>

static enum status fail(const struct json_items *items, const char *at, const char *what)
{
    diag_fail(items->diag, STATUS_BAD_INPUT, "JSON: %s", what);
    diag_in(items->diag, items->name);
    diag_at(items->diag, DIAG_BYTE, (uint64_t)(at - items->file));
    return STATUS_BAD_INPUT;
}

static void skip_space(struct json_items *items)
{
    while (items->at < items->end && memchr(" \t\r\n", *items->at, 4))
        items->at++;
}

/* The quote that ends the text which begins at `at`, or NULL. */
static const char *text_end(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\';
    return at < end ? at : NULL;
}

/* The first character after the value at `at`, or NULL if its end is missing. */
static const char *value_end(const char *at, const char *end)
{
    uint64_t depth = 0;
    for (; at < end; at++) {
        if (*at == '"') {
            at = text_end(at, end);
            if (!at)
                return NULL;
        } else if (*at == '{' || *at == '[') {
            depth++;
        } else if (*at == '}' || *at == ']') {
            if (depth == 0)
                return at;
            depth--;
        } else if (depth == 0 && *at == ',') {
            return at;
        } else {
            continue;
        }
        if (depth == 0)
            return at + 1;
    }
    return depth ? NULL : end;
}

enum status json_items_begin(struct json_items *items, const char *name, const char *file,
                             const struct json_item *text, struct diag *diag)
{
    *items = (struct json_items){
        .name = name, .file = file, .at = text->text, .end = text->text + text->length};
    items->diag = diag;
    if (items->end - items->at >= 3 && memcmp(items->at, "\xef\xbb\xbf", 3) == 0)
        items->at += 3;
    skip_space(items);
    if (items->at == items->end || !strchr("{[", *items->at))
        return fail(items, items->at, "expected a map or a list");
    items->is_map = *items->at++ == '{';
    return STATUS_OK;
}

static bool stop(struct json_items *items, const char *at, const char *what)
{
    fail(items, at, what);
    return false;
}

static bool take_key(struct json_items *items, struct json_item *item)
{
    const char *begin = items->at, *quote = NULL;
    if (*begin == '"')
        quote = text_end(begin, items->end);
    if (!quote)
        return stop(items, begin, "expected a key");
    size_t length = (size_t)(quote - begin - 1);
    if (length >= sizeof item->key)
        length = sizeof item->key - 1;
    memcpy(item->key, begin + 1, length);
    item->key[length] = '\0';
    items->at = quote + 1;
    skip_space(items);
    if (items->at == items->end || *items->at != ':')
        return stop(items, items->at, "expected ':' after a key");
    items->at++;
    skip_space(items);
    return true;
}

bool json_items_next(struct json_items *items, struct json_item *item)
{
    char close = items->is_map ? '}' : ']';
    skip_space(items);
    if (items->at == items->end)
        return stop(items, items->at,
                    items->is_map ? "the end of a map is missing" : "the end of a list is missing");
    if (*items->at == close)
        return false;
    if (items->is_begun) {
        if (*items->at != ',')
            return stop(items, items->at, "expected ',' between items");
        items->at++;
        skip_space(items);
        if (items->at == items->end)
            return stop(items, items->at, "an item is missing");
    }
    items->is_begun = true;
    item->key[0] = '\0';
    if (items->is_map && !take_key(items, item))
        return false;
    item->text = items->at;
    const char *after = value_end(items->at, items->end);
    if (!after)
        return stop(items, items->at, "what begins here does not end");
    if (after == items->at)
        return stop(items, items->at, "expected a value");
    item->length = (size_t)(after - item->text);
    items->at = after;
    while (item->length && memchr(" \t\r\n", item->text[item->length - 1], 4))
        item->length--;
    return true;
}

enum status json_items_status(const struct json_items *items)
{
    return items->diag->status;
}

enum status json_item_parse(const struct json_items *items, const struct json_item *item,
                            struct doc *doc)
{
    struct diag diag = DIAG_NONE;
    if (doc_parse(doc, items->name, item->text, item->length, DOC_JSON, &diag) == STATUS_OK)
        return STATUS_OK;
    diag_fail(items->diag, STATUS_BAD_INPUT, "in what begins here: %s", diag.message);
    diag_in(items->diag, items->name);
    diag_at(items->diag, DIAG_BYTE, (uint64_t)(item->text - items->file));
    return STATUS_BAD_INPUT;
}
