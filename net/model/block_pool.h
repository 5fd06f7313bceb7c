/*
 * block_pool - runs of 2^k equal units in one growing array, recycled by size.
 *
 * Rules:
 *  1. A block is named by the index of its first unit; indices stay valid, units never move.
 *  2. Blocks given back are taken again, last first: no allocation in steady state.
 *  3. Units are at least 4 bytes, and their content is undefined when taken.
 */
#ifndef ORRERY_NET_MODEL_BLOCK_POOL_H
#define ORRERY_NET_MODEL_BLOCK_POOL_H

#include <stdint.h>

#include "base/grow.h"

enum { BLOCK_POOL_CLASSES = 32 };

struct block_pool {
    struct grow unit;
    uint32_t
        free[BLOCK_POOL_CLASSES]; /* first free block of 2^k units + 1, chained by first words */
};

/* Ends the program if not even a few blocks can be reserved (memory.h). */
void block_pool_init(struct block_pool *pool, size_t unit_bytes);
void block_pool_release(struct block_pool *pool);

/* The least k with 2^k >= `count` (count >= 1). */
static inline unsigned block_pool_class(uint32_t count)
{
    return count <= 1 ? 0 : 32 - (unsigned)__builtin_clz(count - 1);
}

uint32_t block_pool_take(struct block_pool *pool, unsigned class);
void block_pool_give(struct block_pool *pool, uint32_t first, unsigned class);

#endif
