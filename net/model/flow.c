#include "net/model/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "net/model/endpoint.h"
#include "net/model/fluid.h"
#include "net/model/paths.h"

struct flow_net {
    struct engine *engine;
    struct endpoint endpoint;
    struct paths paths;
    const struct link_fold *fold; /* NULL: every message is itself */
    struct fluid *fluid;          /* its links are servers; folded: those that lead a class */
    struct {
        uint32_t *link;
        double *weight;
        uint32_t count, capacity;
        bool is_whole;
    } way; /* of the message that is being sent */
    /* Folded: few pairs send, again and again. Ways that were found, by source and destination. */
    struct table way_of;
    struct fluid_way *kept;
    uint32_t kept_count, kept_room;
    struct arena kept_lists;
};

enum { MOST_KEPT = 1 << 17 }; /* ways */

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
 * are of one class are one constraint, on which each of them puts its load. Valid until the next
 * call.
 */
static struct fluid_way find_way(struct flow_net *net, uint32_t src, uint32_t dst)
{
    struct route route;
    paths_find(&net->paths, src, dst, &route);
    net->way.count = 0;
    net->way.is_whole = !route.share;
    for (uint32_t i = 0; i < route.count; i++) {
        uint32_t link = route.link[i];
        double weight = route.share ? maxmin_weight(route.share[i]) : 1;
        add_to_way(net, net->fold ? net->fold->class_of[link] : link, weight);
    }
    for (uint32_t i = 0; net->fold && i < net->way.count; i++) {
        net->way.weight[i] *=
            link_fold_load(net->fold, src, net->fold->class_size[net->way.link[i]]);
        net->way.is_whole = net->way.is_whole && net->way.weight[i] == 1;
    }
    return (struct fluid_way){net->way.link, net->way.weight, net->way.count,
                              route.latency_ns * (double)PS_PER_NS, net->way.is_whole};
}

/* As find_way(), kept for the next time. */
static const struct fluid_way *keep_way(struct flow_net *net, uint32_t src, uint32_t dst)
{
    uint64_t key = (uint64_t)src << 32 | dst;
    struct fluid_way way = find_way(net, src, dst);
    uint32_t *link = arena_array(&net->kept_lists, way.count, sizeof *link);
    double *weight = arena_array(&net->kept_lists, way.count, sizeof *weight);
    memcpy(link, way.link, way.count * sizeof *link);
    memcpy(weight, way.weight, way.count * sizeof *weight);
    way.link = link;
    way.weight = weight;
    if (net->kept_count == net->kept_room) {
        net->kept_room = net->kept_room ? 2 * net->kept_room : 64;
        net->kept = realloc(net->kept, net->kept_room * sizeof *net->kept);
        need_memory(net->kept != NULL);
    }
    net->kept[net->kept_count] = way;
    table_put(&net->way_of, key, net->kept_count);
    return &net->kept[net->kept_count++];
}

static struct fluid_way way_of(struct flow_net *net, uint32_t src, uint32_t dst)
{
    if (!net->fold)
        return find_way(net, src, dst);
    uint32_t kept = table_find(&net->way_of, (uint64_t)src << 32 | dst);
    if (kept != TABLE_NONE)
        return net->kept[kept];
    return net->kept_count < MOST_KEPT ? *keep_way(net, src, dst) : find_way(net, src, dst);
}

static void carry(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    struct flow_net *net = self;
    const struct fluid_way way = way_of(net, src, dst);
    fluid_send(net->fluid, &way, bytes, ticket);
}

static void send(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    struct flow_net *net = self;
    if (endpoint_is_active(&net->endpoint))
        endpoint_send(&net->endpoint, src, dst, bytes, ticket);
    else
        carry(net, src, dst, bytes, ticket);
}

static uint64_t send_after(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t after,
                           uint64_t ticket)
{
    struct flow_net *net = self;
    if (endpoint_is_active(&net->endpoint)) { /* its ports keep the order */
        endpoint_send(&net->endpoint, src, dst, bytes, ticket);
        return after;
    }
    const struct fluid_way way = way_of(net, src, dst);
    return fluid_send_after(net->fluid, &way, bytes, after, ticket);
}

