/*
 * diag - one clear message about bad input or a bad environment.
 *
 * Rules:
 *  1. The caller owns a `struct diag`, initialised with DIAG_NONE, and passes it down.
 *  2. The first function that knows the cause calls diag_fail(), then adds what it knows of the
 *     place (diag_in, diag_at, diag_field) and a hint. Later functions pass the status up; they may
 *     add a file or rank that was not known below, but never replace the message.
 *  3. Text that does not fit is cut, never overflows; control characters become '?'. No function
 *     here allocates.
 */
#ifndef ORRERY_BASE_DIAG_H
#define ORRERY_BASE_DIAG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

/* What the number in `at` counts. */
enum diag_place { DIAG_NOWHERE, DIAG_LINE, DIAG_BYTE, DIAG_NODE };

struct diag {
    enum status status;    /* STATUS_OK while nothing was reported */
    enum diag_place place; /* what `at` counts */
    uint64_t at;           /* 1-based line, byte offset, or node id */
    int64_t rank;          /* rank whose input it was, or -1 */
    char file[256];        /* path as the user gave it, or "" */
    char field[128];       /* key, attribute or option, or "" */
    char message[512];     /* what is wrong, with expected and found values */
    char hint[320];        /* what to do, or "" */
};

#define DIAG_NONE ((struct diag){.status = STATUS_OK, .rank = -1})

/* Records the cause unless one is recorded already. Returns `status`, for `return diag_fail(..)`.
 */
enum status diag_fail(struct diag *diag, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds the file, unless one is set. */
void diag_in(struct diag *diag, const char *file);

/* Adds the place inside the file, unless one is set. */
void diag_at(struct diag *diag, enum diag_place place, uint64_t at);

/* Adds the rank, unless one is set. */
void diag_rank(struct diag *diag, int64_t rank);

/* Adds the field, unless one is set. */
void diag_field(struct diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds the hint, unless one is set. */
void diag_hint(struct diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Prints the message on one line, and the hint on a second:
 *   orrery: bad-input: W/ar.3.et: rank 3: node 17: comm_size: expected an integer, found a string
 *     hint: ...
 */
void diag_print(const struct diag *diag, FILE *out);

#endif
