#include "net/model/link.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "net/model/endpoint.h"
#include "net/model/fold_turn.h"
#include "net/model/link_parts.h"
#include "net/model/link_spray.h"
#include "net/model/paths.h"

struct link_net {
    struct engine *engine;
    struct server *servers;
    struct link_parts parts;
    bool cut_through, whole_ns;
    uint64_t segment_bytes, header_bytes;
    struct endpoint endpoint;
    struct paths paths;
    struct grow server_memory;
    struct link_spray spray; /* if routes have shares */
    struct fold_turn *turn;  /* folded: [servers] */
    struct link_meter meter;
};

/* How long the server works for `bytes`. */
static inline time_ps hold_time(const struct link_net *net, const struct server *server,
                                uint64_t bytes)
{
    return time_rounded((double)bytes / server->B_per_ns, net->whole_ns);
}

/* From the start on the server to the head's, and with store-and-forward the tail's, next node. */
static inline time_ps forward_time(const struct link_net *net, const struct server *server,
                                   uint64_t bytes)
{
    if (net->cut_through)
        return server->latency_ps;
    return time_rounded(server->latency_ns + (double)bytes / server->B_per_ns, net->whole_ns);
}

/* The server works for `units` units of `bytes` in all; returns the start. Each unit waits as long
 * as the first, as it does where units come one by one at the pace of what is before them. */
static inline time_ps join(struct link_net *net, struct server *server, uint64_t bytes,
                           time_ps hold, uint64_t units)
{
    time_ps start = time_later(net->engine->now, server->free);
    server->queued = time_after(server->queued, time_times(start - net->engine->now, units));
    server->busy = time_after(server->busy, hold);
    server->bytes += bytes;
    server->units += units;
    server->free = time_after(start, hold);
    if (__builtin_expect(net->meter.carries != NULL, 0))
        net->meter.carries(net->meter.self, (uint32_t)(server - net->servers), start, server->free,
                           (double)bytes);
    return start;
}

/* The unit leaves the server, where it started at `start`; returns when its head is beyond. */
static inline time_ps leave(const struct link_net *net, const struct server *server,
                            struct unit *unit, time_ps start, time_ps end)
{
    time_ps head = time_after(start, forward_time(net, server, unit->bytes));
    unit->tail =
        net->cut_through ? time_after(time_later(end, unit->tail), server->latency_ps) : head;
    unit->hop++;
    return head;
}

static void arrive(struct link_net *net, uint64_t ticket, time_ps when)
{
    if (!is_transfer(ticket) || transfer_arrive(&net->parts, &ticket, &when))
        engine_push(net->engine, when, ticket);
}

/* The head of the unit is where its next server starts. */
static inline void advance(struct link_net *net, uint64_t handle, struct unit *unit)
{
    struct server *server = &net->servers[unit->server[unit->hop]];
    if (__builtin_expect(net->turn != NULL, 0))
        fold_turn_note(&net->turn[unit->server[unit->hop]], net->paths.fold, net->engine,
                       unit->hop == 0 ? net->paths.classes->first_link : FOLD_TURN_OTHER);
    time_ps start = join(net, server, unit->bytes, hold_time(net, server, unit->bytes), 1);
    time_ps head = leave(net, server, unit, start, server->free);
    if (unit->hop < unit->count) {
        engine_push(net->engine, head, engine_payload(KIND_HOP, handle));
        return;
    }
    arrive(net, unit->ticket, unit->tail);
    unit_release(&net->parts, handle);
}

/* The next segment of the transfer passes the first server, which was reserved for all of them. */
static void emit_segment(struct link_net *net, struct transfer *transfer)
{
    uint64_t handle = transfer->pattern;
    struct unit *unit = unit_at(&net->parts, handle);
    uint64_t payload = transfer->left_bytes;
    if (payload > net->segment_bytes) {
        payload = net->segment_bytes;
        handle = unit_take(&net->parts, unit->count);
        struct unit *copy = unit_at(&net->parts, handle);
        memcpy(copy, unit, sizeof *unit + unit->count * sizeof unit->server[0]);
        unit = copy;
    }
    transfer->left_bytes -= payload;
    unit->bytes = payload + net->header_bytes;
    unit->tail = 0; /* all of it is at the source */
    const struct server *server = &net->servers[unit->server[0]];
    time_ps start = transfer->next_start;
    time_ps end = time_after(start, hold_time(net, server, unit->bytes));
    transfer->next_start = end;
    time_ps head = leave(net, server, unit, start, end);
    engine_push(net->engine, head, engine_payload(KIND_HOP, handle));
}

static void on_hop(void *self, uint64_t payload)
{
    struct link_net *net = self;
    uint64_t handle = payload & ENGINE_DATA_MASK;
    struct unit *unit = unit_at(&net->parts, handle);
    struct transfer *transfer = NULL;
    if (__builtin_expect(unit->hop == 1 && is_transfer(unit->ticket), 0))
        transfer = transfer_at(&net->parts, (uint32_t)(unit->ticket & ENGINE_DATA_MASK));
    advance(net, handle, unit);
    /* If the transfer is over, it has nothing left. */
    if (transfer && transfer->left_bytes > 0)
        emit_segment(net, transfer);
}