static bool send_chain(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint32_t count,
                       time_ps gap_ps, uint64_t ticket)
{
    struct flow_net *net = self;
    if (endpoint_is_active(&net->endpoint))
        return false;
    const struct fluid_way way = way_of(net, src, dst);
    fluid_send_chain(net->fluid, &way, bytes, count, gap_ps, ticket);
    return true;
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
    const struct link_figures *figures = fluid_figures(net->fluid);
    if (!net->fold) {
        paths_add_figures(&net->paths, figures, rows);
        return;
    }
    uint32_t server_count = net->paths.server_count;
    struct link_figures *all = calloc((size_t)server_count + 1, sizeof *all);
    need_memory(all != NULL);
    for (uint32_t i = 0; i < server_count; i++)
        all[i] = figures[net->fold->class_of[i]];
    paths_add_figures(&net->paths, all, rows);
    free(all);
}

static void meter(void *self, const struct link_meter *meter)
{
    struct flow_net *net = self;
    fluid_meter(net->fluid, meter);
}

static uint32_t server_of(const void *self, uint32_t link, double *share)
{
    const struct flow_net *net = self;
    return paths_server(&net->paths, net->fold, link, share);
}

static void fold(void *self, const struct link_fold *fold)
{
    struct flow_net *net = self;
    promise(fold->by_bundle == (net->paths.server_of_link != NULL));
    net->fold = fold;
    endpoint_fold(&net->endpoint, fold);
}

static void destroy(void *self)
{
    struct flow_net *net = self;
    endpoint_release(&net->endpoint);
    paths_release(&net->paths);
    fluid_destroy(net->fluid);
    free(net->way.link);
    free(net->way.weight);
    table_release(&net->way_of);
    arena_release(&net->kept_lists);
    free(net->kept);
    free(net);
}

/* A failed link has no bandwidth and is on no route; the solver wants a number. */
static void make_fluid(struct flow_net *net)
{
    uint32_t server_count = net->paths.server_count;
    double *capacity = calloc((size_t)server_count + 1, sizeof *capacity);
    need_memory(capacity != NULL);
    for (uint32_t i = 0; i < server_count; i++)
        capacity[i] = net->paths.B_per_ns[i] > 0 ? net->paths.B_per_ns[i] : 1;
    net->fluid = fluid_create(capacity, server_count, net->engine);
    free(capacity);
}

static double speed_at(const void *self, uint32_t server, time_ps time)
{
    return link_speed_at(self, server, time);
}

static time_ps speed_next(const void *self, time_ps time)
{
    return link_speed_next(self, time);
}

/* Servers with links that are slow for a time. */
static void set_speed(struct flow_net *net)
{
    const struct link_speed *speed = net->paths.speed;
    if (!speed)
        return;
    uint32_t *server = arena_array(&net->paths.arena, speed->count, sizeof *server), count = 0;
    for (uint32_t i = 0; i < speed->count; i++) {
        if (count == 0 || server[count - 1] != speed->slow[i].server)
            server[count++] = speed->slow[i].server;
    }
    const struct fluid_speed rates = {speed, speed_at, speed_next, server, count};
    fluid_set_speed(net->fluid, &rates);
}

static enum status create(void **self, const struct network_config *config, struct engine *engine,
                          struct diag *diag)
{
    struct flow_net *net = calloc(1, sizeof *net);
    need_memory(net != NULL);
    net->engine = engine;
    table_init(&net->way_of);
    arena_init(&net->kept_lists);
    enum status status = paths_init(&net->paths, config, diag);
    if (status != STATUS_OK) {
        paths_release(&net->paths);
        free(net);
        return status;
    }
    make_fluid(net);
    set_speed(net);
    struct endpoint_core core = {.net = net, .carry = carry, .idle_time = carry_time};
    endpoint_init(&net->endpoint, config, &core, engine);
    *self = net;
    return STATUS_OK;
}

const struct network_ops network_flow = {
    .name = "flow",
    .summary = "max-min fair sharing of every link on any graph",
    .has_contention = true,
    .check = paths_check,
    .create = create,
    .fold = fold,
    .send = send,
    .send_after = send_after,
    .send_chain = send_chain,
    .idle_time = idle_time,
    .dimension = dimension,
    .links = links,
    .meter = meter,
    .server_of = server_of,
    .destroy = destroy,
};
