/*
 * fluid - messages that share links max-min fairly, given by the links on their way.
 *
 * What the flow model (flow.h) is made of below routes and endpoints: a message waits for its
 * latency, then takes bandwidth until its last byte is out, and has arrived at that moment. All
 * that starts and ends at one instant is solved once, after it.
 *
 * Rules:
 *  1. It registers the kinds NETWORK_FIRST_KIND to NETWORK_FIRST_KIND + 2 and the late handler of
 *     the engine: there is one fluid for an engine.
 *  2. Arrivals are events with the caller's ticket, to the nearest ps. The fluid itself goes by
 *     exact times; what is sent in the ps of an arrival counts from the arrival's exact time.
 *  3. A message that finds nobody on its way when it is sent needs no solve: it ends when its bytes
 *     are out at the least bandwidth, unless another begins on one of its links before; from then
 *     on it shares. That is the same to the last bit, and only asked of messages whose way
 *     `is_whole`.
 */
#ifndef ORRERY_NET_MODEL_FLUID_H
#define ORRERY_NET_MODEL_FLUID_H

#include "model/network.h"
#include "net/model/maxmin.h"

struct fluid; /* opaque */

/* `B_per_ns` (> 0) is copied. */
struct fluid *fluid_create(const double *B_per_ns, uint32_t link_count, struct engine *engine);
void fluid_destroy(struct fluid *fluid);

/* What a message crosses. `weight` as in maxmin.h; NULL: all 1. Both are copied. */
struct fluid_way {
    const uint32_t *link;
    const double *weight;
    uint32_t count;
    double latency_ps;
    bool is_whole; /* all of the message, and nothing that it stands for, is on each link: rule 3 */
};

/* Sends a message now; no bytes: latency only. */
void fluid_send(struct fluid *fluid, const struct fluid_way *way, uint64_t bytes, uint64_t ticket);

/* Sends a message whose bytes do not leave before those of another: network_ops.send_after(). */
uint64_t fluid_send_after(struct fluid *fluid, const struct fluid_way *way, uint64_t bytes,
                          uint64_t after, uint64_t ticket);

/*
 * Sends `count` equal messages (of at least a byte, if more than one) one after the other: each
 * leaves `gap_ps` after the one before has arrived; the ticket is of the last. The same as if the
 * caller sent each, but that it need not: while nobody is on their way their ends are worked out in
 * one go.
 */
void fluid_send_chain(struct fluid *fluid, const struct fluid_way *way, uint64_t bytes,
                      uint32_t count, time_ps gap_ps, uint64_t ticket);

/*
 * Bandwidths that change with time: B_per_ns() at a time, of `links` of them; next() is the next
 * time after one at which any changes, or TIME_NEVER. Borrowed. While messages are under way all
 * is solved again at each such time.
 */
struct fluid_speed {
    const void *self;
    double (*B_per_ns)(const void *self, uint32_t link, time_ps time);
    time_ps (*next)(const void *self, time_ps time);
    const uint32_t *link;
    uint32_t count;
};
void fluid_set_speed(struct fluid *fluid, const struct fluid_speed *speed);

/* Has `meter` told what links carry (network_ops.meter); its servers are the links. */
void fluid_meter(struct fluid *fluid, const struct link_meter *meter);

/* What each link carried, of messages that have arrived: [link_count]. busy_ns is the integral of
 * load / bandwidth over time, which is bytes / bandwidth. */
const struct link_figures *fluid_figures(const struct fluid *fluid);

#endif