/* A message in segments along `servers`. */
static void start_segments(struct link_net *net, const uint32_t *servers, uint32_t count,
                           uint64_t bytes, uint64_t ticket)
{
    struct server *first = &net->servers[servers[0]];
    if (net->turn)
        fold_turn_note(&net->turn[servers[0]], net->paths.fold, net->engine,
                       net->paths.classes->first_link);
    uint64_t segments = (bytes - 1) / net->segment_bytes + 1;
    uint64_t last = bytes - (segments - 1) * net->segment_bytes + net->header_bytes;
    time_ps full_hold = hold_time(net, first, net->segment_bytes + net->header_bytes);
    time_ps before_last = time_times(full_hold, segments - 1);
    time_ps hold = time_after(before_last, hold_time(net, first, last));
    time_ps start = join(net, first, bytes + segments * net->header_bytes, hold, segments);
    if (count == 1) {
        time_ps last_start = time_after(start, before_last);
        time_ps latency = net->cut_through
                              ? time_after(hold_time(net, first, last), first->latency_ps)
                              : forward_time(net, first, last);
        arrive(net, ticket, time_after(last_start, latency));
        return;
    }
    uint32_t index = transfer_take(&net->parts, ticket, segments);
    struct transfer *transfer = transfer_at(&net->parts, index);
    transfer->left_bytes = bytes;
    transfer->next_start = start;
    transfer->pattern = unit_take(&net->parts, count);
    struct unit *unit = unit_at(&net->parts, transfer->pattern);
    *unit = (struct unit){.ticket = transfer_ticket(index), .count = count};
    memcpy(unit->server, servers, count * sizeof *servers);
    emit_segment(net, transfer);
}

static inline void start_path(struct link_net *net, const uint32_t *servers, uint32_t count,
                              uint64_t bytes, uint64_t ticket)
{
    if (net->segment_bytes > 0 && bytes > net->segment_bytes) {
        start_segments(net, servers, count, bytes, ticket);
        return;
    }
    uint64_t handle = unit_take(&net->parts, count);
    struct unit *unit = unit_at(&net->parts, handle);
    unit->tail = net->engine->now;
    unit->bytes = bytes + net->header_bytes;
    unit->ticket = ticket;
    unit->hop = 0;
    unit->count = count;
    memcpy(unit->server, servers, count * sizeof *servers);
    advance(net, handle, unit);
}

/* Rule 4: a message in parts, each on a path of its own. */
static void start_parts(struct link_net *net, const struct route *route, uint32_t src, uint32_t dst,
                        uint64_t bytes, uint64_t ticket)
{
    if (net->turn) { /* the choice of paths is not the same for all ranks */
        *net->paths.fold->is_tied = net->engine->stop = true;
        return;
    }
    uint64_t parts = spray_parts(bytes, net->segment_bytes);
    if (parts > 1)
        ticket = transfer_ticket(transfer_take(&net->parts, ticket, parts));
    /* A part's path is put together in a unit's memory, which is then free again. */
    uint64_t room = unit_take(&net->parts, route->count);
    uint32_t *servers = unit_at(&net->parts, room)->server;
    spray_begin(&net->spray, route);
    for (uint64_t p = 0; p < parts; p++) {
        uint64_t part = bytes / parts + (p < bytes % parts);
        uint32_t count = spray_path(&net->spray, route, src, dst, (double)part, servers);
        start_path(net, servers, count, part, ticket);
    }
    unit_release(&net->parts, room);
}

static void carry(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    struct link_net *net = self;
    struct route route;
    paths_find(&net->paths, src, dst, &route);
    if (route.share)
        start_parts(net, &route, src, dst, bytes, ticket);
    else
        start_path(net, route.link, route.count, bytes, ticket);
}

/*
 * The last of n segments alone on a path. Of the n - 1 full ones before it the last starts on link
 * l at sum of the forwarding times before l + (n - 2) x the largest hold up to l: equal units pass
 * a path at the pace of its slowest link so far.
 */
static time_ps time_on_path(const struct link_net *net, const struct route *route, uint64_t bytes)
{
    uint64_t segments =
        net->segment_bytes > 0 && bytes > 0 ? (bytes - 1) / net->segment_bytes + 1 : 1;
    uint64_t full = net->segment_bytes + net->header_bytes;
    uint64_t last = bytes - (segments - 1) * net->segment_bytes + net->header_bytes;
    time_ps slowest = 0, full_head = 0, head = 0, tail = 0;
    for (uint32_t i = 0; i < route->count; i++) {
        const struct server *server = &net->servers[route->link[i]];
        time_ps start = head;
        if (segments > 1) {
            time_ps hold = hold_time(net, server, full);
            slowest = time_later(slowest, hold);
            time_ps before = time_times(slowest, segments - 2);
            start = time_later(start, time_after(time_after(full_head, before), hold));
            full_head = time_after(full_head, forward_time(net, server, full));
        }
        time_ps end = time_after(start, hold_time(net, server, last));
        head = time_after(start, forward_time(net, server, last));
        tail = net->cut_through ? time_after(time_later(end, tail), server->latency_ps) : head;
    }
    return tail;
}

