/*
 * table - two small hash tables: uint64 to uint32, and text to a dense number.
 *
 * Rules:
 *  1. Iteration is by dense number or not at all, so nothing ever depends on hash order.
 *  2. Both use open addressing and grow by doubling: O(1) amortised per operation.
 */
#ifndef ORRERY_BASE_TABLE_H
#define ORRERY_BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TABLE_NONE UINT32_MAX

/* uint64 key -> uint32 value (any value but TABLE_NONE). */
struct table {
    uint64_t *keys;
    uint32_t *values; /* TABLE_NONE marks a free slot */
    size_t capacity;  /* a power of two, or 0 */
    size_t count;
};

void table_init(struct table *table);
void table_release(struct table *table);

/* Value of `key`, or TABLE_NONE. */
uint32_t table_find(const struct table *table, uint64_t key);

/* Sets `key` to `value`, replacing what was there. Returns the old value, or TABLE_NONE. */
uint32_t table_put(struct table *table, uint64_t key, uint32_t value);

/* Room for `count` keys without growing. */
void table_reserve(struct table *table, size_t count);

/* Removes `key` if present. */
void table_remove(struct table *table, uint64_t key);

/* number[i] of key[i]: equal keys get one number, 0, 1, 2, .. in order of first appearance. Returns
 * how many there are. */
uint32_t table_number(const uint64_t *key, uint32_t count, uint32_t *number);

/* Text -> dense number 0, 1, 2, .. in order of first appearance. */
struct names {
    char **text; /* owned copies, NUL-terminated */
    uint32_t count;
    uint32_t capacity;
    uint32_t *slots; /* number + 1, or 0 */
    size_t slot_count;
};

void names_init(struct names *names);
void names_release(struct names *names);

/* Number of `text` (`length` bytes), adding it if it is new. */
uint32_t names_add(struct names *names, const char *text, size_t length);

/* Number of `text`, or TABLE_NONE. */
uint32_t names_find(const struct names *names, const char *text, size_t length);

/* A mixing hash of `length` bytes, the same on every machine of one byte order. */
uint64_t hash_bytes(const void *bytes, size_t length, uint64_t seed);

#endif
