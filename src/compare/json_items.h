/*
 * json_items - JSON too large for a document, item by item: members of a map, items of a list.
 *
 * Rules:
 *  1. Items are found by brackets and quotes alone; json_item_parse() is what checks their syntax.
 *     What nobody parses is not checked further.
 *  2. Nothing recurses over the text; the bytes are borrowed and need no NUL at their end.
 *  3. A mistake is STATUS_BAD_INPUT with file and byte offset.
 */
#ifndef ORRERY_COMPARE_JSON_ITEMS_H
#define ORRERY_COMPARE_JSON_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/doc.h"

enum { JSON_ITEM_KEY = 64 };

/* A map or a list that is gone through. */
struct json_items {
    const char *name; /* of the file */
    const char *file; /* its first byte: for offsets */
    const char *at, *end;
    bool is_map, is_begun;
    struct diag *diag;
};

struct json_item {
    char key[JSON_ITEM_KEY]; /* as written, cut to fit; "" in a list */
    const char *text;        /* the value, from its first character */
    size_t length;
};

/* Of `text`, which must be a map or a list. `file` is where the offsets of messages begin. */
enum status json_items_begin(struct json_items *items, const char *name, const char *file,
                             const struct json_item *text, struct diag *diag);

/* The next item; false at the end, or with the diag filled: see json_items_status(). */
bool json_items_next(struct json_items *items, struct json_item *item);
enum status json_items_status(const struct json_items *items);

/* The item as a document, to be released by the caller. */
enum status json_item_parse(const struct json_items *items, const struct json_item *item,
                            struct doc *doc);

#endif
