/*
 * body - what an answer carries: bytes with their type and a tag of their content, kept as long as
 * somebody sends them.
 *
 * Rules:
 *  1. A body does not change. Whoever has one drops it; the last one frees it.
 *  2. `tag` is a hash of the bytes: equal bytes, equal tag, whoever made them and when.
 */
#ifndef ORRERY_SERVE_BODY_H
#define ORRERY_SERVE_BODY_H

#include <stddef.h>
#include <stdint.h>

struct body {
    uint32_t users;
    const char *type;      /* a constant */
    unsigned char *bytes;  /* `length` of them */
    unsigned char *packed; /* the same as gzip, or NULL */
    size_t length, packed_length;
    char tag[24];
};

/* Takes both arrays, of malloc(). */
struct body *body_create(const char *type, void *bytes, size_t length, void *packed,
                         size_t packed_length);

/* A short text. */
struct body *body_text(const char *type, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct body *body_keep(struct body *body);
void body_drop(struct body *body); /* NULL: nothing */

#endif
