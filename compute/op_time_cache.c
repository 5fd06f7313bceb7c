#include "compute/op_time_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void op_time_cache_init(struct op_time_cache *cache, const struct device *device,
                        const struct op_time_options *options)
{
    *cache = (struct op_time_cache){.device = device, .options = options};
    table_init(&cache->rows);
}

void op_time_cache_release(struct op_time_cache *cache)
{
    table_release(&cache->rows);
    free(cache->row);
    *cache = (struct op_time_cache){0};
}

static void fill(struct op_time_cache *cache, const struct op_shape *shape, struct op_time *row)
{
    const char *why;
    if (op_time(cache->device, shape, cache->options, row, &why))
        return;
    const char *note = why;
    struct op_time_options plain = *cache->options;
    plain.model = OP_MODEL_ROOFLINE;
    op_time(cache->device, shape, &plain, row, &why);
    row->note = note;
}

static uint32_t add_row(struct op_time_cache *cache, const struct op_shape *shape)
{
    if (cache->count == cache->room) {
        cache->room = cache->room ? 2 * cache->room : 64;
        cache->row = realloc(cache->row, cache->room * sizeof *cache->row);
        need_memory(cache->row != NULL);
    }
    cache->row[cache->count].shape = *shape;
    fill(cache, shape, &cache->row[cache->count].time);
    return cache->count++;
}

const struct op_time *op_time_cache_get(struct op_time_cache *cache, const struct op_shape *shape)
{
    for (uint64_t seed = 0;; seed++) { /* the next if two shapes share a hash */
        uint64_t key = hash_bytes(shape, sizeof *shape, seed);
        uint32_t number = table_find(&cache->rows, key);
        if (number == TABLE_NONE) {
            number = add_row(cache, shape);
            table_put(&cache->rows, key, number);
        }
        if (memcmp(&cache->row[number].shape, shape, sizeof *shape) == 0)
            return &cache->row[number].time;
    }
}
