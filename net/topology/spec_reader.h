/*
 * spec_reader - what spec.c (kinds, sizes, parts) and spec_keys.c (keys and their values) share.
 *
 * Rules:
 *  1. Each spec_take_..() reads what it is named after at reader->next and moves it behind.
 */
#ifndef ORRERY_NET_TOPOLOGY_SPEC_READER_H
#define ORRERY_NET_TOPOLOGY_SPEC_READER_H

#include "net/topology/spec.h"

enum { SPEC_TOKEN = 64 };

/* The text that is left to read, and where it began, for the place in messages. */
struct spec_reader {
    const char *start, *next;
    struct diag *diag;
    bool in_part;
};

/* diag_fail() with the topology as field. */
enum status spec_fail(struct spec_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The word at *next in lower case, without '-' and '_'; cut to SPEC_TOKEN - 1 letters. */
void spec_take_word(const char **next, char word[SPEC_TOKEN]);

/* Numbers with 'x' (or ',' if `commas`) between; at most SPEC_COLUMNS. */
enum status spec_take_row(struct spec_reader *reader, bool commas, uint32_t *row, uint32_t *count);

/* "key=value" or "flag". */
enum status spec_take_key(struct spec_reader *reader, struct spec_factor *factor);

#endif
