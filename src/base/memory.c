#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* A number in the file PREFIX GROUP NAME of the control group file system, if there is one. */
static size_t group_bytes_in(const char *prefix, const char *group, const char *name)
{
    char path[600];
    unsigned long long bytes = 0;
    snprintf(path, sizeof path, "%s%s/%s", prefix, group, name);
    FILE *file = fopen(path, "re");
    bool is_limited = file && fscanf(file, "%llu", &bytes) == 1 && bytes > 0;
    if (file)
        fclose(file);
    return is_limited ? (size_t)bytes : SIZE_MAX;
}

/* What the control group of this process (version 1 or 2) may take. */
static size_t group_bytes(void)
{
    size_t least = SIZE_MAX;
    char line[512];
    FILE *groups = fopen("/proc/self/cgroup", "re");
    while (groups && fgets(line, sizeof line, groups)) {
        line[strcspn(line, "\n")] = '\0';
        char *path = strchr(line, '/');
        if (path && strncmp(line, "0::", 3) == 0)
            least = smaller(least, group_bytes_in("/sys/fs/cgroup", path, "memory.max"));
        else if (path && strstr(line, ":memory:"))
            least = smaller(least,
                            group_bytes_in("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"));
    }
    if (groups)
        fclose(groups);
    return least;
}

size_t memory_limit(void)
{
    static size_t limit; /* asked once */
    if (!limit)
        limit = smaller(smaller(physical_bytes(), group_bytes()), address_bytes());
    return limit;
}

size_t memory_pool_limit(void)
{
    size_t space = address_bytes();
    return smaller(memory_limit(), space == SIZE_MAX ? SIZE_MAX : space / 16);
}

void memory_exhausted(void)
{
    fprintf(stderr,
            "orrery: %s: memory is exhausted: this machine or this shell gives %zu MB\n"
            "  hint: simulate fewer NPUs or dataset splits, or let symmetric ranks fold "
            "(run.fold: true)\n",
            status_name(STATUS_NO_MEMORY), memory_limit() / 1000000);
    exit(status_exit_code(STATUS_NO_MEMORY));
}
