/*
 * congestion_aware - store-and-forward of whole messages over FIFO links (ASTRA-sim's "analytical
 * congestion-aware" backend; one dimension, as there).
 *
 * A free link takes the head message at t: it is at the next device at t + trunc_ns(latency +
 * bytes / bandwidth), and the link is free again at t + trunc_ns(bytes / bandwidth). On the way it
 * joins the next link's queue. Arrival is scheduled before the link's release, which decides ties.
 *   Ring: one link per direction between neighbours, the shorter way round, ties clockwise.
 *   FullyConnected: a link per ordered pair.
 *   Switch: one link up and one down per NPU, each with the full bandwidth.
 * A ring of 2 (which ASTRA-sim refuses) has one link per direction.
 */
#ifndef ORRERY_NET_MODEL_CONGESTION_AWARE_H
#define ORRERY_NET_MODEL_CONGESTION_AWARE_H

#include "model/network.h"

extern const struct network_ops network_congestion_aware;

#endif
