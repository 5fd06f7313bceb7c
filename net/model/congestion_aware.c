#include "net/model/congestion_aware.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/memory.h"

enum {
    KIND_HOP = NETWORK_FIRST_KIND, /* a message is at a device on its way: data = message */
    KIND_FREE,                     /* a link is free again: data = link */
};

enum { NONE = UINT32_MAX };

/* A message that waits for a link or has hops to go. */
struct message {
    uint64_t ticket;
    uint64_t bytes;
    uint32_t at; /* device it is at, or that its current link leads to */
    uint32_t dst;
    uint32_t next; /* in a link's queue or in the free list */
    int32_t step;  /* ring: +1 or -1 */
};

struct link {
    uint32_t head;      /* first waiting message + 1, 0 if none */
    uint32_t tail : 31; /* last waiting message + 1 */
    uint32_t is_busy : 1;
};

struct aware {
    struct engine *engine;
    struct net_dim dim;
    bool whole_ns;
    uint64_t cached_bytes;
    time_ps cached_hop, cached_hold;
    struct grow links;    /* struct link, made on first touch: zero means fresh */
    struct grow messages; /* struct message */
    uint32_t free_message;
    struct link_meter meter;
};

static enum status create(void **self, const struct network_config *config, struct engine *engine,
                          struct diag *diag);

/* Links are numbered: ring 2 r + (anticlockwise), switch 2 r + (down), pairs src x n + dst. */
static uint32_t link_from(const struct aware *net, const struct message *message, uint32_t device)
{
    uint32_t n = net->dim.npus;
    switch (net->dim.block) {
    case NET_RING:
        return 2 * device + (message->step < 0);
    case NET_SWITCH:
        return device == n ? 2 * message->dst + 1 : 2 * device;
    case NET_FULLY_CONNECTED:
        break;
    }
    return device * n + message->dst;
}

static uint32_t device_after(const struct aware *net, const struct message *message,
                             uint32_t device)
{
    uint32_t n = net->dim.npus;
    switch (net->dim.block) {
    case NET_RING:
        return message->step > 0 ? (device + 1 == n ? 0 : device + 1)
                                 : (device == 0 ? n - 1 : device - 1);
    case NET_SWITCH:
        return device == n ? message->dst : n;
    case NET_FULLY_CONNECTED:
        break;
    }
    return message->dst;
}

static void release_message(struct aware *net, uint32_t index)
{
    struct message *message = (struct message *)net->messages.base + index;
    message->next = net->free_message;
    net->free_message = index;
}

/* The two roundings of one hop; sizes repeat, so the last answer is kept. */
static void time_hop(struct aware *net, uint64_t bytes)
{
    if (bytes == net->cached_bytes)
        return;
    double wire_ns = (double)bytes / net->dim.bandwidth_B_per_ns;
    net->cached_bytes = bytes;
    net->cached_hop = time_rounded(net->dim.latency_ns + wire_ns, net->whole_ns);
    net->cached_hold = time_rounded(wire_ns, net->whole_ns);
}

/* The message of the last time_hop() goes over a link from now on. */
static inline void tell_meter(const struct aware *net)
{
    time_ps now = net->engine->now;
    if (__builtin_expect(net->meter.carries != NULL, 0))
        net->meter.carries(net->meter.self, 0, now, time_after(now, net->cached_hold),
                           (double)net->cached_bytes);
}

/* Puts the message on the free link `link_index`, leaving from message->at. */
static void transmit(struct aware *net, uint32_t link_index, uint32_t index)
{
    struct message *message = (struct message *)net->messages.base + index;
    struct link *link = (struct link *)net->links.base + link_index;
    time_ps now = net->engine->now;
    link->is_busy = true;
    time_hop(net, message->bytes);
    tell_meter(net);
    message->at = device_after(net, message, message->at);
    if (message->at == message->dst) {
        engine_push(net->engine, time_after(now, net->cached_hop), message->ticket);
        release_message(net, index);
    } else {
        engine_push(net->engine, time_after(now, net->cached_hop), engine_payload(KIND_HOP, index));
    }
    engine_push(net->engine, time_after(now, net->cached_hold),
                engine_payload(KIND_FREE, link_index));
}

/* Joins the queue of the link out of message->at, or goes at once if it is free. */
static void join_link(struct aware *net, uint32_t index)
{
    struct message *message = (struct message *)net->messages.base + index;
    uint32_t link_index = link_from(net, message, message->at);
    struct link *link = (struct link *)net->links.base + link_index;
    if (!link->is_busy) {
        transmit(net, link_index, index);
        return;
    }
    message->next = 0;
    if (link->head)
        ((struct message *)net->messages.base + link->tail - 1)->next = index + 1;
    else
        link->head = index + 1;
    link->tail = index + 1;
}

static void on_hop(void *self, uint64_t payload)
{
    join_link(self, (uint32_t)(payload & ENGINE_DATA_MASK));
}

