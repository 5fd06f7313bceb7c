/*
 * arena - memory that is given back all at once.
 *
 * Rules:
 *  1. arena_take() never returns NULL: exhaustion, of which memory_limit() is a part, ends the
 *     program (memory.h). Sizes that come from input must be checked against the input's own length
 *     first (a lying length field never reaches an arena).
 *  2. Memory is zeroed and aligned to 16 bytes.
 */
#ifndef ORRERY_BASE_ARENA_H
#define ORRERY_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; /* newest first */
    unsigned char *next;        /* first free byte of the newest block */
    size_t left;                /* bytes free in the newest block */
    size_t total_bytes;         /* bytes obtained from the system */
};

void arena_init(struct arena *arena);
void arena_release(struct arena *arena);

/* `size` zeroed bytes that live until arena_release(). size 0 is allowed. */
void *arena_take(struct arena *arena, size_t size);

/* A copy of `length` bytes of `text`, NUL-terminated. */
char *arena_text(struct arena *arena, const char *text, size_t length);

/* Zeroed array of `count` elements; the product is checked. */
void *arena_array(struct arena *arena, size_t count, size_t size);

/*
 * `array` (`count` elements of `size` bytes, with room for *room) with room for one more: itself,
 * or a copy with twice the room, 16 at least; the old one stays behind in the arena. What is added
 * is 0.
 */
void *arena_grow(struct arena *arena, void *array, uint32_t count, uint32_t *room, size_t size);

#endif
