/*
 * id_heap - the least of a set of keyed numbers, whose keys may change.
 *
 * Rules:
 *  1. Numbers are 0 .. count - 1, each at most once in the heap. Equal keys come out by number, so
 *     what comes out never depends on what went in first.
 *  2. All operations but init are O(log members), and none allocates.
 *  3. Doubles that are not negative sort as their bits do: id_heap_key().
 */
#ifndef ORRERY_NET_MODEL_ID_HEAP_H
#define ORRERY_NET_MODEL_ID_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mix.h"

struct id_heap_node {
    uint64_t key;
    uint32_t id;
};

struct id_heap {
    struct id_heap_node *node; /* 4-ary: the children of i are 4 i + 1 .. 4 i + 4 */
    uint32_t *place;           /* by id: index in `node` + 1, or 0 */
    uint32_t count;
};

/* Room for the numbers below `count`. */
void id_heap_init(struct id_heap *heap, uint32_t count);
void id_heap_release(struct id_heap *heap);

/* Puts `id` in, or changes its key. */
void id_heap_set(struct id_heap *heap, uint32_t id, uint64_t key);

/* Takes `id` out if it is in. */
void id_heap_remove(struct id_heap *heap, uint32_t id);

/* Takes all out. */
void id_heap_clear(struct id_heap *heap);

/* The least one (heap->count > 0). */
static inline struct id_heap_node id_heap_least(const struct id_heap *heap)
{
    return heap->node[0];
}

static inline bool id_heap_has(const struct id_heap *heap, uint32_t id)
{
    return heap->place[id] != 0;
}

static inline uint64_t id_heap_key(double value)
{
    return bits_of(value);
}

#endif
