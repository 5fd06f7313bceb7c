/*
 * import_ns3 - the topology text of ns-3 based simulators (ASTRA-sim's ns-3 backend, SimAI).
 *
 *     9 1 8                          nodes, switches, links
 *     8                              the switches' numbers
 *     8 0 400Gbps 0.0005ms 0         a, b, bandwidth and latency of a cable, error rate
 *
 * or, in SimAI's form, a first line "nodes gpus_per_server nv_switches switches links gpu_type";
 * the second line then has the NVSwitches' numbers before the others.
 *
 * Rules:
 *  1. Nodes that are not switches are NPUs: ranks in the order of their numbers. They keep the
 *     file's numbers in their names: "npu0", "nvswitch12", "switch130".
 *  2. A cable has its bandwidth in each direction. Two lines for the same two nodes are parallel
 *     cables.
 *  3. With gpus_per_server the rank number has two dimensions: within a server, and across.
 *  4. Error rates are not simulated; those above 0 are counted in the fabric's notices.
 */
#ifndef ORRERY_NET_TOPOLOGY_IMPORT_NS3_H
#define ORRERY_NET_TOPOLOGY_IMPORT_NS3_H

#include <stddef.h>

#include "net/topology/fabric.h"

/* Does the text begin like one: a first line of 3 whole numbers, or 5 and a word? */
bool import_ns3_is(const char *text, size_t length);

/* `path` is for messages and fabric->text. */
enum status import_ns3(const char *path, const char *text, size_t length, struct fabric **fabric,
                       struct diag *diag);

#endif
