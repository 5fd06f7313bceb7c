#include "net/model/congestion_unaware.h"

#include <stdlib.h>

#include "base/memory.h"

/* The last size seen in a dimension and its bytes / bandwidth: sizes repeat, divisions are slow. */
struct wire_time {
    uint64_t bytes;
    double ns;
};

struct unaware {
    struct engine *engine;
    struct network_config config;
    uint32_t stride[CONFIG_MAX_DIMS]; /* rank distance of neighbours in dimension d */
    struct wire_time wire[CONFIG_MAX_DIMS];
    struct link_meter meter;
};

static enum status check(const struct network_config *config, struct diag *diag)
{
    (void)config, (void)diag;
    return STATUS_OK;
}

static enum status create(void **self, const struct network_config *config, struct engine *engine,
                          struct diag *diag)
{
    (void)diag;
    struct unaware *net = calloc(1, sizeof *net);
    need_memory(net != NULL);
    net->engine = engine;
    net->config = *config;
    uint32_t stride = 1;
    for (uint32_t d = 0; d < config->dim_count; d++) {
        net->stride[d] = stride;
        stride *= config->dim[d].npus;
    }
    *self = net;
    return STATUS_OK;
}

static uint32_t dimension(const void *self, uint32_t src, uint32_t dst)
{
    const struct unaware *net = self;
    uint32_t d = 0;
    while (d + 1 < net->config.dim_count &&
           src % net->config.dim[d].npus == dst % net->config.dim[d].npus) {
        src /= net->config.dim[d].npus;
        dst /= net->config.dim[d].npus;
        d++;
    }
    return d;
}

static uint32_t hops_in(const struct net_dim *dim, uint32_t from, uint32_t to)
{
    if (dim->block == NET_FULLY_CONNECTED)
        return 1;
    if (dim->block == NET_SWITCH)
        return 2;
    uint32_t clockwise = to >= from ? to - from : to + dim->npus - from;
    uint32_t counter = dim->npus - clockwise;
    return clockwise < counter ? clockwise : counter;
}

/* hops x latency of the message, and the dimension that carries it. */
static double link_time_ns(const struct unaware *net, uint32_t src, uint32_t dst, uint32_t *d)
{
    *d = 0;
    if (net->config.dim_count > 1) {
        *d = dimension(net, src, dst);
        src = src / net->stride[*d] % net->config.dim[*d].npus;
        dst = dst / net->stride[*d] % net->config.dim[*d].npus;
    }
    const struct net_dim *dim = &net->config.dim[*d];
    return hops_in(dim, src, dst) * dim->latency_ns;
}

static time_ps idle_time(const void *self, uint32_t src, uint32_t dst, uint64_t bytes)
{
    const struct unaware *net = self;
    uint32_t d;
    double link_ns = link_time_ns(net, src, dst, &d);
    return time_rounded(link_ns + (double)bytes / net->config.dim[d].bandwidth_B_per_ns,
                        net->config.whole_ns);
}

static uint32_t hops_of(const struct unaware *net, uint32_t d, uint32_t src, uint32_t dst)
{
    const struct net_dim *dim = &net->config.dim[d];
    return hops_in(dim, src / net->stride[d] % dim->npus, dst / net->stride[d] % dim->npus);
}

/* It is on its links for bytes / bandwidth before it arrives. */
static void tell_meter(const struct unaware *net, uint32_t d, double bytes, double wire_ns,
                       time_ps arrival)
{
    time_ps length = time_rounded(wire_ns, false);
    net->meter.carries(net->meter.self, d, length < arrival ? arrival - length : 0, arrival, bytes);
}

static void send(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    struct unaware *net = self;
    uint32_t d;
    double link_ns = link_time_ns(net, src, dst, &d);
    struct wire_time *wire = &net->wire[d];
    if (wire->bytes != bytes)
        *wire = (struct wire_time){bytes, (double)bytes / net->config.dim[d].bandwidth_B_per_ns};
    time_ps duration = time_rounded(link_ns + wire->ns, net->config.whole_ns);
    time_ps arrival = time_after(net->engine->now, duration);
    if (net->meter.carries)
        tell_meter(net, d, hops_of(net, d, src, dst) * (double)bytes, wire->ns, arrival);
    engine_push(net->engine, arrival, ticket);
}

static void meter(void *self, const struct link_meter *meter)
{
    struct unaware *net = self;
    net->meter = *meter;
}

static void destroy(void *self)
{
    free(self);
}

const struct network_ops network_congestion_unaware = {
    .name = "congestion-unaware",
    .summary = "hops x latency + bytes / bandwidth of one dimension; no contention at all",
    .check = check,
    .create = create,
    .send = send,
    .idle_time = idle_time,
    .dimension = dimension,
    .meter = meter,
    .destroy = destroy,
};
