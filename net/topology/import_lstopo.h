/*
 * import_lstopo - a real node from what lstopo wrote: `lstopo --of xml node.xml`.
 *
 * Rules:
 *  1. GPUs are the NPUs, ranks in the order of the PCI tree. NUMA nodes are hosts; PCI switches and
 *     switches of GPU links are switches; devices with a network interface are NICs - where there
 *     is an RDMA device, only those (base/machine.h).
 *  2. PCI links have the bandwidth that the file gives. GPU links are those of hwloc's matrices
 *     NVLinkBandwidth, XGMIBandwidth and XeLinkBandwidth, per direction.
 *  3. A file has no latencies and does not say how fast NUMA nodes are joined, nor what a PCI link
 *     without a speed can do: `options` (NULL: the defaults) gives these. All that is not in the
 *     file is told in the fabric's notices.
 */
#ifndef ORRERY_NET_TOPOLOGY_IMPORT_LSTOPO_H
#define ORRERY_NET_TOPOLOGY_IMPORT_LSTOPO_H

#include <stddef.h>

#include "net/topology/fabric.h"

struct lstopo_options {
    double host_Bps; /* between any two NUMA nodes */
    double host_ns;  /* .. */
    double pci_Bps;  /* of a PCI link whose speed is not given */
    double pci_ns;   /* of a PCI link */
    double gpu_ns;   /* of a link between GPUs, or to their switch */
};

/* Guesses: 64 GB/s and 100 ns between NUMA nodes, 31.5 GB/s (PCIe 4.0 x16), 300 ns and 300 ns. */
struct lstopo_options lstopo_defaults(void);

/* `path` is for messages and fabric->text. */
enum status import_lstopo(const char *path, const char *xml, size_t length,
                          const struct lstopo_options *options, struct fabric **fabric,
                          struct diag *diag);

#endif
