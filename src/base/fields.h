/*
 * fields - a map of a document into a struct: a table says key, kind and place of each member.
 *
 * Rules:
 *  1. A key that is neither in the table nor in `more` is an error with a suggestion; so is a value
 *     of another kind or out of range. Every message names file, line and the path of the field.
 *  2. Absent keys leave their member as it is: fill defaults (or what `like:` names) first.
 *     `is_required` ones must be there.
 *  3. Quantities carry their unit ("80GB", "3.35TB/s", "989TFLOPS", "4us"): a bare number is
 *     refused.
 *  4. Texts are copied into the reader's arena.
 */
#ifndef ORRERY_BASE_FIELDS_H
#define ORRERY_BASE_FIELDS_H

#include "base/doc.h"

enum field_kind {
    FIELD_TEXT,    /* const char * */
    FIELD_FLAG,    /* bool */
    FIELD_U32,     /* uint32_t, `least` to `most` */
    FIELD_U64,     /* uint64_t, `least` to `most` */
    FIELD_NUMBER,  /* double, finite, at least 0, at most `most` */
    FIELD_WORD,    /* int (an enum): place of the word in `words` */
    FIELD_NS,      /* double, ns, from a duration */
    FIELD_BYTES,   /* double, from a size */
    FIELD_RATE,    /* double, bytes/s, from a bandwidth */
    FIELD_FLOPS,   /* double, flop/s */
    FIELD_HZ,      /* double, Hz, from a clock */
    FIELD_WATTS,   /* double, W, from a power */
    FIELD_TEXTS,   /* const char *const *, NULL-terminated, from a list of texts */
    FIELD_NUMBERS, /* double[most], from a list of at most `most` numbers */
};

struct field {
    const char *key;
    enum field_kind kind;
    size_t offset;
    bool is_required;
    uint64_t least, most;     /* U32, U64, NUMBER; most 0: what the type holds */
    const char *const *words; /* WORD: NULL-terminated */
};

/* A row: FIELD(struct sample, size, "size", FIELD_U32, .least = 1). */
#define FIELD(type, member, name, what, ...)                                                       \
    {                                                                                              \
        .key = name, .kind = what, .offset = offsetof(type, member), __VA_ARGS__                   \
    }

struct field_reader {
    const struct doc *doc;
    struct arena *arena;
    struct diag *diag;
    const char *path; /* of the map from the document's root, "" for the root itself */
};

/* Reads map `map` into `base`. `field` ends with a NULL key; `more` (NULL-terminated, or NULL) are
 * keys that the caller reads itself. */
enum status fields_read(const struct field_reader *reader, const struct doc_node *map,
                        const struct field *field, const char *const *more, void *base);

#endif
