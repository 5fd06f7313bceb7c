/*
 * flow - messages as fluid: every link is shared max-min fairly by the flows on it (maxmin.h).
 *
 *   arrival = send + latency of the route + time in which its rate, as it changes, carries bytes
 *
 * A message first waits for the latency of its route, then takes bandwidth until its last byte is
 * out, and arrives at that moment (SimGrid's model of a network without its correction factors).
 * Two messages of 1 MB over one link of 1 GB/s and 1 us: both arrive after 2.001 ms.
 *
 * Rules:
 *  1. All that starts and ends at one instant is solved once, after it (engine_ask_late()).
 *  2. Spraying: a link carries the share of the bytes that routing.h says; on trees a bundle of
 *     equivalent links is one constraint (paths.h).
 *  3. Endpoint costs are those of endpoint.h, around the flow.
 *  4. Folded runs (link_fold in network.h): a flow stands for one of every rank, so that it takes
 *     load x rate on each link of a class; one link of the class stands for all.
 *  5. Times are to the nearest ps, whatever whole_ns says; what is left of a flow is not rounded.
 *     Messages that end in the same ps arrive together.
 *  6. A link's busy_ns is the integral of load / bandwidth over time, which is bytes / bandwidth.
 *     A message counts when it has arrived.
 *  7. Cost: a step of a symmetric collective is one solve (0.1 to 0.5 us a message); with random
 *     traffic an arrival changes few rates (1 to 5 us at 4,096 flows). Worst is an all-to-all over
 *     hashed routes, where each arrival changes most rates: 186,000 flows of 432 NPUs take 11 s.
 *
 * Where a fluid differs from packets: it has no headers (1.6 % at 4 KiB), no queues and no
 * start-up; congestion control is ideal. Against htsim's NDP sprayed traffic it is 4 - 12 % fast
 * (agree-net).
 */
#ifndef ORRERY_NET_MODEL_FLOW_H
#define ORRERY_NET_MODEL_FLOW_H

#include "model/network.h"

extern const struct network_ops network_flow;

#endif
