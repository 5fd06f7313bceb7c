#include "net/model/block_pool.h"

#include "base/memory.h"

void block_pool_init(struct block_pool *pool, size_t unit_bytes)
{
    *pool = (struct block_pool){0};
    need_memory(grow_init(&pool->unit, unit_bytes, UINT32_MAX - 1));
}

void block_pool_release(struct block_pool *pool)
{
    grow_release(&pool->unit);
}

static uint32_t *first_word(struct block_pool *pool, uint32_t first)
{
    return (uint32_t *)((char *)pool->unit.base + (size_t)first * pool->unit.element_bytes);
}

uint32_t block_pool_take(struct block_pool *pool, unsigned class)
{
    uint32_t taken = pool->free[class];
    if (!taken)
        return (uint32_t)grow_push(&pool->unit, (size_t)1 << class);
    pool->free[class] = *first_word(pool, taken - 1);
    return taken - 1;
}

void block_pool_give(struct block_pool *pool, uint32_t first, unsigned class)
{
    *first_word(pool, first) = pool->free[class];
    pool->free[class] = first + 1;
}
