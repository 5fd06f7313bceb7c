/*
 * tuner_fields - YAML maps whose keys are fields of a struct: a table says key, kind and place.
 * Only tuner_load.c includes it.
 *
 * Rules:
 *  1. Durations become us, bandwidths bytes/s; both must carry a unit. Lists are arrays of double.
 *  2. Every error names file, line and the path of the field from the document's root.
 */
#ifndef ORRERY_NET_COLLECTIVE_TUNER_FIELDS_H
#define ORRERY_NET_COLLECTIVE_TUNER_FIELDS_H

#include "base/doc.h"
#include "net/collective/tuner_parts.h"

enum tuner_field_kind {
    FIELD_US,
    FIELD_RATE,
    FIELD_NUMBER,
    FIELD_SHARE,
    FIELD_COUNT,
    FIELD_TEXT,
    FIELD_FLAG
};

struct tuner_field {
    const char *key;
    enum tuner_field_kind kind;
    size_t offset;
    uint32_t count; /* values of the list; 1: a single value */
    bool optional;  /* may be absent, and a list shorter */
};

/* What is being read. */
struct tuner_reader {
    struct tuner *tuner; /* its arena owns texts */
    const struct doc *doc;
    struct diag *diag;
    char path[96]; /* of the map that is being read: "systems.h100-dgx" */
};

/* Fails unless all keys of `map` are fields or in `more` (NULL-terminated). */
enum status tuner_check_keys(const struct tuner_reader *reader, const struct doc_node *map,
                             const struct tuner_field *field, const char *const *more);

/* Reads the fields of `map` into `base`; absent ones stay as they are if optional or inherited. */
enum status tuner_read_fields(const struct tuner_reader *reader, const struct doc_node *map,
                              const struct tuner_field *field, bool may_inherit, void *base);

/* One value of kind `kind` into *to. */
enum status tuner_read_scalar(const struct tuner_reader *reader, const struct doc_node *node,
                              const char *key, enum tuner_field_kind kind, void *to);

/* Number of the word at `key` among `words` (NULL-terminated), or an error that lists them. */
enum status tuner_read_word(const struct tuner_reader *reader, const struct doc_node *map,
                            const char *key, const char *const *words, uint32_t *number);

/* Fails with "expected ..., found ..." at `key` below the reader's path. */
enum status tuner_field_fail(const struct tuner_reader *reader, const struct doc_node *node,
                             const char *key, const char *expected);

#endif
