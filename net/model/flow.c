#include "net/model/flow.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/memory.h"
#include "net/model/drain.h"
#include "net/model/endpoint.h"
#include "net/model/maxmin.h"
#include "net/model/paths.h"

enum {
    KIND_START = NETWORK_FIRST_KIND, /* the latency is over: data = flow */
    KIND_DUE,                        /* some flow is done, if the timer is */
};

/* A message under way has the number of its flow in the solver. */
struct message {
    uint64_t ticket, bytes;
};

struct flow_net {
    struct engine *engine;
    struct endpoint endpoint;
    struct paths paths;
    const struct link_fold *fold; /* NULL: every message is itself */
    struct maxmin *solver;        /* in B/ns */
    struct drain drain;
    struct grow messages; /* struct message */
    struct timer timer;
    time_ps timer_at;             /* when it rings; TIME_NEVER: it does not */
    struct link_figures *figures; /* by server; folded: of the links that lead a class */
    uint64_t counted_bytes;       /* of the message that is being counted */
    struct {
        uint32_t *link;
        double *weight;
        uint32_t count, capacity;
    } way; /* of the message that is being sent */
};

static struct message *message_at(const struct flow_net *net, uint32_t flow)
{
    return (struct message *)net->messages.base + flow;
}

static void add_to_way(struct flow_net *net, uint32_t link, double weight)
{
    for (uint32_t i = 0; net->fold && i < net->way.count; i++) {
        if (net->way.link[i] == link) {
            net->way.weight[i] += weight;
            return;
        }
    }
    if (net->way.count == net->way.capacity) {
        net->way.capacity = net->way.capacity ? 2 * net->way.capacity : 64;
        net->way.link = realloc(net->way.link, net->way.capacity * sizeof *net->way.link);
        net->way.weight = realloc(net->way.weight, net->way.capacity * sizeof *net->way.weight);
        need_memory(net->way.link != NULL && net->way.weight != NULL);
    }
    net->way.link[net->way.count] = link;
    net->way.weight[net->way.count++] = weight;
}

/*
 * The one place where a route becomes constraints with weights. Folded: the links of a route that
 * are of one class are one constraint, on which each of them puts its load. Returns the latency.
 */
static double find_way(struct flow_net *net, uint32_t src, uint32_t dst)
{
    struct route route;
    paths_find(&net->paths, src, dst, &route);
    net->way.count = 0;
    for (uint32_t i = 0; i < route.count; i++) {
        uint32_t link = route.link[i];
        double weight = route.share ? route.share[i] : 1;
        if (net->fold) {
            link = net->fold->class_of[link];
            weight *= link_fold_load(net->fold, net->fold->class_size[link]);
        }
        add_to_way(net, link, weight);
    }
    return route.latency_ns;
}

static void start(struct flow_net *net, uint32_t flow)
{
    drain_set(&net->drain, flow, (double)message_at(net, flow)->bytes);
    maxmin_start(net->solver, flow);
    engine_ask_late(net->engine);
}

static void on_start(void *self, uint64_t payload)
{
    start(self, (uint32_t)(payload & ENGINE_DATA_MASK));
}

static void carry(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    struct flow_net *net = self;
    time_ps latency = time_rounded(find_way(net, src, dst), false);
    time_ps begin = time_after(net->engine->now, latency);
    if (bytes == 0) {
        engine_push(net->engine, begin, ticket);
        return;
    }
    uint32_t flow = maxmin_add(net->solver, net->way.count, net->way.link, net->way.weight);
    if (flow >= net->messages.count)
        grow_push(&net->messages, flow + 1 - net->messages.count);
    *message_at(net, flow) = (struct message){.ticket = ticket, .bytes = bytes};
    if (latency == 0)
        start(net, flow);
    else
        engine_push(net->engine, begin, engine_payload(KIND_START, flow));
}

static void send(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    struct flow_net *net = self;
    if (endpoint_is_active(&net->endpoint))
        endpoint_send(&net->endpoint, src, dst, bytes, ticket);
    else
        carry(net, src, dst, bytes, ticket);
}

static void count(void *self, uint32_t link, double weight)
{
    struct flow_net *net = self;
    struct link_figures *figures = &net->figures[link];
    double bytes = weight * (double)net->counted_bytes;
    figures->bytes += bytes;
    figures->busy_ns += bytes / net->paths.B_per_ns[link];
    figures->messages++;
}

static void on_done(void *self, uint32_t flow)
{
    struct flow_net *net = self;
    struct message *message = message_at(net, flow);
    net->counted_bytes = message->bytes;
    maxmin_visit(net->solver, flow, count, net);
    maxmin_stop(net->solver, flow);
    maxmin_remove(net->solver, flow);
    engine_push(net->engine, net->engine->now, message->ticket);
}

static void on_due(void *self, uint64_t payload)
{
    struct flow_net *net = self;
    if (!timer_is_due(&net->timer, payload))
        return;
    net->timer_at = TIME_NEVER;
    drain_take(&net->drain, net->engine->now, on_done, net);
    engine_ask_late(net->engine);
}

static void set_timer(struct flow_net *net)
{
    time_ps next = drain_next(&net->drain);
    if (next == net->timer_at && next != TIME_NEVER)
        return;
    timer_cancel(&net->timer);
    net->timer_at = next;
    if (net->drain.due.count > 0)
        engine_push(net->engine, next, timer_payload(KIND_DUE, &net->timer, 0));
}

