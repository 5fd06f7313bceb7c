/*
 * machine - a computer as hwloc sees it: this one, or one that lstopo wrote down as XML.
 *
 * Rules:
 *  1. The only place that includes hwloc: `orrery list host` and the import of a node's topology
 *     share it.
 *  2. Parts are what data moves between: memory (a NUMA node with its cores), PCI switches, GPUs,
 *     NICs, and switches of GPU links. Chains of bridges that fork nowhere are one link, as fast as
 *     their slowest bridge; devices that are neither GPU nor NIC (disks, display of the service
 *     processor) are left out with the bridges that serve only them.
 *  3. A PCI device is a GPU if a compute library (CUDA, OpenCL, NVML, RSMI, Level Zero) saw it, or,
 *     where the file shows no such library, if its PCI class and vendor say so (`gpus_guessed`). It
 *     is a NIC if it has a network or RDMA device.
 *  4. Bandwidths are per direction. 0 means that the file does not say.
 *  5. Memory is one arena; machine_release() after success only.
 */
#ifndef ORRERY_BASE_MACHINE_H
#define ORRERY_BASE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

#define MACHINE_NONE UINT32_MAX

enum machine_kind {
    MACHINE_MEMORY,     /* "numa0" */
    MACHINE_PCI_SWITCH, /* "pcie0" */
    MACHINE_GPU,        /* "gpu0", in the order of the PCI tree */
    MACHINE_NIC,        /* its name there: "mlx5_0", "eth0" */
    MACHINE_GPU_SWITCH  /* "nvswitch0" */
};

struct machine_part {
    enum machine_kind kind;
    const char *name;
    const char *bus_id; /* "0000:34:00.0"; "" for memory */
    uint32_t parent; /* the part that its PCI link leads to; memory, GPU switches: MACHINE_NONE */
    double link_Bps; /* of that link */
    bool is_rdma;    /* a NIC with an RDMA device (InfiniBand, RoCE, EFA) */
};

/* A link between GPUs, or a GPU and a switch of such links: NVLink, XGMI, Xe Link. */
struct machine_cable {
    uint32_t a, b;       /* parts */
    double to_b, to_a;   /* bytes/s in each direction */
    const char *network; /* "NVLink" */
};

/* Counts for `orrery list host`; `cache_bytes` is that of the first cache of the level. */
struct machine_census {
    uint32_t packages, cores, threads;
    uint32_t cache_count[3];
    uint64_t cache_bytes[3];
    uint32_t numa_count;
    struct machine_numa {
        uint32_t os_index;
        uint64_t bytes;
    } * numa;
};

struct machine {
    struct arena arena;
    struct machine_census census;
    uint32_t part_count, cable_count;
    struct machine_part *part; /* memory, PCI switches, GPUs, NICs, GPU switches */
    struct machine_cable *cable;
    uint32_t gpus_guessed;   /* GPUs known by PCI class alone */
    uint32_t places_guessed; /* PCI trees that belong to no single NUMA node: given to the first */
};

/* This computer. */
enum status machine_read_this(struct machine *machine, struct diag *diag);

/* `length` bytes of XML that `lstopo --of xml` wrote (hwloc 1.x or 2.x); `name` is for messages. */
enum status machine_read_xml(struct machine *machine, const char *name, const char *xml,
                             size_t length, struct diag *diag);

void machine_release(struct machine *machine);

#endif
