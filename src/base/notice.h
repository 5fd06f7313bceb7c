/*
 * notice - what a run ignored, guessed, defaulted, clamped or repaired: counted, and said once.
 *
 * Rules:
 *  1. A notice has a key, constant text that names the kind of thing ("unknown key"); adding the
 *     same key again raises its count and keeps the first example. Repairs are listed one by one,
 *     up to 100 of a key.
 *  2. Rows stay in order of first appearance, so reports are deterministic.
 *  3. Out of memory here ends the program (memory.h); a notice is never lost silently.
 */
#ifndef ORRERY_BASE_NOTICE_H
#define ORRERY_BASE_NOTICE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { NOTICE_TEXT = 400 };

enum notice_kind {
    NOTICE_IGNORED,   /* was in the input, has no effect on the result */
    NOTICE_GUESSED,   /* was absent, derived from something else */
    NOTICE_DEFAULTED, /* was absent, a documented default was used */
    NOTICE_CLAMPED,   /* was out of range, the nearest valid value was used */
    NOTICE_REPAIRED,  /* the input was changed on the user's request */
    NOTICE_ODDITY,    /* legal, but worth a look */
};

struct notice {
    enum notice_kind kind;
    const char *key; /* constant text, borrowed for ever */
    uint64_t count;
    char example[192]; /* the first occurrence, in words; control characters are '?' */
};

struct notices {
    struct notice *row;
    size_t count;
    size_t capacity;
};

void notices_init(struct notices *notices);
void notices_release(struct notices *notices);

/* Counts `count` occurrences under `key`; the example is kept if the key is new. */
void notices_add(struct notices *notices, enum notice_kind kind, const char *key, uint64_t count,
                 const char *format, ...) __attribute__((format(printf, 5, 6)));

/* "ignored", "guessed", ... */
const char *notice_kind_name(enum notice_kind kind);

/* "ignored: unknown key, 3 times: the first example"; fits in NOTICE_TEXT bytes. */
const char *notice_show(char *to, size_t size, const struct notice *notice);

#endif
