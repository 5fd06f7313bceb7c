#include "net/model/ideal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "net/model/endpoint.h"
#include "net/model/fold_turn.h"
#include "net/model/paths.h"

enum { LATENCY_ROUNDS = 16 };

/* One direction of an NPU. */
struct port {
    double B_per_ns;
    double least_ns;       /* latency between it and the nearest other NPU */
    time_ps worked;        /* W: when all its work so far can be done */
    struct fold_turn turn; /* folded */
};

struct ideal {
    struct engine *engine;
    struct endpoint endpoint;
    struct paths paths;
    bool whole_ns;
    uint32_t npu_count;
    struct port *out, *in; /* [npu_count] */

    const struct link_fold *fold; /* NULL: not folded */
};

/* Latency of the message and the bandwidth of the smaller port. */
static struct path_cost cost_of(const struct ideal *net, uint32_t src, uint32_t dst)
{
    struct route route;
    paths_find(&net->paths, src, dst, &route);
    struct path_cost cost = {route.latency_ns, HUGE_VAL};
    double least_ns = 0;
    if (src < net->npu_count) {
        cost.B_per_ns = net->out[src].B_per_ns;
        least_ns = net->out[src].least_ns;
    }
    if (dst < net->npu_count) {
        cost.B_per_ns = fmin(cost.B_per_ns, net->in[dst].B_per_ns);
        least_ns = fmax(least_ns, net->in[dst].least_ns);
    }
    if (route.share)
        cost.latency_ns = fmin(cost.latency_ns, least_ns);
    return cost;
}

/* Gives a port `bytes` of work; returns the least arrival of the last of them. */
static time_ps work(const struct ideal *net, struct port *port, uint64_t bytes, double latency_ns)
{
    time_ps hold = time_rounded((double)bytes / port->B_per_ns, net->whole_ns);
    port->worked = time_after(time_later(port->worked, net->engine->now), hold);
    double least_ns = fmin(port->least_ns, latency_ns);
    return time_after(port->worked, time_rounded(least_ns, net->whole_ns));
}

/* Folded, what comes to `dst` stands for what its stand-in gets. */
static struct port *port_into(struct ideal *net, uint32_t dst, uint64_t bytes)
{
    struct port *port = &net->in[link_fold_stand_in(net->fold, dst)];
    if (net->fold && bytes > 0)
        fold_turn_note(&port->turn, net->fold, net->engine, FOLD_TURN_OTHER);
    return port;
}

static struct port *port_out(struct ideal *net, uint32_t src, uint64_t bytes)
{
    struct port *port = &net->out[src];
    if (net->fold && bytes > 0)
        fold_turn_note(&port->turn, net->fold, net->engine, 0);
    return port;
}

static void carry(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    struct ideal *net = self;
    struct path_cost cost = cost_of(net, src, dst);
    time_ps alone = time_rounded(cost.latency_ns + (double)bytes / cost.B_per_ns, net->whole_ns);
    time_ps arrival = time_after(net->engine->now, alone);
    if (src < net->npu_count)
        arrival = time_later(arrival, work(net, port_out(net, src, bytes), bytes, cost.latency_ns));
    if (dst < net->npu_count)
        arrival =
            time_later(arrival, work(net, port_into(net, dst, bytes), bytes, cost.latency_ns));
    engine_push(net->engine, arrival, ticket);
}

static time_ps carry_time(const void *self, uint32_t src, uint32_t dst, uint64_t bytes)
{
    const struct ideal *net = self;
    struct path_cost cost = cost_of(net, src, dst);
    return time_rounded(cost.latency_ns + (double)bytes / cost.B_per_ns, net->whole_ns);
}

static void fold(void *self, const struct link_fold *fold)
{
    struct ideal *net = self;
    net->fold = fold;
    for (uint32_t r = 0; r < net->npu_count; r++)
        net->in[r].turn = net->out[r].turn = FOLD_TURN_NONE;
    endpoint_fold(&net->endpoint, fold);
}

static void send(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    struct ideal *net = self;
    if (endpoint_is_active(&net->endpoint))
        endpoint_send(&net->endpoint, src, dst, bytes, ticket);
    else
        carry(net, src, dst, bytes, ticket);
}

static time_ps idle_time(const void *self, uint32_t src, uint32_t dst, uint64_t bytes)
{
    const struct ideal *net = self;
    return endpoint_idle_time(&net->endpoint, src, dst, bytes);
}

