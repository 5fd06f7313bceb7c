#include "net/model/analytical.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "net/model/endpoint.h"
#include "net/model/paths.h"

struct analytical {
    struct engine *engine;
    struct endpoint endpoint;
    struct paths paths;
    bool whole_ns;
    struct link_figures *figures; /* by server */
    struct link_meter meter;
};

static time_ps time_on(const struct analytical *net, const struct route *route, uint64_t bytes)
{
    struct path_cost cost = paths_cost(&net->paths, route);
    return time_rounded(cost.latency_ns + (double)bytes / cost.B_per_ns, net->whole_ns);
}

/* The same from now on, over windows in which links are slow. */
static time_ps time_under(const struct analytical *net, const struct route *route, uint64_t bytes)
{
    const struct link_speed *speed = net->paths.speed;
    double latency_ns = paths_cost(&net->paths, route).latency_ns, left = (double)bytes, ns = 0;
    time_ps at = time_after(net->engine->now, time_rounded(latency_ns, false));
    for (;;) {
        double B_per_ns = HUGE_VAL;
        for (uint32_t i = 0; i < route->count; i++)
            B_per_ns = fmin(B_per_ns, link_speed_at(speed, route->link[i], at) /
                                          (route->share ? route->share[i] : 1));
        time_ps next = link_speed_next(speed, at);
        double until_ns = (double)(next - at) / (double)PS_PER_NS;
        if (next == TIME_NEVER || left <= until_ns * B_per_ns)
            return time_rounded(latency_ns + ns + left / B_per_ns, net->whole_ns);
        left -= until_ns * B_per_ns;
        ns += until_ns;
        at = next;
    }
}

/* All links of the route carry it evenly, once its latency is over. */
static void tell_meter(const struct analytical *net, const struct route *route, uint32_t src,
                       uint64_t bytes, time_ps arrival)
{
    time_ps latency = time_rounded(paths_cost(&net->paths, route).latency_ns, false);
    time_ps from = time_after(net->engine->now, latency);
    for (uint32_t i = 0; i < route->count; i++) {
        double load = paths_load(&net->paths, src, route->link[i]);
        net->meter.carries(net->meter.self, route->link[i], from < arrival ? from : arrival,
                           arrival, (double)bytes * load * (route->share ? route->share[i] : 1));
    }
}

static void carry(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    struct analytical *net = self;
    struct route route;
    paths_find(&net->paths, src, dst, &route);
    for (uint32_t i = 0; i < route.count; i++) {
        struct link_figures *figures = &net->figures[route.link[i]];
        double load = paths_load(&net->paths, src, route.link[i]);
        double part = (double)bytes * load * (route.share ? route.share[i] : 1);
        figures->bytes += part;
        figures->busy_ns += part / net->paths.B_per_ns[route.link[i]];
        figures->messages += (uint64_t)(load + 0.5);
    }
    time_ps time = net->paths.speed ? time_under(net, &route, bytes) : time_on(net, &route, bytes);
    time_ps arrival = time_after(net->engine->now, time);
    if (net->meter.carries)
        tell_meter(net, &route, src, bytes, arrival);
    engine_push(net->engine, arrival, ticket);
}

static time_ps carry_time(const void *self, uint32_t src, uint32_t dst, uint64_t bytes)
{
    const struct analytical *net = self;
    struct route route;
    paths_find(&net->paths, src, dst, &route);
    return time_on(net, &route, bytes);
}

static void fold(void *self, const struct link_fold *fold)
{
    struct analytical *net = self;
    paths_fold(&net->paths, fold);
    endpoint_fold(&net->endpoint, fold);
}

static void send(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    struct analytical *net = self;
    if (endpoint_is_active(&net->endpoint))
        endpoint_send(&net->endpoint, src, dst, bytes, ticket);
    else
        carry(net, src, dst, bytes, ticket);
}

static time_ps idle_time(const void *self, uint32_t src, uint32_t dst, uint64_t bytes)
{
    const struct analytical *net = self;
    return endpoint_idle_time(&net->endpoint, src, dst, bytes);
}

static uint32_t dimension(const void *self, uint32_t src, uint32_t dst)
{
    const struct analytical *net = self;
    return paths_dimension(&net->paths, src, dst);
}

static void links(const void *self, struct link_figures *rows)
{
    const struct analytical *net = self;
    paths_add_figures(&net->paths, net->figures, rows);
}

static void meter(void *self, const struct link_meter *meter)
{
    struct analytical *net = self;
    net->meter = *meter;
}

static uint32_t server_of(const void *self, uint32_t link, double *share)
{
    const struct analytical *net = self;
    return paths_server(&net->paths, net->paths.fold, link, share);
}

static void destroy(void *self)
{
    struct analytical *net = self;
    endpoint_release(&net->endpoint);
    paths_release(&net->paths);
    free(net);
}

static enum status create(void **self, const struct network_config *config, struct engine *engine,
                          struct diag *diag)
{
    struct analytical *net = calloc(1, sizeof *net);
    need_memory(net != NULL);
    net->engine = engine;
    net->whole_ns = config->whole_ns;
    enum status status = paths_init(&net->paths, config, diag);
    if (status != STATUS_OK) {
        destroy(net);
        return status;
    }
    net->figures = arena_array(&net->paths.arena, net->paths.server_count, sizeof *net->figures);
    struct endpoint_core core = {net, carry, carry_time};
    endpoint_init(&net->endpoint, config, &core, engine);
    *self = net;
    return STATUS_OK;
}

const struct network_ops network_analytical = {
    .name = "analytical",
    .summary = "latency of the route + bytes / its least bandwidth; messages never meet",
    .check = paths_check,
    .create = create,
    .fold = fold,
    .send = send,
    .idle_time = idle_time,
    .dimension = dimension,
    .links = links,
    .meter = meter,
    .server_of = server_of,
    .destroy = destroy,
};
