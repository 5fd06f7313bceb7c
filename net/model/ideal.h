/*
 * ideal - a bound: ports only, a network core without limits.
 *
 * Every NPU has a port out and a port in with the bandwidth of all its links together. A message of
 * s bytes, sent at t over a route of latency l, arrives at the latest of
 *
 *   t + l + s / min(port out, port in)          it must pass both ports itself
 *   W_out + least latency out of the source     all that was given to the port must have left it
 *   W_in  + least latency into the destination  all that was meant for the port must have passed
 *
 * W is the work of a port, W = max(W, t) + s / port, counted from the time of sending in both
 * ports: they do not wait for each other. The least latencies are those to (from) the nearest NPU.
 *   Incast of 3 x 1 MB on a switch with ports of 50 GB/s and links of 500 ns: 21000, 41000 and
 *   61000 ns.
 *
 * Why it is a bound of `analytical`, `flow` and `link` on the same fabric and routes:
 *  (a) Every route starts with a link of the source and ends with one of the destination, so its
 *      least bandwidth is at most that of the smaller port, and its latency is l (if sprayed over
 *      single links, l is the larger of the two least latencies here, which no path is below). So
 *      a message alone is never slower here.
 *  (b) Messages that are known at one time, a step of a collective say: in every model a port moves
 *      at most its bandwidth, and a byte that leaves it still has the least latency to go. So the
 *      last arrival of the set is never later here, whatever the order or the shares.
 *  (c) A program of dependent messages that never finds a port with work (rings, halving-doubling,
 *      trees, ..): by induction over its messages with (a), every arrival is a bound. Likewise if
 *      the next messages wait for whole sets, with (b).
 *  Otherwise it may fail: ports work first come first served, so a short message may wait for a
 *  long one that another model lets it pass or share with, and of two that come at once the other
 *  may be first; what depends on it is later here. Of 6,848 collectives on ten small fabrics 99
 *  were later than at `flow` or `link`, all with several messages at a time in a port (both ways of
 *  a ring through one port, swing), by 19 % at most. No model with queues could be a bound of
 *  these: the order of equal times decides.
 *
 * Endpoint costs are added (endpoint.h), with which (b) does not hold: the ports there serve in the
 * order in which last bytes come, and that is another one here. Switches as ends of a message
 * (reduction in the network) have no ports. It sees no links. Cost: one event and one route per
 * message.
 */
#ifndef ORRERY_NET_MODEL_IDEAL_H
#define ORRERY_NET_MODEL_IDEAL_H

#include "model/network.h"
#include "net/topology/fabric.h"

extern const struct network_ops network_ideal;

/*
 * What the model sees of an NPU: the rates of its two ports, and the latencies between it and the
 * nearest other NPU. Links that no message takes count, so routes alone do not say it.
 */
struct ideal_ports {
    double out_B_per_ns, in_B_per_ns;
    double out_least_ns, in_least_ns;
};

/* Fills ports[npu_count]. */
void ideal_find_ports(const struct fabric *fabric, struct ideal_ports *ports);

#endif
