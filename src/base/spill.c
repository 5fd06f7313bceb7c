#define _GNU_SOURCE
#include "base/spill.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST_ELEMENTS = 16, FIRST_PAGED_BYTES = 1 << 16 };

void spill_init(struct spill *spill, size_t element_bytes, bool paged)
{
    *spill = (struct spill){.element_bytes = element_bytes, .fd = -1, .paged = paged};
}

void spill_release(struct spill *spill)
{
    if (spill->fd >= 0)
        close(spill->fd);
    if (!spill->paged)
        free(spill->data);
    else if (spill->data)
        munmap(spill->data, spill->capacity * spill->element_bytes);
    spill_init(spill, spill->element_bytes, spill->paged);
}

static int open_unlinked(const char *folder)
{
    char name[512];
    int length = snprintf(name, sizeof name, "%s/orrery-trace-XXXXXX", folder);
    if (length < 0 || (size_t)length >= sizeof name)
        return -1;
    int fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0)
        unlink(name);
    return fd;
}

static int open_temporary(void)
{
    const char *chosen = getenv("TMPDIR");
    if (chosen && *chosen)
        return open_unlinked(chosen);
    int fd = open_unlinked("/var/tmp");
    return fd >= 0 ? fd : open_unlinked("/tmp");
}

/* Makes the mapping `bytes` long, keeping its contents. */
static bool resize_paged(struct spill *spill, size_t bytes)
{
    if (spill->fd < 0 && (spill->fd = open_temporary()) < 0)
        return false;
    size_t old_bytes = spill->capacity * spill->element_bytes;
    if (bytes > old_bytes && posix_fallocate(spill->fd, 0, (off_t)bytes) != 0)
        return false;
    void *moved = spill->data ? mremap(spill->data, old_bytes, bytes, MREMAP_MAYMOVE)
                              : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, spill->fd, 0);
    if (moved == MAP_FAILED)
        return false;
    spill->data = moved;
    /* Shrinking: the blocks past the end go back to the disk; failing to do so loses nothing. */
    if (bytes < old_bytes && ftruncate(spill->fd, (off_t)bytes) != 0)
        return true;
    return true;
}

static bool resize(struct spill *spill, size_t capacity)
{
    if (capacity > SIZE_MAX / 2 / spill->element_bytes)
        return false;
    size_t bytes = capacity * spill->element_bytes;
    if (spill->paged) {
        if (!resize_paged(spill, bytes))
            return false;
    } else {
        void *moved = realloc(spill->data, bytes);
        if (!moved)
            return false;
        spill->data = moved;
    }
    spill->capacity = capacity;
    return true;
}

bool spill_page(struct spill *spill)
{
    if (spill->paged)
        return true;
    struct spill paged;
    spill_init(&paged, spill->element_bytes, true);
    if (!resize(&paged, spill->capacity ? spill->capacity : FIRST_PAGED_BYTES)) {
        spill_release(&paged);
        return false;
    }
    if (spill->count)
        memcpy(paged.data, spill->data, spill->count * spill->element_bytes);
    paged.count = spill->count;
    free(spill->data);
    *spill = paged;
    return true;
}

bool spill_reserve(struct spill *spill, size_t more)
{
    if (more <= spill->capacity - spill->count)
        return true;
    if (more > SIZE_MAX / 4 - spill->count)
        return false;
    size_t least = spill->count + more;
    size_t first = spill->paged ? FIRST_PAGED_BYTES / spill->element_bytes : FIRST_ELEMENTS;
    size_t capacity = spill->capacity ? spill->capacity + spill->capacity / 2 : first;
    return resize(spill, capacity < least ? least : capacity);
}

void *spill_push(struct spill *spill, size_t more)
{
    if (more > spill->capacity - spill->count && !spill_reserve(spill, more))
        return NULL;
    void *first = (char *)spill->data + spill->count * spill->element_bytes;
    spill->count += more;
    return first;
}

void spill_fit(struct spill *spill)
{
    if (spill->count && spill->count < spill->capacity)
        resize(spill, spill->count);
    /* The mapping keeps the file; a set of many traces must not run out of descriptors. */
    if (spill->fd >= 0)
        close(spill->fd);
    spill->fd = -1;
}
