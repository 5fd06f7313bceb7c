/*
 * rail - rail-optimised clusters: nodes of G NPUs joined inside, whose r-th NPUs share the leaf
 * switches of rail r (NVIDIA's DGX SuperPOD reference architecture).
 *
 *     rail:GxN    G NPUs per node, N nodes; NPU number = node * G + rail
 *
 *   inbw, inlat      the links inside a node; inside=switch (one switch), full (a cable per pair, of
 *                    which inbw is the bandwidth) or none
 *   bw, lat, count   the port of an NPU to its leaf
 *   nic              with NIC nodes between, on links of nicbw and niclat (PCIe)
 *   unit=U           nodes under a leaf (default: all): leaf u * G + r has rail r of unit u
 *   spines=S         spine switches over the leaves of a pod (default: U / taper)
 *   pod=P            units in a pod (default: all, two levels). With fewer there is a third level:
 *                    spine s of each pod has `cores` cables up, to its own group of cores (default:
 *                    as many as down)
 *   upbw, uplat, upcount   the links between switches
 *
 * Dimension 0 is the node (G), dimension 1 the nodes (N). A message to the same node stays inside;
 * all others go up from the sender's leaf. Rails without spines, where NPUs of other rails are
 * reached inside the node, are a product: "switch:8*switch:32", "switch:8*leafspine:32x4".
 */
#ifndef ORRERY_NET_TOPOLOGY_RAIL_H
#define ORRERY_NET_TOPOLOGY_RAIL_H

#include "net/topology/spec.h"

extern const struct spec_kind rail_kind;

#endif
