/*
 * analytical - latency of the route + bytes / its least bandwidth; messages never meet.
 *
 *   time = latency of the links of the route + bytes / least bandwidth among them
 *
 * rounded once (cut to whole ns if configured). A sprayed message has several links at a time: a
 * bundle counts with its summed bandwidth, a link that carries the fraction f of the bytes with
 * bandwidth / f; the latency is that of the longest path. Endpoint costs are added (endpoint.h).
 *   1 MB over two links of 50 GB/s, 500 ns each: 1000 + 20000 = 21000 ns.
 *
 * It is what a message takes on an idle network: exact for `link` with cut-through of whole
 * messages and for `flow`, and never more than any setting of them (a message sprayed over single
 * links apart, whose parts may fit the shares a little better). Links have bytes and time in
 * use, which may exceed the time that passed (nothing waits): that is where the model is wrong.
 * Cost: one event and one route per message.
 */
#ifndef ORRERY_NET_MODEL_ANALYTICAL_H
#define ORRERY_NET_MODEL_ANALYTICAL_H

#include "model/network.h"

extern const struct network_ops network_analytical;

#endif
