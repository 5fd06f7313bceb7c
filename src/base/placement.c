#include "base/placement.h"

#include <hwloc.h>
#include <stdlib.h>

#include "base/memory.h"

struct placement {
    hwloc_topology_t topology;
    uint32_t count;
    hwloc_cpuset_t *place;
};

static hwloc_topology_t load_topology(void)
{
    hwloc_topology_t topology;
    setenv("HWLOC_HIDE_ERRORS", "2", 0); /* a container without /sys is no error */
    if (hwloc_topology_init(&topology) != 0)
        return NULL;
    if (hwloc_topology_load(topology) == 0)
        return topology;
    hwloc_topology_destroy(topology);
    return NULL;
}

/* The cores that this process may use, as a set; NULL if the system does not say. */
static hwloc_cpuset_t usable(hwloc_topology_t topology)
{
    hwloc_cpuset_t set = hwloc_bitmap_alloc();
    need_memory(set != NULL);
    if (hwloc_get_cpubind(topology, set, HWLOC_CPUBIND_PROCESS) != 0)
        hwloc_bitmap_copy(set, hwloc_topology_get_allowed_cpuset(topology));
    return set;
}

/* Processing units of which no two share a core. */
static uint32_t count_cores(hwloc_topology_t topology, hwloc_const_cpuset_t set)
{
    int cores = hwloc_get_nbobjs_inside_cpuset_by_type(topology, set, HWLOC_OBJ_CORE);
    int units = hwloc_get_nbobjs_inside_cpuset_by_type(topology, set, HWLOC_OBJ_PU);
    int count = cores > 0 ? cores : units;
    return count > 0 ? (uint32_t)count : 1;
}

uint32_t placement_cores(void)
{
    hwloc_topology_t topology = load_topology();
    if (!topology)
        return 1;
    hwloc_cpuset_t set = usable(topology);
    uint32_t count = count_cores(topology, set);
    hwloc_bitmap_free(set);
    hwloc_topology_destroy(topology);
    return count;
}

static void divide(struct placement *placement, hwloc_const_cpuset_t set)
{
    uint32_t count = placement->count, roots = 0;
    hwloc_topology_t topology = placement->topology;
    int depth = hwloc_get_type_or_below_depth(topology, HWLOC_OBJ_CORE);
    hwloc_obj_t root[64];
    for (hwloc_obj_t obj = NULL; roots < 64 && (obj = hwloc_get_next_obj_inside_cpuset_by_type(
                                                    topology, set, HWLOC_OBJ_PACKAGE, obj));)
        root[roots++] = obj;
    if (roots == 0)
        root[roots++] = hwloc_get_root_obj(topology);
    hwloc_distrib(topology, root, roots, placement->place, count, depth, 0);
    for (uint32_t i = 0; i < count; i++)
        hwloc_bitmap_and(placement->place[i], placement->place[i], set);
}

struct placement *placement_create(uint32_t count)
{
    hwloc_topology_t topology = load_topology();
    if (!topology)
        return NULL;
    hwloc_cpuset_t set = usable(topology);
    struct placement *placement = NULL;
    if (count <= count_cores(topology, set)) {
        placement = calloc(1, sizeof *placement);
        need_memory(placement != NULL);
        *placement = (struct placement){topology, count, calloc(count, sizeof(hwloc_cpuset_t))};
        need_memory(placement->place != NULL);
        divide(placement, set);
    } else {
        hwloc_topology_destroy(topology);
    }
    hwloc_bitmap_free(set);
    return placement;
}

void placement_destroy(struct placement *placement)
{
    if (!placement)
        return;
    for (uint32_t i = 0; i < placement->count; i++)
        hwloc_bitmap_free(placement->place[i]);
    hwloc_topology_destroy(placement->topology);
    free(placement->place);
    free(placement);
}

void placement_bind(const struct placement *placement, uint32_t index)
{
    if (!placement || index >= placement->count)
        return;
    hwloc_const_cpuset_t place = placement->place[index];
    if (!place || hwloc_bitmap_iszero(place))
        return;
    hwloc_set_cpubind(placement->topology, place, HWLOC_CPUBIND_PROCESS);
    hwloc_set_membind(placement->topology, place, HWLOC_MEMBIND_FIRSTTOUCH, HWLOC_MEMBIND_PROCESS);
}
