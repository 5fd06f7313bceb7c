#include "cli/host.h"

#include <hwloc.h>

#include "base/units.h"

static void print_count(hwloc_topology_t topology, hwloc_obj_type_t type, const char *name,
                        FILE *out)
{
    int count = hwloc_get_nbobjs_by_type(topology, type);
    if (count > 0)
        fprintf(out, "  %-16s %d\n", name, count);
}

/* Caches of one level are taken to be alike: the first one's size is shown. */
static void print_cache(hwloc_topology_t topology, hwloc_obj_type_t type, const char *name,
                        FILE *out)
{
    int count = hwloc_get_nbobjs_by_type(topology, type);
    hwloc_obj_t first = count > 0 ? hwloc_get_obj_by_type(topology, type, 0) : NULL;
    if (first)
        fprintf(out, "  %-16s %d x %.0f KiB\n", name, count,
                (double)first->attr->cache.size / 1024);
}

static void print_memory(hwloc_topology_t topology, FILE *out)
{
    int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
    for (int i = 0; i < count; i++) {
        hwloc_obj_t node = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, (unsigned)i);
        char size[32];
        if (node)
            fprintf(out, "  NUMA node %-6u %s\n", node->os_index,
                    units_show_bytes(size, sizeof size, (double)node->attr->numanode.local_memory));
    }
}

enum status host_print(FILE *out, struct diag *diag)
{
    hwloc_topology_t topology;
    setenv("HWLOC_HIDE_ERRORS", "2", 0); /* a container without /sys is no error */
    if (hwloc_topology_init(&topology) != 0)
        return diag_fail(diag, STATUS_NO_MEMORY, "hwloc cannot start");
    enum status status = STATUS_OK;
    if (hwloc_topology_load(topology) != 0) {
        status = diag_fail(diag, STATUS_IO, "hwloc cannot read this machine's topology");
    } else {
        fputs("host\n", out);
        print_count(topology, HWLOC_OBJ_PACKAGE, "packages", out);
        print_count(topology, HWLOC_OBJ_CORE, "cores", out);
        print_count(topology, HWLOC_OBJ_PU, "hardware threads", out);
        print_cache(topology, HWLOC_OBJ_L1CACHE, "L1 data caches", out);
        print_cache(topology, HWLOC_OBJ_L2CACHE, "L2 caches", out);
        print_cache(topology, HWLOC_OBJ_L3CACHE, "L3 caches", out);
        print_memory(topology, out);
    }
    hwloc_topology_destroy(topology);
    return status;
}
