#include "cli/host.h"

#include "base/machine.h"
#include "base/units.h"

static void print_count(uint32_t count, const char *name, FILE *out)
{
    if (count > 0)
        fprintf(out, "  %-16s %u\n", name, count);
}

/* Caches of one level are taken to be alike: the first one's size is shown. */
static void print_cache(const struct machine_census *census, int level, const char *name, FILE *out)
{
    if (census->cache_count[level] > 0)
        fprintf(out, "  %-16s %u x %.0f KiB\n", name, census->cache_count[level],
                (double)census->cache_bytes[level] / 1024);
}

static void print_memory(const struct machine_census *census, FILE *out)
{
    for (uint32_t i = 0; i < census->numa_count; i++) {
        char size[32];
        fprintf(out, "  NUMA node %-6u %s\n", census->numa[i].os_index,
                units_show_bytes(size, sizeof size, (double)census->numa[i].bytes));
    }
}

enum status host_print(FILE *out, struct diag *diag)
{
    struct machine machine;
    enum status status = machine_read_this(&machine, diag);
    if (status != STATUS_OK)
        return status;
    const struct machine_census *census = &machine.census;
    fputs("host\n", out);
    print_count(census->packages, "packages", out);
    print_count(census->cores, "cores", out);
    print_count(census->threads, "hardware threads", out);
    print_cache(census, 0, "L1 data caches", out);
    print_cache(census, 1, "L2 caches", out);
    print_cache(census, 2, "L3 caches", out);
    print_memory(census, out);
    machine_release(&machine);
    return STATUS_OK;
}
