/*
 * settings - one row for every scalar setting: its key, its place in `struct config`, its unit.
 *
 * Rules:
 *  1. The table is the only list of scalar settings: defaults, the one-file form, the command line,
 *     --print-config and the messages all read it.
 *  2. A key is "section.name" and is also the key of its provenance row. In the one-file form,
 *     `name` stands inside the map `section`.
 */
#ifndef ORRERY_CONFIG_SETTINGS_H
#define ORRERY_CONFIG_SETTINGS_H

#include "config/config.h"

enum setting_type {
    SETTING_BOOL,
    SETTING_U32,
    SETTING_U64,
    SETTING_CHOICE,       /* an enum, by the names in `choices` */
    SETTING_NS,           /* uint64, whole nanoseconds; written as a duration */
    SETTING_TIME,         /* time_ps; written as a duration, or "never" */
    SETTING_RATE,         /* double, bytes/s; 0 means not given */
    SETTING_FLOPS,        /* double, flop/s; 0 means not given */
    SETTING_REAL,         /* double, 0 to `most` */
    SETTING_WHOLE_RATE,   /* uint64, whole bytes per ns; written as a bandwidth */
    SETTING_REAL_NS,      /* double, ns; written as a duration */
    SETTING_BYTES,        /* uint64; written with a unit */
    SETTING_PATH,         /* text; NULL means none */
    SETTING_NAME_OR_PATH, /* the same, but a path only if it looks like one (places.h) */
    SETTING_TEXT,         /* text; NULL means none */
    SETTING_TEXTS,        /* the same, several with ';' between; a file may have a list of them */
};

struct setting {
    const char *key;
    enum setting_type type;
    size_t offset;              /* in struct config */
    uint64_t least, most;       /* SETTING_U32, _U64, _REAL */
    const char *const *choices; /* SETTING_CHOICE: NULL-terminated, in the order of the enum */
    const char *unit;           /* of a number that has no units of its own, "" if none */
    bool zero_is_unset;         /* 0 is shown as "not given" */
    bool is_quiet;              /* has no row of provenance until somebody sets it */
};

/* All rows, in the order of --print-config; the last has a NULL key. */
extern const struct setting settings[];

const struct setting *setting_find(const char *key);

/*
 * Sets from text as written by a user and notes the provenance. A number without unit gets ns or
 * GB/s, which is said in a DEFAULTED notice. On failure `diag` has the message and the key.
 */
enum status setting_set_text(struct config *config, const struct setting *setting, const char *text,
                             const char *source, struct notices *notices, struct diag *diag);

/* Notes the present value of a setting whose field was just written. */
void setting_note(struct config *config, const struct setting *setting, const char *source);

#endif
