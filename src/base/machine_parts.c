#include "base/machine_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/status.h"

#define BYTES_PER_GB 1e9
#define BYTES_PER_MB 1e6

/* What hangs on an hwloc object while parts are found (its userdata). */
struct mark {
    uint32_t part;     /* MACHINE_NONE: none */
    uint32_t branches; /* bridges: branches below with a GPU or NIC in them */
};

struct finder {
    struct machine *machine;
    hwloc_topology_t topology;
    uint32_t *numa_part; /* by logical index of the NUMA node */
    bool by_library;     /* some device was seen by a compute library */
};

static struct mark *mark_of(struct finder *finder, hwloc_obj_t object)
{
    if (!object->userdata) {
        struct mark *mark = arena_take(&finder->machine->arena, sizeof *mark);
        mark->part = MACHINE_NONE;
        object->userdata = mark;
    }
    return object->userdata;
}

/* -- what a PCI device is ---------------------------------------------------------------------- */

static bool starts_with_any(const char *name, const char *const *prefix)
{
    for (; *prefix; prefix++) {
        if (strncmp(name, *prefix, strlen(*prefix)) == 0)
            return true;
    }
    return false;
}

static bool seen_by_library(hwloc_obj_t pci)
{
    static const char *const prefixes[] = {"nvml", "rsmi", "ze", "cuda", "opencl", NULL};
    for (hwloc_obj_t os = pci->io_first_child; os; os = os->next_sibling) {
        if (os->type != HWLOC_OBJ_OS_DEVICE)
            continue;
        if (os->attr->osdev.type == HWLOC_OBJ_OSDEV_COPROC)
            return true;
        if (os->attr->osdev.type == HWLOC_OBJ_OSDEV_GPU && os->name &&
            starts_with_any(os->name, prefixes))
            return true;
    }
    return false;
}

/* PCI classes 0x03 (display) and 0x12 (processing accelerator), of those who make compute devices:
 * NVIDIA, AMD, Intel (3D controllers only, not the display of its processors). */
static bool looks_like_gpu(hwloc_obj_t pci)
{
    unsigned class_id = pci->attr->pcidev.class_id;
    unsigned vendor = pci->attr->pcidev.vendor_id;
    if (class_id >> 8 == 0x12)
        return true;
    if (class_id >> 8 != 0x03)
        return false;
    return vendor == 0x10de || vendor == 0x1002 || (vendor == 0x8086 && class_id != 0x0300);
}

static bool is_gpu(const struct finder *finder, hwloc_obj_t pci)
{
    return finder->by_library ? seen_by_library(pci) : looks_like_gpu(pci);
}

/* The network device to name a NIC by: RDMA before Ethernet. NULL if it is no NIC. */
static hwloc_obj_t network_device(hwloc_obj_t pci)
{
    hwloc_obj_t found = NULL;
    for (hwloc_obj_t os = pci->io_first_child; os; os = os->next_sibling) {
        if (os->type != HWLOC_OBJ_OS_DEVICE)
            continue;
        if (os->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS)
            return os;
        if (os->attr->osdev.type == HWLOC_OBJ_OSDEV_NETWORK && !found)
            found = os;
    }
    return found;
}

/* -- parts ---------------------------------------------------------------------------------- */

static const char *bus_id_of(struct machine *machine, hwloc_obj_t pci)
{
    const struct hwloc_pcidev_attr_s *at =
        pci->type == HWLOC_OBJ_BRIDGE ? &pci->attr->bridge.upstream.pci : &pci->attr->pcidev;
    char text[32];
    int length = snprintf(text, sizeof text, "%04x:%02x:%02x.%01x", (unsigned)at->domain, at->bus,
                          at->dev, at->func);
    return arena_text(&machine->arena, text, (size_t)length);
}

/* Room is there: no more parts than objects. */
static struct machine_part *add_part(struct finder *finder, enum machine_kind kind,
                                     hwloc_obj_t object, const char *prefix, uint32_t number)
{
    struct machine *machine = finder->machine;
    struct machine_part *part = &machine->part[machine->part_count];
    char text[32];
    int length = snprintf(text, sizeof text, "%s%u", prefix, number);
    *part = (struct machine_part){.kind = kind,
                                  .name = arena_text(&machine->arena, text, (size_t)length),
                                  .bus_id = "",
                                  .parent = MACHINE_NONE};
    mark_of(finder, object)->part = machine->part_count++;
    return part;
}

