/*
 * spec - the one-line form of a topology, read and printed back.
 *
 *     topology := factor ('*' factor)*            dimension 0 first
 *     factor   := kind [':' sizes] (',' key '=' value | ',' flag)*
 *     sizes    := part ('+' part)*  for kinds that take parts:  part := [count] '(' topology ')'
 *               | row (('/' | ';') row)*          a row: numbers with 'x' or ',' between
 *
 * Rules:
 *  1. No blanks are needed and none are printed. Kinds and keys are in lower case; '-' and '_' in
 *     them and capital letters do not matter when read ("fat-tree" is fattree).
 *  2. Each kind is a row of spec_kinds[] with its own keys and their defaults; net/README.md lists
 *     them. Bandwidths and latencies need units.
 *  3. spec_print() writes the canonical form: bandwidths and latencies always, other keys where
 *     they differ from the default. It reads back as the same spec.
 */
#ifndef ORRERY_NET_TOPOLOGY_SPEC_H
#define ORRERY_NET_TOPOLOGY_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "net/topology/fabric.h"

enum {
    SPEC_ROWS = 4,
    SPEC_COLUMNS = 8,
    SPEC_KEYS = 16,
    SPEC_FACTORS = 8,
    SPEC_TEXT = 4096,  /* of all parts */
    SPEC_PRINT = 16384 /* holds any canonical form; no longer text is read */
};

enum spec_type {
    SPEC_BANDWIDTH, /* B/s, > 0, per cable and direction */
    SPEC_DURATION,  /* ns, >= 0 */
    SPEC_COUNT,     /* a whole number >= 1 */
    SPEC_RATIO,     /* a number >= 1 */
    SPEC_NUMBERS,   /* numbers with 'x' between */
    SPEC_CHOICE,    /* one of `choices` */
    SPEC_FLAG       /* there or not */
};

struct spec_key {
    const char *name;
    enum spec_type type;
    double fallback;            /* without it; in B/s and ns; below 0: that of another key */
    const char *const *choices; /* SPEC_CHOICE: NULL-terminated; the first is the default */
    const char *help;
    bool is_absent; /* the default is the absence of the key: any given value is printed */
};

/* Every kind with links of one sort has these, in this order. */
enum { KEY_BW, KEY_LAT, KEY_COUNT, KEY_FIRST_OWN };
#define SPEC_DEFAULT_BPS 50e9 /* 50 GB/s: a 400 Gb/s port */
#define SPEC_DEFAULT_NS  500.0
#define SPEC_LINK_KEYS                                                                             \
    {"bw", SPEC_BANDWIDTH, SPEC_DEFAULT_BPS, NULL, "of a cable, per direction"},                   \
        {"lat", SPEC_DURATION, SPEC_DEFAULT_NS, NULL, "of a link"},                                \
    {                                                                                              \
        "count", SPEC_COUNT, 1, NULL, "parallel cables for each link"                              \
    }

struct spec_value {
    bool given;
    double number; /* or the number of the choice, or 1 for a flag */
    uint32_t numbers[SPEC_COLUMNS];
    uint32_t numbers_count;
};

struct spec_factor {
    const struct spec_kind *kind;
    uint32_t rows;
    uint32_t columns[SPEC_ROWS];
    uint32_t size[SPEC_ROWS][SPEC_COLUMNS];
    struct spec_value value[SPEC_KEYS];
    const char *parts; /* "2(full:4,..)+(ring:6,..)", canonical; in the spec's text. Else NULL */
    uint64_t part_npus;
};

struct spec {
    uint32_t count;
    struct spec_factor factor[SPEC_FACTORS];
    uint64_t npus;
    char text[SPEC_TEXT]; /* what `parts` point to: a spec may be copied only while it lives */
    size_t text_used;
};

struct spec_kind {
    const char *name;
    const char *aliases; /* "star fully-connected", or NULL */
    const char *sizes;   /* "N", "AxBx..": for messages */
    const char *summary;
    struct spec_key key[SPEC_KEYS + 1]; /* ends with a NULL name */

    bool takes_parts; /* in parentheses, instead of sizes */

    /* Do the sizes and keys fit together? Counts NPUs. NULL: one row of one number, the NPUs. */
    enum status (*check)(const struct spec_factor *factor, uint64_t *npus, struct diag *diag);

    /* One of: the simpler factors it is made of (a torus: rings); or the fabric itself. */
    void (*expand)(const struct spec_factor *factor, struct spec *into);
    enum status (*build)(const struct spec_factor *factor, struct fabric **fabric,
                         struct diag *diag);
};

/* All kinds, NULL-terminated (kinds.c). */
extern const struct spec_kind *const spec_kinds[];

/* Reads `text`. Messages name the factor and key, and suggest a kind or key. */
enum status spec_parse(const char *text, struct spec *spec, struct diag *diag);

/* Does `text` begin with the name of a kind? (Else it may be the path of a file.) */
bool spec_is_kind(const char *text);

/* The canonical form, in memory of `arena`. */
const char *spec_print(const struct spec *spec, struct arena *arena);

/* A factor of `kind` with one size and all keys at their defaults. */
struct spec_factor spec_factor_of(const struct spec_kind *kind, uint32_t size);

/* The value of key `key` (a number of the kind's list): the given one, or the default. */
double spec_number(const struct spec_factor *factor, uint32_t key);

#endif
