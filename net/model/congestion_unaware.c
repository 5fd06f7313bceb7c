#include "net/model/congestion_unaware.h"

#include <stdlib.h>

/* hops x latency is kept apart from the size so that one division per message remains. */
struct unaware {
    struct engine *engine;
    struct network_config config;
    uint32_t stride[CONFIG_MAX_DIMS]; /* rank distance of neighbours in dimension d */
};

static enum status create(void **self, const struct network_config *config, struct engine *engine,
                          struct diag *diag)
{
    (void)diag;
    struct unaware *net = calloc(1, sizeof *net);
    promise(net != NULL);
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
    while (d + 1 < net->config.dim_count && src % net->config.dim[d].npus == dst % net->config.dim[d].npus) {
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

static time_ps idle_time(const void *self, uint32_t src, uint32_t dst, uint64_t bytes)
{
    const struct unaware *net = self;
    const struct net_dim *dim = &net->config.dim[0];
    uint32_t from = src, to = dst;
    if (net->config.dim_count > 1) {
        uint32_t d = dimension(net, src, dst);
        dim = &net->config.dim[d];
        from = src / net->stride[d] % dim->npus;
        to = dst / net->stride[d] % dim->npus;
    }
    double link_ns = hops_in(dim, from, to) * dim->latency_ns;
    double wire_ns = (double)bytes / dim->bandwidth_B_per_ns;
    return (time_ps)(link_ns + wire_ns) * PS_PER_NS;
}

static void send(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    struct unaware *net = self;
    engine_push(net->engine, net->engine->now + idle_time(net, src, dst, bytes), ticket);
}

static void destroy(void *self)
{
    free(self);
}

const struct network_ops network_congestion_unaware = {
    .name = "congestion-unaware",
    .summary = "hops x latency + bytes / bandwidth of one dimension; no contention at all",
    .create = create,
    .send = send,
    .idle_time = idle_time,
    .dimension = dimension,
    .destroy = destroy,
};