static void add_memory(struct finder *finder)
{
    int count = hwloc_get_nbobjs_by_type(finder->topology, HWLOC_OBJ_NUMANODE);
    finder->numa_part =
        arena_array(&finder->machine->arena, (size_t)count, sizeof *finder->numa_part);
    for (int i = 0; i < count; i++) {
        hwloc_obj_t node = hwloc_get_obj_by_type(finder->topology, HWLOC_OBJ_NUMANODE, (unsigned)i);
        finder->numa_part[i] = finder->machine->part_count;
        add_part(finder, MACHINE_MEMORY, node, "numa", node->os_index);
    }
}

/* Counts, on every bridge above a GPU or NIC, the branches that lead to one. */
static void mark_bridges(struct finder *finder)
{
    hwloc_obj_t pci = NULL;
    while ((pci = hwloc_get_next_pcidev(finder->topology, pci))) {
        if (!is_gpu(finder, pci) && !network_device(pci))
            continue;
        for (hwloc_obj_t up = pci->parent; up && up->type == HWLOC_OBJ_BRIDGE; up = up->parent) {
            if (mark_of(finder, up)->branches++ > 0)
                break;
        }
    }
}

static bool is_switch(struct finder *finder, hwloc_obj_t bridge)
{
    return bridge->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI &&
           mark_of(finder, bridge)->branches > 1;
}

static void add_switches(struct finder *finder)
{
    uint32_t number = 0;
    hwloc_obj_t bridge = NULL;
    while ((bridge = hwloc_get_next_bridge(finder->topology, bridge))) {
        if (is_switch(finder, bridge))
            add_part(finder, MACHINE_PCI_SWITCH, bridge, "pcie", number++)->bus_id =
                bus_id_of(finder->machine, bridge);
    }
}

static void add_gpus(struct finder *finder)
{
    uint32_t number = 0;
    hwloc_obj_t pci = NULL;
    while ((pci = hwloc_get_next_pcidev(finder->topology, pci))) {
        if (!is_gpu(finder, pci))
            continue;
        add_part(finder, MACHINE_GPU, pci, "gpu", number++)->bus_id =
            bus_id_of(finder->machine, pci);
    }
    if (!finder->by_library)
        finder->machine->gpus_guessed = number;
}

static void add_nics(struct finder *finder)
{
    struct machine *machine = finder->machine;
    hwloc_obj_t pci = NULL;
    while ((pci = hwloc_get_next_pcidev(finder->topology, pci))) {
        hwloc_obj_t os = network_device(pci);
        if (!os || is_gpu(finder, pci))
            continue;
        struct machine_part *part = add_part(finder, MACHINE_NIC, pci, "nic", machine->part_count);
        if (os->name && os->name[0])
            part->name = arena_text(&machine->arena, os->name, strlen(os->name));
        part->bus_id = bus_id_of(machine, pci);
        part->is_rdma = os->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS;
    }
}

/* -- PCI links ------------------------------------------------------------------------------ */

/* The NUMA node that a PCI tree below `object` belongs to; the first if none in particular. */
static uint32_t memory_near(struct finder *finder, hwloc_obj_t object)
{
    hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(finder->topology, object);
    hwloc_obj_t node = NULL, found = NULL;
    uint32_t count = 0;
    while ((node = hwloc_get_next_obj_by_type(finder->topology, HWLOC_OBJ_NUMANODE, node))) {
        if (!near->nodeset || hwloc_bitmap_isset(near->nodeset, node->os_index)) {
            found = found ? found : node;
            count++;
        }
    }
    if (count != 1)
        finder->machine->places_guessed++;
    return found ? finder->numa_part[found->logical_index] : 0;
}

/* 1e9 bytes, whatever hwloc's float of GB/s is; the slower of two known speeds. */
static double slower(double Bps, double other_GBps)
{
    double other_Bps = other_GBps > 0 ? other_GBps * BYTES_PER_GB : 0;
    if (other_Bps <= 0)
        return Bps;
    return Bps <= 0 || other_Bps < Bps ? other_Bps : Bps;
}

static void find_parent(struct finder *finder, hwloc_obj_t object)
{
    struct machine_part *part = &finder->machine->part[mark_of(finder, object)->part];
    double own = object->type == HWLOC_OBJ_BRIDGE
                     ? (double)object->attr->bridge.upstream.pci.linkspeed
                     : (double)object->attr->pcidev.linkspeed;
    part->link_Bps = slower(0, own);
    hwloc_obj_t up = object->parent;
    for (; up && up->type == HWLOC_OBJ_BRIDGE; up = up->parent) {
        if (is_switch(finder, up)) {
            part->parent = mark_of(finder, up)->part;
            return;
        }
        if (up->attr->bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI)
            part->link_Bps =
                slower(part->link_Bps, (double)up->attr->bridge.upstream.pci.linkspeed);
    }
    part->parent = memory_near(finder, object);
}

