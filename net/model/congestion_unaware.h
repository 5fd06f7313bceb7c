/*
 * congestion_unaware - latency plus size over bandwidth; messages never meet (ASTRA-sim's
 * "analytical congestion-unaware" backend, in any number of dimensions).
 *
 *   time = trunc_ns(hops x latency + bytes / bandwidth)
 *
 * of the first dimension in which source and destination differ; the others cost nothing. Hops:
 * Ring: the shorter way round; FullyConnected: 1; Switch: 2. 1 MiB / 8 over 50 GB/s (GB = 2^30,
 * 53.687 B/ns), one hop of 500 ns: trunc(500 + 131072 / 53.687) = 2941 ns.
 */
#ifndef ORRERY_NET_MODEL_CONGESTION_UNAWARE_H
#define ORRERY_NET_MODEL_CONGESTION_UNAWARE_H

#include "model/network.h"

extern const struct network_ops network_congestion_unaware;

#endif