static uint32_t dimension(const void *self, uint32_t src, uint32_t dst)
{
    const struct ideal *net = self;
    return paths_dimension(&net->paths, src, dst);
}

/*
 * The latency from every node to the nearest NPU (out) or from it (in): least[v] = min over its
 * links of latency + least[beyond], where an NPU beyond counts 0. Started at 0 every round is a
 * lower bound and larger than the one before, so stopping after some rounds is safe; a tree of L
 * levels needs L.
 */
static void find_least_latencies(const struct fabric *fabric, double *least, double *next,
                                 bool is_out)
{
    memset(least, 0, fabric->node_count * sizeof *least);
    bool changed = true;
    for (uint32_t round = 0; changed && round < LATENCY_ROUNDS; round++) {
        for (uint32_t v = 0; v < fabric->node_count; v++)
            next[v] = HUGE_VAL;
        for (uint32_t i = 0; i < fabric->link_count; i++) {
            const struct fabric_link *link = &fabric->link[i];
            uint32_t at = is_out ? link->src : link->dst;
            uint32_t beyond = is_out ? link->dst : link->src;
            if (link->bandwidth_Bps > 0)
                next[at] = fmin(next[at], link->latency_ns +
                                              (beyond < fabric->npu_count ? 0 : least[beyond]));
        }
        changed = false;
        for (uint32_t v = 0; v < fabric->node_count; v++) {
            changed = changed || next[v] != least[v];
            least[v] = next[v];
        }
    }
}

void ideal_find_ports(const struct fabric *fabric, struct ideal_ports *ports)
{
    uint32_t npus = fabric->npu_count;
    memset(ports, 0, npus * sizeof *ports);
    for (uint32_t i = 0; i < fabric->link_count; i++) {
        const struct fabric_link *link = &fabric->link[i];
        if (link->src < npus)
            ports[link->src].out_B_per_ns += link->bandwidth_Bps / 1e9;
        if (link->dst < npus)
            ports[link->dst].in_B_per_ns += link->bandwidth_Bps / 1e9;
    }
    double *least = calloc(2 * (size_t)fabric->node_count, sizeof *least);
    need_memory(least != NULL);
    double *room = least + fabric->node_count;
    find_least_latencies(fabric, least, room, true);
    for (uint32_t v = 0; v < npus; v++)
        ports[v].out_least_ns = least[v];
    find_least_latencies(fabric, least, room, false);
    for (uint32_t v = 0; v < npus; v++)
        ports[v].in_least_ns = least[v];
    free(least);
}

static void make_ports(struct ideal *net)
{
    struct arena *arena = &net->paths.arena;
    net->npu_count = net->paths.fabric->npu_count;
    net->out = arena_array(arena, net->npu_count, sizeof *net->out);
    net->in = arena_array(arena, net->npu_count, sizeof *net->in);
    struct ideal_ports *ports = calloc(net->npu_count, sizeof *ports);
    need_memory(ports != NULL);
    ideal_find_ports(net->paths.fabric, ports);
    for (uint32_t v = 0; v < net->npu_count; v++) {
        net->out[v].B_per_ns = ports[v].out_B_per_ns;
        net->out[v].least_ns = ports[v].out_least_ns;
        net->in[v].B_per_ns = ports[v].in_B_per_ns;
        net->in[v].least_ns = ports[v].in_least_ns;
    }
    free(ports);
}

static void destroy(void *self)
{
    struct ideal *net = self;
    endpoint_release(&net->endpoint);
    paths_release(&net->paths);
    free(net);
}

static enum status create(void **self, const struct network_config *config, struct engine *engine,
                          struct diag *diag)
{
    struct ideal *net = calloc(1, sizeof *net);
    need_memory(net != NULL);
    net->engine = engine;
    net->whole_ns = config->whole_ns;
    enum status status = paths_init(&net->paths, config, diag);
    if (status != STATUS_OK) {
        destroy(net);
        return status;
    }
    make_ports(net);
    struct endpoint_core core = {net, carry, carry_time};
    endpoint_init(&net->endpoint, config, &core, engine);
    *self = net;
    return STATUS_OK;
}

const struct network_ops network_ideal = {
    .name = "ideal",
    .summary = "a bound: ports only, a network core without limits",
    .has_queues = true,
    .check = paths_check,
    .create = create,
    .fold = fold,
    .send = send,
    .idle_time = idle_time,
    .dimension = dimension,
    .destroy = destroy,
};
