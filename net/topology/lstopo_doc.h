/*
 * lstopo_doc - an lstopo XML file with what it does not say.
 *
 *     lstopo: node.xml
 *     host-bandwidth: 62GB/s      # between two NUMA nodes, each way
 *     host-latency: 100ns
 *     pci-bandwidth: 31.5GB/s     # of PCI links whose speed the file does not give
 *     pci-latency: 300ns
 *     gpu-latency: 300ns          # of NVLink and the like
 *
 * All keys but `lstopo` are optional; see import_lstopo.h for the defaults, which are guesses.
 */
#ifndef ORRERY_NET_TOPOLOGY_LSTOPO_DOC_H
#define ORRERY_NET_TOPOLOGY_LSTOPO_DOC_H

#include "base/doc.h"
#include "net/topology/fabric.h"

/* Reads the map `node` of `doc`; `field` is its place there ("" for the whole document). */
enum status lstopo_doc_read(const struct doc *doc, const struct doc_node *node, const char *field,
                            struct fabric **fabric, struct diag *diag);

#endif