/* Sprayed over single links the parts run at once: a bound. */
static time_ps carry_time(const void *self, uint32_t src, uint32_t dst, uint64_t bytes)
{
    const struct link_net *net = self;
    struct route route;
    paths_find(&net->paths, src, dst, &route);
    if (!route.share)
        return time_on_path(net, &route, bytes);
    struct path_cost cost = paths_cost(&net->paths, &route);
    return time_rounded(cost.latency_ns + (double)bytes / cost.B_per_ns, net->whole_ns);
}

static void fold(void *self, const struct link_fold *fold)
{
    struct link_net *net = self;
    paths_fold(&net->paths, fold);
    endpoint_fold(&net->endpoint, fold);
    uint32_t count = net->paths.server_count;
    net->turn = arena_array(&net->paths.arena, count, sizeof *net->turn);
    for (uint32_t i = 0; i < count; i++)
        net->turn[i] = FOLD_TURN_NONE;
}

static void send(void *self, uint32_t src, uint32_t dst, uint64_t bytes, uint64_t ticket)
{
    struct link_net *net = self;
    if (__builtin_expect(endpoint_is_active(&net->endpoint), 0))
        endpoint_send(&net->endpoint, src, dst, bytes, ticket);
    else
        carry(net, src, dst, bytes, ticket);
}

static time_ps idle_time(const void *self, uint32_t src, uint32_t dst, uint64_t bytes)
{
    const struct link_net *net = self;
    return endpoint_idle_time(&net->endpoint, src, dst, bytes);
}

static uint32_t dimension(const void *self, uint32_t src, uint32_t dst)
{
    const struct link_net *net = self;
    return paths_dimension(&net->paths, src, dst);
}

static void links(const void *self, struct link_figures *rows)
{
    const struct link_net *net = self;
    struct link_figures *figures = calloc(net->paths.server_count, sizeof *figures);
    need_memory(figures != NULL);
    for (uint32_t i = 0; i < net->paths.server_count; i++) {
        const struct server *server = &net->servers[i];
        figures[i] = (struct link_figures){.bytes = (double)server->bytes,
                                           .busy_ns = (double)server->busy / (double)PS_PER_NS,
                                           .queued_ns = (double)server->queued / (double)PS_PER_NS,
                                           .messages = server->units};
    }
    paths_add_figures(&net->paths, figures, rows);
    free(figures);
}

static void meter(void *self, const struct link_meter *meter)
{
    struct link_net *net = self;
    net->meter = *meter;
}

static uint32_t server_of(const void *self, uint32_t link, double *share)
{
    const struct link_net *net = self;
    return paths_server(&net->paths, net->paths.fold, link, share);
}

static void destroy(void *self)
{
    struct link_net *net = self;
    endpoint_release(&net->endpoint);
    link_parts_release(&net->parts);
    grow_release(&net->server_memory);
    paths_release(&net->paths);
    free(net);
}

static void make_servers(struct link_net *net)
{
    const struct paths *paths = &net->paths;
    grow_push(&net->server_memory, paths->server_count);
    net->servers = net->server_memory.base;
    for (uint32_t i = 0; i < paths->server_count; i++) {
        net->servers[i].B_per_ns = paths->B_per_ns[i];
        net->servers[i].latency_ns = paths->latency_ns[i];
        net->servers[i].latency_ps = time_rounded(paths->latency_ns[i], net->whole_ns);
    }
}

static enum status create(void **self, const struct network_config *config, struct engine *engine,
                          struct diag *diag)
{
    struct link_net *net = calloc(1, sizeof *net);
    need_memory(net != NULL);
    net->engine = engine;
    net->cut_through = config->forwarding == FORWARD_CUT_THROUGH;
    net->whole_ns = config->whole_ns;
    net->segment_bytes = config->segment_bytes;
    net->header_bytes = config->segment_header_bytes;
    link_parts_init(&net->parts);
    enum status status = paths_init(&net->paths, config, diag);
    if (status == STATUS_OK &&
        !grow_init(&net->server_memory, sizeof(struct server), net->paths.server_count + 1))
        status = diag_fail(diag, STATUS_NO_MEMORY, "%u links are more than this machine can hold",
                           net->paths.server_count);
    if (status != STATUS_OK) {
        destroy(net);
        return status;
    }
    make_servers(net);
    if (config->routing == ROUTING_SPRAY && !net->paths.server_of_link)
        spray_init(&net->spray, config->fabric, &net->paths.arena);
    struct endpoint_core core = {net, carry, carry_time};
    endpoint_init(&net->endpoint, config, &core, engine);
    engine_on(engine, KIND_HOP, on_hop, net);
    *self = net;
    return STATUS_OK;
}

const struct network_ops network_link = {
    .name = "link",
    .summary = "messages queue FIFO at every link, cut-through or store-and-forward",
    .has_queues = true,
    .has_contention = true,
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
