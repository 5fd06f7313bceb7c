/*
 * shift_load - how a routing spreads a shift: every rank i sends to rank i + shift at once.
 *
 * A shift by half of the ranks crosses the middle of most networks, and tells in one figure what
 * tapered levels or colliding routes leave of the NPUs' bandwidth: the rate that all messages can
 * have at the same time if they are equally fast, the least over links of bandwidth / messages.
 */
#ifndef ORRERY_NET_TOPOLOGY_SHIFT_LOAD_H
#define ORRERY_NET_TOPOLOGY_SHIFT_LOAD_H

#include "net/topology/routing.h"

struct shift_load {
    double each_Bps;  /* what every NPU can send at */
    uint32_t link;    /* the link that limits it */
    double messages;  /* on that link: a sprayed message counts with its share */
    uint32_t detours; /* messages that the policy has no way for: links have failed */
};

/* `shift` is 1 .. npu_count - 1. */
struct shift_load shift_load_take(struct routing *routing, const struct fabric *fabric,
                                  uint32_t shift);

#endif
