/*
 * doc - a parsed JSON or YAML document as one tree, with the place of every value.
 *
 * Rules:
 *  1. A document is loaded whole; the tree lives until doc_release(). Nodes are borrowed.
 *  2. JSON is read by jansson (RFC 8259; line and column of a syntax error are reported), YAML by
 *     libyaml (one document; aliases and anchors are refused; duplicate keys are an error in both).
 *  3. Scalars keep their text. JSON and plain YAML scalars have a type; a quoted YAML scalar is
 *     text. Numbers: `is_integer` if written without '.', 'e' or 'E' and it fits in int64/uint64.
 *     Plain YAML scalars that readers disagree about stay text: 010, 0x10, 1_000, yes, .inf.
 *  4. Depth is limited to DOC_DEPTH and never recurses past it. Text with a NUL byte is refused.
 *  5. Syntax errors, what the typed readers refuse, and a file that is too large or whose gzip is
 *     damaged are STATUS_BAD_CONFIG. A file that cannot be read is STATUS_IO.
 */
#ifndef ORRERY_BASE_DOC_H
#define ORRERY_BASE_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

enum { DOC_DEPTH = 64 };

enum doc_kind { DOC_NULL, DOC_BOOL, DOC_NUMBER, DOC_TEXT, DOC_LIST, DOC_MAP };

struct doc_node {
    enum doc_kind kind;
    bool boolean;           /* DOC_BOOL */
    bool is_integer;        /* DOC_NUMBER */
    bool is_negative;       /* DOC_NUMBER: below zero */
    double number;          /* DOC_NUMBER */
    uint64_t magnitude;     /* DOC_NUMBER with is_integer: |value| */
    const char *text;       /* scalars: as written (JSON text: decoded); never NULL for scalars */
    size_t length;          /* of `text` */
    uint32_t line;          /* 1-based */
    const char *key;        /* name inside the parent map, else NULL */
    struct doc_node *child; /* DOC_LIST, DOC_MAP: first of `count`, contiguous */
    uint32_t count;
};

struct doc {
    struct arena arena;
    struct doc_node *root;
    const char *path;      /* as given, owned by the arena */
    uint64_t content_hash; /* hash_bytes() of the (inflated) text */
};

enum doc_syntax { DOC_JSON, DOC_YAML };

enum status doc_load(struct doc *doc, const char *path, enum doc_syntax syntax, struct diag *diag);

/* The same from memory; `name` is used in messages. */
enum status doc_parse(struct doc *doc, const char *name, const char *text, size_t length,
                      enum doc_syntax syntax, struct diag *diag);
void doc_release(struct doc *doc);

/* Child of a map by key, or NULL (also if `node` is not a map). */
const struct doc_node *doc_find(const struct doc_node *node, const char *key);

/* "a list", "a number", ...: for "expected .., found .." messages. */
const char *doc_kind_name(enum doc_kind kind);

/* True if `text` is one of `words` (NULL-terminated). */
bool doc_is_one_of(const char *text, const char *const *words);

/*
 * First child of map `node` whose key is not in `known` (NULL-terminated), or NULL.
 */
const struct doc_node *doc_unknown_key(const struct doc_node *node, const char *const *known);

/*
 * Typed readers (a NULL `node` is "missing"): each checks the kind and range and fills `diag` with
 * file, line (if known), field path `field`, what was expected and what was found.
 */
enum status doc_get_u64(const struct doc *doc, const struct doc_node *node, const char *field,
                        uint64_t least, uint64_t most, uint64_t *value, struct diag *diag);
enum status doc_get_text(const struct doc *doc, const struct doc_node *node, const char *field,
                         const char **value, struct diag *diag);

/* Fails unless `node` is of kind `kind` (DOC_LIST, DOC_MAP, ..). */
enum status doc_want(const struct doc *doc, const struct doc_node *node, const char *field,
                     enum doc_kind kind, struct diag *diag);

/* Fails with "expected <expected>, found <kind> <text>" at the node's place. */
enum status doc_fail(const struct doc *doc, const struct doc_node *node, const char *field,
                     const char *expected, struct diag *diag);

#endif
