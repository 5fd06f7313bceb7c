/*
 * grow - an array that grows without ever moving: a reserved range of addresses, touched as used.
 *
 * Rules:
 *  1. Elements keep their address, so pointers and indices into the array stay valid.
 *  2. Memory is zero when first used.
 *  3. At most memory_pool_limit() bytes are reserved. Growing past that ends the program
 *     (memory.h), so a caller with a better answer asks grow_room() first.
 */
#ifndef ORRERY_BASE_GROW_H
#define ORRERY_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct grow {
    void *base;
    size_t element_bytes;
    size_t count;   /* elements in use */
    size_t maximum; /* elements reserved */
};

/*
 * Reserves addresses for up to `maximum` elements (fewer if the system refuses; see `maximum`
 * afterwards). Returns false if not even 1024 elements can be reserved.
 */
bool grow_init(struct grow *grow, size_t element_bytes, size_t maximum);
void grow_release(struct grow *grow);

/* True if `more` further elements fit. */
bool grow_room(const struct grow *grow, size_t more);

/* Appends `more` elements and returns the index of the first. */
size_t grow_push(struct grow *grow, size_t more);

#endif