static void on_free(void *self, uint64_t payload)
{
    struct aware *net = self;
    uint32_t link_index = (uint32_t)(payload & ENGINE_DATA_MASK);
    struct link *link = (struct link *)net->links.base + link_index;
    link->is_busy = false;
    if (!link->head)
        return;
    uint32_t index = link->head - 1;
    link->head = ((struct message *)net->messages.base + index)->next;
    transmit(net, link_index, index);
}

static uint32_t take_message(struct aware *net)
{
    uint32_t index = net->free_message;
    if (index == NONE)
        return (uint32_t)grow_push(&net->messages, 1);
    net->free_message = ((struct message *)net->messages.base + index)->next;
    return index;
}

/* One hop over a free link needs no record: most messages of a full mesh go this way. */
static bool send_at_once(struct aware *net, uint32_t src, uint32_t dst, uint64_t bytes,
                         uint64_t ticket)
{
    uint32_t link_index = src * net->dim.npus + dst;
    struct link *link = (struct link *)net->links.base + link_index;
    if (link->is_busy)
        return false;
    link->is_busy = true;
    time_hop(net, bytes);
    tell_meter(net);
    time_ps now = net->engine->now;
    engine_push(net->engine, time_after(now, net->cached_hop), ticket);
    engine_push(net->engine, time_after(now, net->cached_hold),
                engine_payload(KIND_FREE, link_index));
    return true;
}

static int32_t ring_step(const struct aware *net, uint32_t src, uint32_t dst)
{
    uint32_t clockwise = dst >= src ? dst - src : dst + net->dim.npus - src;
    return net->dim.npus - clockwise < clockwise ? -1 : 1;
}

static void send(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    struct aware *net = self;
    if (net->dim.block == NET_FULLY_CONNECTED && send_at_once(net, src, dst, bytes, ticket))
        return;
    uint32_t index = take_message(net);
    struct message *message = (struct message *)net->messages.base + index;
    *message = (struct message){
        .ticket = ticket, .bytes = bytes, .at = src, .dst = dst, .step = ring_step(net, src, dst)};
    join_link(net, index);
}

static time_ps idle_time(const void *self, uint32_t src, uint32_t dst, uint64_t bytes)
{
    const struct aware *net = self;
    uint32_t hops = net->dim.block == NET_SWITCH ? 2 : 1;
    if (net->dim.block == NET_RING) {
        uint32_t clockwise = dst >= src ? dst - src : dst + net->dim.npus - src;
        uint32_t counter = net->dim.npus - clockwise;
        hops = clockwise <= counter ? clockwise : counter;
    }
    double hop_ns = net->dim.latency_ns + (double)bytes / net->dim.bandwidth_B_per_ns;
    time_ps hop = time_rounded(hop_ns, net->whole_ns);
    return hop <= TIME_NEVER / (hops + 1) ? hops * hop : TIME_NEVER;
}

static uint32_t dimension(const void *self, uint32_t src, uint32_t dst)
{
    (void)self, (void)src, (void)dst;
    return 0;
}

static void destroy(void *self)
{
    struct aware *net = self;
    grow_release(&net->links);
    grow_release(&net->messages);
    free(net);
}

static void meter(void *self, const struct link_meter *meter)
{
    struct aware *net = self;
    net->meter = *meter;
}

static enum status check(const struct network_config *config, struct diag *diag)
{
    if (config->dim_count != 1) {
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "the congestion-aware model takes one dimension, the network has %u",
                  config->dim_count);
        diag_field(diag, "topology");
        diag_hint(diag, "use --network-backend=congestion-unaware for more dimensions");
        return STATUS_BAD_CONFIG;
    }
    return STATUS_OK;
}

static enum status create(void **self, const struct network_config *config, struct engine *engine,
                          struct diag *diag)
{
    struct aware *net = calloc(1, sizeof *net);
    need_memory(net != NULL);
    net->engine = engine;
    net->dim = config->dim[0];
    net->whole_ns = config->whole_ns;
    net->cached_bytes = UINT64_MAX;
    net->free_message = NONE;
    size_t n = net->dim.npus;
    size_t link_count = net->dim.block == NET_FULLY_CONNECTED ? n * n : 2 * n;
    if (link_count >= NONE || !grow_init(&net->links, sizeof(struct link), link_count) ||
        net->links.maximum < link_count ||
        !grow_init(&net->messages, sizeof(struct message), (size_t)1 << 28)) {
        destroy(net);
        return diag_fail(diag, STATUS_NO_MEMORY, "%zu links are more than this machine can hold",
                         link_count);
    }
    engine_on(engine, KIND_HOP, on_hop, net);
    engine_on(engine, KIND_FREE, on_free, net);
    *self = net;
    return STATUS_OK;
}

const struct network_ops network_congestion_aware = {
    .name = "congestion-aware",
    .summary = "whole messages store-and-forward over FIFO links; one dimension",
    .has_queues = true,
    .has_contention = true,
    .check = check,
    .create = create,
    .send = send,
    .idle_time = idle_time,
    .dimension = dimension,
    .meter = meter,
    .destroy = destroy,
};
