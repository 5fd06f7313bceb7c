#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/memory.h"

enum { ALIGNMENT = 16, FIRST_BLOCK = 4096, LARGEST_STEP = 1 << 20 };

struct arena_block {
    struct arena_block *older;
    size_t size;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

void arena_init(struct arena *arena)
{
    *arena = (struct arena){0};
}

void arena_release(struct arena *arena)
{
    struct arena_block *block = arena->blocks;
    while (block) {
        struct arena_block *older = block->older;
        free(block);
        block = older;
    }
    arena_init(arena);
}

static void add_block(struct arena *arena, size_t least)
{
    size_t size = arena->blocks ? 2 * arena->blocks->size : FIRST_BLOCK;
    if (size > LARGEST_STEP)
        size = LARGEST_STEP;
    if (size < least)
        size = least;
    need_memory(size <= memory_limit() - arena->total_bytes);
    struct arena_block *block = calloc(1, sizeof *block + size);
    need_memory(block != NULL);
    block->older = arena->blocks;
    block->size = size;
    arena->blocks = block;
    arena->next = block->bytes;
    arena->left = size;
    arena->total_bytes += size;
}

void *arena_take(struct arena *arena, size_t size)
{
    promise(size <= SIZE_MAX / 2);
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (size > arena->left || !arena->blocks)
        add_block(arena, size);
    void *taken = arena->next;
    arena->next += size;
    arena->left -= size;
    return taken;
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_take(arena, length + 1);
    memcpy(copy, text, length);
    return copy;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    promise(size == 0 || count <= SIZE_MAX / 2 / size);
    return arena_take(arena, count * size);
}

void *arena_grow(struct arena *arena, void *array, uint32_t count, uint32_t *room, size_t size)
{
    if (count < *room)
        return array;
    promise(*room <= UINT32_MAX / 2);
    *room = *room ? 2 * *room : 16;
    void *more = arena_array(arena, *room, size);
    if (count)
        memcpy(more, array, count * size);
    return more;
}
