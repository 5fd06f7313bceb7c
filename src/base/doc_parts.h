/*
 * doc_parts - what the JSON and the YAML reader of doc share. Only doc*.c includes it.
 */
#ifndef ORRERY_BASE_DOC_PARTS_H
#define ORRERY_BASE_DOC_PARTS_H

#include "base/doc.h"

/*
 * The two readers: `text` ends with a NUL at `length` and has none before; doc->arena and doc->path
 * are set. On success doc->root is.
 */
enum status doc_parse_json(struct doc *doc, const char *text, size_t length, struct diag *diag);
enum status doc_parse_yaml(struct doc *doc, const char *text, size_t length, struct diag *diag);

/* STATUS_BAD_CONFIG with file and line (0: none). */
enum status doc_fail_at(const char *name, uint64_t line, struct diag *diag, const char *message);

/* Makes `node` a number if its text is one. */
bool doc_take_number(struct doc_node *node);

#endif
