#define _GNU_SOURCE
#include "base/grow.h"

#include <sys/mman.h>

#include "base/memory.h"

enum { LEAST_ELEMENTS = 1024 };

bool grow_init(struct grow *grow, size_t element_bytes, size_t maximum)
{
    *grow = (struct grow){.element_bytes = element_bytes};
    if (maximum > memory_pool_limit() / element_bytes)
        maximum = memory_pool_limit() / element_bytes;
    if (maximum < LEAST_ELEMENTS)
        maximum = LEAST_ELEMENTS;
    for (; maximum >= LEAST_ELEMENTS; maximum /= 2) {
        void *base = mmap(NULL, maximum * element_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (base == MAP_FAILED)
            continue;
        grow->base = base;
        grow->maximum = maximum;
        return true;
    }
    return false;
}

void grow_release(struct grow *grow)
{
    if (grow->base)
        munmap(grow->base, grow->maximum * grow->element_bytes);
    *grow = (struct grow){0};
}

bool grow_room(const struct grow *grow, size_t more)
{
    return more <= grow->maximum - grow->count;
}

size_t grow_push(struct grow *grow, size_t more)
{
    need_memory(grow_room(grow, more));
    size_t first = grow->count;
    grow->count += more;
    return first;
}
