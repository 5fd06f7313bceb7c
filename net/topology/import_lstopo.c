#include "net/topology/import_lstopo.h"

#include <stdlib.h>

#include "base/machine.h"
#include "base/memory.h"
#include "base/units.h"

/* A GPU in its idle state reports the slow link it then uses: below this, it is worth a look. */
#define SLOW_GPU_BPS 8e9

struct import {
    const char *path;
    const struct machine *machine;
    struct lstopo_options options;
    struct fabric_builder *builder;
    uint32_t *node_of; /* by part; FABRIC_NONE: left out */
    bool rdma_only;
};

struct lstopo_options lstopo_defaults(void)
{
    return (struct lstopo_options){
        .host_Bps = 64e9, .host_ns = 100, .pci_Bps = 31.5e9, .pci_ns = 300, .gpu_ns = 300};
}

static struct notices *notices_of(struct import *import)
{
    return fabric_builder_notices(import->builder);
}

/* -- nodes ---------------------------------------------------------------------------------- */

static void add_parts(struct import *import, enum machine_kind kind, enum fabric_role role)
{
    const struct machine *machine = import->machine;
    for (uint32_t i = 0; i < machine->part_count; i++) {
        const struct machine_part *part = &machine->part[i];
        if (part->kind != kind)
            continue;
        if (kind == MACHINE_NIC && import->rdma_only && !part->is_rdma) {
            notices_add(notices_of(import), NOTICE_IGNORED,
                        "network device without RDMA, beside some with", 1, "%s (%s)", part->name,
                        part->bus_id);
            continue;
        }
        import->node_of[i] = fabric_add_node(import->builder, role, part->name);
    }
}

static void add_nodes(struct import *import)
{
    for (uint32_t i = 0; i < import->machine->part_count; i++) {
        import->node_of[i] = FABRIC_NONE;
        import->rdma_only = import->rdma_only || import->machine->part[i].is_rdma;
    }
    add_parts(import, MACHINE_GPU, ROLE_NPU);
    add_parts(import, MACHINE_MEMORY, ROLE_HOST);
    add_parts(import, MACHINE_PCI_SWITCH, ROLE_SWITCH);
    add_parts(import, MACHINE_NIC, ROLE_NIC);
    add_parts(import, MACHINE_GPU_SWITCH, ROLE_SWITCH);
}

/* -- links ---------------------------------------------------------------------------------- */

static void add_pci_link(struct import *import, uint32_t part_number)
{
    const struct machine_part *part = &import->machine->part[part_number];
    uint32_t node = import->node_of[part_number];
    if (node == FABRIC_NONE || part->parent == MACHINE_NONE)
        return;
    double Bps = part->link_Bps;
    if (Bps <= 0) {
        Bps = import->options.pci_Bps;
        char rate[32];
        notices_add(notices_of(import), NOTICE_GUESSED, "bandwidth of a PCI link", 1, "%s (%s): %s",
                    part->name, part->bus_id, units_show_rate(rate, sizeof rate, Bps));
    } else if (part->kind == MACHINE_GPU && Bps < SLOW_GPU_BPS) {
        char rate[32];
        notices_add(notices_of(import), NOTICE_ODDITY,
                    "slow PCI link of a GPU (an idle GPU reports less than it can do)", 1,
                    "%s (%s): %s", part->name, part->bus_id,
                    units_show_rate(rate, sizeof rate, Bps));
    }
    fabric_add_cable(import->builder, node, import->node_of[part->parent], Bps,
                     import->options.pci_ns, 0);
}

static void join_hosts(struct import *import)
{
    const struct machine *machine = import->machine;
    uint64_t count = 0;
    for (uint32_t i = 0; i < machine->part_count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (machine->part[i].kind != MACHINE_MEMORY || machine->part[k].kind != MACHINE_MEMORY)
                continue;
            fabric_add_cable(import->builder, import->node_of[k], import->node_of[i],
                             import->options.host_Bps, import->options.host_ns, 0);
            count++;
        }
    }
    char rate[32];
    if (count)
        notices_add(notices_of(import), NOTICE_GUESSED, "link between two NUMA nodes", count,
                    "%s each way, %g ns",
                    units_show_rate(rate, sizeof rate, import->options.host_Bps),
                    import->options.host_ns);
}

