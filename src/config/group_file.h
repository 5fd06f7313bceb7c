/*
 * group_file - the communicator groups of a JSON file: {"NAME": [ranks..], ..}.
 *
 * {"NAME": [[ranks..], [ranks..], ..]} are several groups of one name (model/group.h, rule 4);
 * their entries follow each other. Names are opaque text; an empty list means all ranks; order is
 * kept; a rank listed twice, a rank that is not an integer, or a top level that is not a map is an
 * error with the field named. Ranks are checked against the system later (preflight), where its
 * size is known.
 */
#ifndef ORRERY_CONFIG_GROUP_FILE_H
#define ORRERY_CONFIG_GROUP_FILE_H

#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/doc.h"

struct group_entry {
    const char *name;
    uint32_t *ranks; /* [count], order of the file */
    uint32_t count;  /* 0: all ranks */
};

struct group_file {
    struct arena arena;
    struct group_entry *entry;
    uint32_t count;
    const char *path;      /* "" if none */
    uint64_t content_hash; /* of the document the groups come from */
};

void group_file_init(struct group_file *groups);
enum status group_file_load(struct group_file *groups, const char *path, struct diag *diag);

/* The same from the map `node` of a document; `field` names it in messages ("" for none). */
enum status group_file_fill(struct group_file *groups, const struct doc *doc,
                            const struct doc_node *node, const char *field, struct diag *diag);
void group_file_release(struct group_file *groups);

#endif
