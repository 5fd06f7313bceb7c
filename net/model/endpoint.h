/*
 * endpoint - what a message costs at the NPUs at both ends, around any network model (LogGP).
 *
 * Every NPU has a port out and a port in, which do not disturb each other, and serve messages one
 * after the other: out in the order of send(), in in the order in which last bytes come.
 *
 *   port(s) = max((s - 1) x G, s / injection)           how long a port is busy with s bytes
 *   out: starts at t = max(now, next); first byte enters the network at t + o_s;
 *        next = t + max(o_s, g + port(s))                the processor, or the port, is free again
 *   in:  the last byte is in the NPU at e = max(arrival, last byte out + latency, next + port(s));
 *        next = e + g; the receiver has the message at d = max(e, d of the one before) + o_r
 *
 * so that a message alone takes o_s + max(network's time, latency + port(s)) + o_r: ports and
 * network work on the same bytes at once. Without other limits that is LogGP's o + L + (s-1)G + o.
 *   L = 2500 ns, o = 1500 ns each, G = 6 ns/B, 4096 B: 1500 + 2500 + 24570 + 1500 = 30070 ns.
 * Messages that one NPU sends, or gets, without a pause are max(o, g + port) apart.
 * Source: Alexandrov, Ionescu, Schauser, Scheiman, "LogGP", SPAA 1995. There one processor does
 * sends and receives in turn; here they overlap (a DMA engine each way), and so do o and the bytes
 * of the message before.
 *
 * Rules:
 *  1. A model keeps one `struct endpoint`. If endpoint_is_active(), its send() gives the message to
 *     endpoint_send(), which calls core.carry() when the first byte enters the network: at once or
 *     in an event of kind ENDPOINT_KIND, which a model must not use itself.
 *  2. Switches (node numbers from npu_count on) have neither overheads nor a port: a
 *     message between one and an NPU pays for the NPU's end.
 *  3. Without costs nothing is allocated and nothing should be called.
 */
#ifndef ORRERY_NET_MODEL_ENDPOINT_H
#define ORRERY_NET_MODEL_ENDPOINT_H

#include "base/grow.h"
#include "model/network.h"
#include "net/model/fold_turn.h"

enum { ENDPOINT_KIND = NETWORK_FIRST_KIND + 3 };

/* The network between the ports: the model that keeps the endpoint. */
struct endpoint_core {
    void *net;
    void (*carry)(void *net, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket);
    time_ps (*idle_time)(const void *net, uint32_t src, uint32_t dst, uint64_t bytes);
};

/* The state of one NPU. */
struct endpoint_npu {
    time_ps out_next;                   /* the next message may start */
    time_ps in_next;                    /* the port in was free last */
    time_ps received;                   /* the receiver had the last message */
    struct fold_turn out_turn, in_turn; /* folded */
};

struct endpoint {
    struct engine *engine;
    struct endpoint_core core;
    time_ps send_ps, receive_ps, gap_ps;
    double byte_gap_ns, injection_B_per_ns; /* 0: none */
    bool whole_ns;
    uint32_t npu_count;
    struct endpoint_npu *npu;     /* NULL: no costs */
    const struct link_fold *fold; /* NULL: not folded */
    struct grow messages;         /* under way; recycled */
    uint32_t free_message;
};

/* Takes the costs from `config`; registers ENDPOINT_KIND if there are any. */
void endpoint_init(struct endpoint *endpoint, const struct network_config *config,
                   const struct endpoint_core *core, struct engine *engine);
void endpoint_release(struct endpoint *endpoint);

/*
 * From now on the run is folded: what comes to a rank stands for what its stand-in gets. The order
 * of last bytes that come at one time may differ between ranks, so that is a tie.
 */
void endpoint_fold(struct endpoint *endpoint, const struct link_fold *fold);

static inline bool endpoint_is_active(const struct endpoint *endpoint)
{
    return endpoint->npu != NULL;
}

/* network_ops.send() with costs (rule 1). No allocation in steady state. */
void endpoint_send(struct endpoint *endpoint, uint32_t src, uint32_t dst, uint64_t bytes,
                   uint64_t ticket);

/* network_ops.idle_time() with costs, or the core's if there are none. */
time_ps endpoint_idle_time(const struct endpoint *endpoint, uint32_t src, uint32_t dst,
                           uint64_t bytes);

#endif