static void add_cables(struct import *import)
{
    const struct machine *machine = import->machine;
    for (uint32_t i = 0; i < machine->cable_count; i++) {
        const struct machine_cable *cable = &machine->cable[i];
        uint32_t a = import->node_of[cable->a], b = import->node_of[cable->b];
        if (cable->to_b > 0)
            fabric_add_link(import->builder, a, b, cable->to_b, import->options.gpu_ns, 0);
        if (cable->to_a > 0)
            fabric_add_link(import->builder, b, a, cable->to_a, import->options.gpu_ns, 0);
    }
}

static void add_links(struct import *import)
{
    for (uint32_t i = 0; i < import->machine->part_count; i++)
        add_pci_link(import, i);
    join_hosts(import);
    add_cables(import);
    notices_add(notices_of(import), NOTICE_GUESSED, "latency of links (the file has none)", 1,
                "PCI %g ns, GPU links %g ns", import->options.pci_ns, import->options.gpu_ns);
}

/* -- the whole ------------------------------------------------------------------------------- */

static uint32_t count_kind(const struct machine *machine, enum machine_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < machine->part_count; i++)
        count += machine->part[i].kind == kind;
    return count;
}

static enum status no_gpu(const char *path, struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "no GPU in this lstopo file");
    diag_in(diag, path);
    diag_hint(diag, "run `lstopo --of xml node.xml` on the node itself, with its PCI devices "
                    "visible (not in a container without /sys)");
    return STATUS_BAD_CONFIG;
}

/* Groups of GPUs that links between GPUs, or their switches, join. */
static uint32_t count_gpu_groups(const struct machine *machine)
{
    uint32_t *group = calloc(machine->part_count, sizeof *group);
    need_memory(group != NULL);
    for (uint32_t i = 0; i < machine->part_count; i++)
        group[i] = i;
    bool changed = true;
    while (changed) { /* the least number spreads; a node has few parts */
        changed = false;
        for (uint32_t i = 0; i < machine->cable_count; i++) {
            uint32_t a = machine->cable[i].a, b = machine->cable[i].b;
            uint32_t least = group[a] < group[b] ? group[a] : group[b];
            changed = changed || group[a] != least || group[b] != least;
            group[a] = group[b] = least;
        }
    }
    uint32_t groups = 0;
    for (uint32_t i = 0; i < machine->part_count; i++) {
        uint32_t first = 0;
        while (machine->part[first].kind != MACHINE_GPU || group[first] != group[i])
            if (++first == machine->part_count)
                break;
        groups += first == i;
    }
    free(group);
    return groups;
}

static void tell_guesses(struct import *import)
{
    const struct machine *machine = import->machine;
    if (machine->gpus_guessed)
        notices_add(notices_of(import), NOTICE_GUESSED, "GPU known by its PCI class alone",
                    machine->gpus_guessed, "no compute library's devices in the file");
    if (machine->places_guessed)
        notices_add(notices_of(import), NOTICE_GUESSED,
                    "PCI device that is near no single NUMA node: put at the first",
                    machine->places_guessed, "%s", import->path);
    if (machine->cable_count == 0)
        notices_add(notices_of(import), NOTICE_ODDITY, "no links between GPUs in the file", 1,
                    "NVLink is there only if lstopo was built with NVML");
    uint32_t groups = machine->cable_count ? count_gpu_groups(machine) : 0;
    if (groups > 1)
        notices_add(notices_of(import), NOTICE_ODDITY,
                    "groups of GPUs that only PCI joins (links between GPU switches are not in the "
                    "file)",
                    groups, "%s", import->path);
}

static enum status import_machine(const char *path, const struct machine *machine,
                                  const struct lstopo_options *options, struct fabric **fabric,
                                  struct diag *diag)
{
    if (count_kind(machine, MACHINE_GPU) == 0)
        return no_gpu(path, diag);
    struct import import = {.path = path,
                            .machine = machine,
                            .options = options ? *options : lstopo_defaults(),
                            .builder = fabric_builder_create(),
                            .node_of = calloc(machine->part_count, sizeof *import.node_of)};
    need_memory(import.node_of != NULL);
    add_nodes(&import);
    tell_guesses(&import);
    add_links(&import);
    free(import.node_of);
    enum status status = fabric_finish(import.builder, path, fabric, diag);
    if (status != STATUS_OK)
        diag_in(diag, path);
    return status;
}

enum status import_lstopo(const char *path, const char *xml, size_t length,
                          const struct lstopo_options *options, struct fabric **fabric,
                          struct diag *diag)
{
    struct machine machine;
    enum status status = machine_read_xml(&machine, path, xml, length, diag);
    if (status != STATUS_OK)
        return status;
    status = import_machine(path, &machine, options, fabric, diag);
    machine_release(&machine);
    return status;
}
