/*
 * fabric_check - what a fabric must hold before anyone uses it.
 *
 * Rules:
 *  1. Every message names the nodes it is about, by their names in the fabric.
 *  2. The checks read all nodes and links a few times: linear in their number.
 */
#ifndef ORRERY_NET_TOPOLOGY_FABRIC_CHECK_H
#define ORRERY_NET_TOPOLOGY_FABRIC_CHECK_H

#include "net/topology/fabric.h"

/*
 * At least one NPU; names unique; no link from a node to itself; bandwidths > 0 and latencies >= 0,
 * finite; dimensions multiply out to npu_count; every NPU reaches every other.
 */
enum status fabric_check(const struct fabric *fabric, struct diag *diag);

/*
 * Does every NPU reach every other over links that have not failed (bandwidth > 0)? If not, the
 * message names up to three of those who are cut off from npu 0's part, and counts the others.
 */
enum status fabric_check_connected(const struct fabric *fabric, struct diag *diag);

#endif