/* Gives flows and groups the rates of the last solve. */
static void take_rates(struct flow_net *net)
{
    time_ps now = net->engine->now;
    uint32_t moved_count, changed_count;
    const uint32_t *moved = maxmin_moved_flows(net->solver, &moved_count);
    const uint32_t *changed = maxmin_changed_links(net->solver, &changed_count);
    for (uint32_t i = 0; i < moved_count; i++) {
        if (drain_group_of(&net->drain, moved[i]) != maxmin_bottleneck(net->solver, moved[i]))
            drain_leave(&net->drain, moved[i], now);
    }
    for (uint32_t i = 0; i < changed_count; i++) {
        double level_B_per_ns = maxmin_level(net->solver, changed[i]);
        drain_set_rate(&net->drain, changed[i], level_B_per_ns / (double)PS_PER_NS, now);
    }
    for (uint32_t i = 0; i < moved_count; i++) {
        if (drain_group_of(&net->drain, moved[i]) == DRAIN_NONE)
            drain_join(&net->drain, moved[i], maxmin_bottleneck(net->solver, moved[i]), now);
    }
}

/* The instant is over: one solve for all of it. */
static void on_late(void *self)
{
    struct flow_net *net = self;
    maxmin_solve(net->solver);
    take_rates(net);
    drain_settle(&net->drain);
    set_timer(net);
}

static time_ps carry_time(const void *self, uint32_t src, uint32_t dst, uint64_t bytes)
{
    const struct flow_net *net = self;
    struct route route;
    paths_find(&net->paths, src, dst, &route);
    struct path_cost cost = paths_cost(&net->paths, &route);
    time_ps latency = time_rounded(cost.latency_ns, false);
    return time_after(latency, time_rounded((double)bytes / cost.B_per_ns, false));
}

static time_ps idle_time(const void *self, uint32_t src, uint32_t dst, uint64_t bytes)
{
    const struct flow_net *net = self;
    return endpoint_idle_time(&net->endpoint, src, dst, bytes);
}

static uint32_t dimension(const void *self, uint32_t src, uint32_t dst)
{
    const struct flow_net *net = self;
    return paths_dimension(&net->paths, src, dst);
}

static void links(const void *self, struct link_figures *rows)
{
    const struct flow_net *net = self;
    if (!net->fold) {
        paths_add_figures(&net->paths, net->figures, rows);
        return;
    }
    uint32_t server_count = net->paths.server_count;
    struct link_figures *all = calloc((size_t)server_count + 1, sizeof *all);
    need_memory(all != NULL);
    for (uint32_t i = 0; i < server_count; i++)
        all[i] = net->figures[net->fold->class_of[i]];
    paths_add_figures(&net->paths, all, rows);
    free(all);
}

static void fold(void *self, const struct link_fold *fold)
{
    struct flow_net *net = self;
    net->fold = fold;
}

static void destroy(void *self)
{
    struct flow_net *net = self;
    endpoint_release(&net->endpoint);
    paths_release(&net->paths);
    maxmin_destroy(net->solver);
    drain_release(&net->drain);
    grow_release(&net->messages);
    free(net->figures);
    free(net->way.link);
    free(net->way.weight);
    free(net);
}

/* A failed link has no bandwidth and is on no route; the solver wants a number. */
static void make_solver(struct flow_net *net)
{
    uint32_t server_count = net->paths.server_count;
    double *capacity = calloc((size_t)server_count + 1, sizeof *capacity);
    need_memory(capacity != NULL);
    for (uint32_t i = 0; i < server_count; i++)
        capacity[i] = net->paths.B_per_ns[i] > 0 ? net->paths.B_per_ns[i] : 1;
    net->solver = maxmin_create(capacity, server_count);
    free(capacity);
    drain_init(&net->drain, server_count);
    net->figures = calloc((size_t)server_count + 1, sizeof *net->figures);
    need_memory(net->figures != NULL);
    need_memory(grow_init(&net->messages, sizeof(struct message), UINT32_MAX - 1));
}

static enum status create(void **self, const struct network_config *config, struct engine *engine,
                          struct diag *diag)
{
    struct flow_net *net = calloc(1, sizeof *net);
    need_memory(net != NULL);
    net->engine = engine;
    net->timer_at = TIME_NEVER;
    enum status status = paths_init(&net->paths, config, diag);
    if (status != STATUS_OK) {
        paths_release(&net->paths);
        free(net);
        return status;
    }
    make_solver(net);
    struct endpoint_core core = {.net = net, .carry = carry, .idle_time = carry_time};
    endpoint_init(&net->endpoint, config, &core, engine);
    engine_on(engine, KIND_START, on_start, net);
    engine_on(engine, KIND_DUE, on_due, net);
    engine_on_late(engine, on_late, net);
    *self = net;
    return STATUS_OK;
}

const struct network_ops network_flow = {
    .name = "flow",
    .summary = "max-min fair sharing of every link on any graph",
    .check = paths_check,
    .create = create,
    .fold = fold,
    .send = send,
    .idle_time = idle_time,
    .dimension = dimension,
    .links = links,
    .destroy = destroy,
};
