/*
 * own_reader - what the files that read the one-file form share. Only own_*.c include it.
 */
#ifndef ORRERY_CONFIG_OWN_READER_H
#define ORRERY_CONFIG_OWN_READER_H

#include "base/doc.h"
#include "config/config.h"
#include "config/group_file.h"

struct own_reader {
    struct config *config;
    struct group_file *groups;
    const struct doc *doc;
    struct notices *notices;
    struct diag *diag;
};

/* Fails unless `node` is a map whose keys are all in `known` (NULL-terminated). */
enum status own_check_keys(struct own_reader *reader, const struct doc_node *node,
                           const char *field, const char *const *known);

/* system.collectives: an algorithm, a list, or custom files for each; per-node custom files. */
enum status own_read_collectives(struct own_reader *reader);

#endif
