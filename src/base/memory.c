#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/status.h"

static size_t physical_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? (size_t)pages * (size_t)page : SIZE_MAX;
}

static size_t address_bytes(void)
{
    struct rlimit space;
    return getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur < SIZE_MAX ? space.rlim_cur
                                                                          : SIZE_MAX;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t memory_limit(void)
{
    return smaller(physical_bytes(), address_bytes());
}

size_t memory_pool_limit(void)
{
    size_t space = address_bytes();
    return smaller(physical_bytes(), space == SIZE_MAX ? SIZE_MAX : space / 16);
}

void memory_exhausted(const char *file, int line)
{
    fprintf(stderr,
            "orrery: error: memory is exhausted (%s:%d; this machine or this shell gives %zu MB)\n"
            "  hint: simulate fewer NPUs or dataset splits, or let symmetric ranks fold "
            "(run.fold: true)\n",
            file, line, memory_limit() / 1000000);
    exit(status_exit_code(STATUS_NO_MEMORY));
}