static void find_parents(struct finder *finder)
{
    hwloc_obj_t object = NULL;
    while ((object = hwloc_get_next_bridge(finder->topology, object))) {
        if (mark_of(finder, object)->part != MACHINE_NONE)
            find_parent(finder, object);
    }
    while ((object = hwloc_get_next_pcidev(finder->topology, object))) {
        if (mark_of(finder, object)->part != MACHINE_NONE)
            find_parent(finder, object);
    }
}

/* -- links between GPUs ---------------------------------------------------------------------- */

static const struct {
    const char *matrix, *network;
} gpu_networks[] = {
    {"NVLinkBandwidth", "NVLink"}, {"XGMIBandwidth", "XGMI"}, {"XeLinkBandwidth", "Xe Link"}};

enum { GPU_NETWORKS = sizeof gpu_networks / sizeof *gpu_networks };

/* The part of a row of the matrix; devices that are no GPU are switches of the GPUs' network. */
static uint32_t row_part(struct finder *finder, hwloc_obj_t object, uint32_t *switches)
{
    hwloc_obj_t pci = object->type == HWLOC_OBJ_OS_DEVICE ? object->parent : object;
    struct mark *mark = mark_of(finder, pci);
    if (mark->part == MACHINE_NONE && pci->type == HWLOC_OBJ_PCI_DEVICE)
        add_part(finder, MACHINE_GPU_SWITCH, pci, "nvswitch", (*switches)++)->bus_id =
            bus_id_of(finder->machine, pci);
    return mark->part;
}

static void add_matrix(struct finder *finder, const struct hwloc_distances_s *matrix,
                       const char *network, uint32_t *switches)
{
    struct machine *machine = finder->machine;
    uint32_t count = matrix->nbobjs;
    uint32_t *part = arena_array(&machine->arena, count, sizeof *part);
    for (uint32_t i = 0; i < count; i++)
        part[i] = row_part(finder, matrix->objs[i], switches);
    struct machine_cable *cable =
        arena_array(&machine->arena, (size_t)count * count / 2 + 1, sizeof *cable);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = i + 1; k < count; k++) {
            double to_k = (double)matrix->values[(size_t)i * count + k] * BYTES_PER_MB;
            double to_i = (double)matrix->values[(size_t)k * count + i] * BYTES_PER_MB;
            if (part[i] == MACHINE_NONE || part[k] == MACHINE_NONE || (to_k <= 0 && to_i <= 0))
                continue;
            cable[found++] = (struct machine_cable){part[i], part[k], to_k, to_i, network};
        }
    }
    machine->cable = cable;
    machine->cable_count = found;
}

/* One network: machines with two kinds of links between GPUs are not made. */
static void find_cables(struct finder *finder)
{
    uint32_t switches = 0;
    for (int i = 0; i < GPU_NETWORKS && finder->machine->cable_count == 0; i++) {
        struct hwloc_distances_s *matrix;
        unsigned count = 1;
        if (hwloc_distances_get_by_name(finder->topology, gpu_networks[i].matrix, &count, &matrix,
                                        0) != 0 ||
            count == 0)
            continue;
        add_matrix(finder, matrix, gpu_networks[i].network, &switches);
        hwloc_distances_release(finder->topology, matrix);
    }
}

void machine_find_parts(struct machine *machine, hwloc_topology_t topology)
{
    struct finder finder = {.machine = machine, .topology = topology};
    uint32_t most = (uint32_t)hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE) + 1;
    hwloc_obj_t object = NULL;
    while ((object = hwloc_get_next_bridge(topology, object)))
        most++;
    while ((object = hwloc_get_next_pcidev(topology, object))) {
        most++;
        finder.by_library = finder.by_library || seen_by_library(object);
    }
    machine->part = arena_array(&machine->arena, most, sizeof *machine->part);
    add_memory(&finder);
    mark_bridges(&finder);
    add_switches(&finder);
    add_gpus(&finder);
    add_nics(&finder);
    find_parents(&finder);
    find_cables(&finder);
    promise(machine->part_count <= most);
}
