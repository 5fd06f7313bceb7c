#include "net/model/fluid.h"

#include <stdlib.h>

#include "base/grow.h"
#include "base/memory.h"
#include "net/model/drain.h"

enum {
    KIND_START = NETWORK_FIRST_KIND, /* the latency is over: data = flow */
    KIND_DUE,                        /* some flow is done, if the timer is */
    KIND_ALONE, /* a message is done that was alone: data = flow, and the number of the timer */
};

/* A message under way has the number of its flow in the solver. */
struct message {
    uint64_t ticket, bytes;
    uint64_t later_bytes;       /* of those: not yet given to the drain */
    struct drain_instant begin; /* its latency is over */
    /* While it is alone: */
    time_ps end; /* when it is done */
    double rate_B_per_ns;
    struct timer timer;
    bool is_alone;
};

struct fluid {
    struct engine *engine;
    struct maxmin *solver; /* in B/ns */
    struct drain drain;
    struct grow messages; /* struct message */
    struct timer timer;
    time_ps timer_at;             /* when it rings; TIME_NEVER: it does not */
    struct drain_instant instant; /* the last in which a flow started or ended */
    double *B_per_ns;
    struct link_figures *figures;
    uint64_t counted_bytes; /* of the message that is being counted */
    uint32_t *alone;        /* [links] message that is alone there, + 1 */
    struct grow joined;     /* messages that were alone and share from this instant on */
};

static struct message *message_at(const struct fluid *fluid, uint32_t flow)
{
    return (struct message *)fluid->messages.base + flow;
}

/* -- instants -----------------------------------------------------------------------------------

 * What happens in one ps happens together, at the latest of the exact times. What is sent in the ps
 * of an arrival is sent at the arrival's exact time: a chain of flows adds up no rounding.
 */

static struct drain_instant instant_now(const struct fluid *fluid)
{
    if (fluid->instant.ps == fluid->engine->now)
        return fluid->instant;
    return (struct drain_instant){fluid->engine->now, 0};
}

static void happens(struct fluid *fluid, double rest_ps)
{
    if (fluid->instant.ps != fluid->engine->now || fluid->instant.rest_ps < rest_ps)
        fluid->instant = (struct drain_instant){fluid->engine->now, rest_ps};
}

/* -- messages ----------------------------------------------------------------------------------- */

/* Gives the drain the next piece of the message. */
static void set_piece(struct fluid *fluid, uint32_t flow)
{
    struct message *message = message_at(fluid, flow);
    uint64_t piece =
        message->later_bytes < DRAIN_MOST_BYTES ? message->later_bytes : DRAIN_MOST_BYTES;
    message->later_bytes -= piece;
    drain_set(&fluid->drain, flow, piece);
}

/* -- messages that are alone -------------------------------------------------------------------- */

/* Calls `visit` for each link of a message. */
struct occupation {
    struct fluid *fluid;
    uint32_t flow;
};

static void leave_link(void *self, uint32_t link, double weight)
{
    struct occupation *of = self;
    (void)weight;
    if (of->fluid->alone[link] == of->flow + 1)
        of->fluid->alone[link] = 0;
}

static void stop_being_alone(struct fluid *fluid, uint32_t flow)
{
    struct occupation of = {fluid, flow};
    maxmin_visit(fluid->solver, flow, leave_link, &of);
    message_at(fluid, flow)->is_alone = false;
    timer_cancel(&message_at(fluid, flow)->timer);
}

/* Another message begins on a link of one that was alone. What that has left is worked out when the
 * instant is over; if it ends in this ps, it does. */
static void share(struct fluid *fluid, uint32_t flow)
{
    struct message *message = message_at(fluid, flow);
    if (message->end <= fluid->engine->now)
        return;
    stop_being_alone(fluid, flow);
    if (message->begin.ps > fluid->engine->now) {
        engine_push(fluid->engine, message->begin.ps, engine_payload(KIND_START, flow));
        return;
    }
    maxmin_start(fluid->solver, flow);
    ((uint32_t *)fluid->joined.base)[grow_push(&fluid->joined, 1)] = flow;
    engine_ask_late(fluid->engine);
}

static void share_link(void *self, uint32_t link, double weight)
{
    struct fluid *fluid = self;
    (void)weight;
    if (fluid->alone[link] != 0)
        share(fluid, fluid->alone[link] - 1);
}

static void set_what_is_left(struct fluid *fluid)
{
    const uint32_t *joined = fluid->joined.base;
    for (size_t i = 0; i < fluid->joined.count; i++) {
        struct message *message = message_at(fluid, joined[i]);
        message->later_bytes = 0;
        drain_set_left(&fluid->drain, joined[i], message->bytes,
                       message->rate_B_per_ns / (double)PS_PER_NS, message->begin,
                       instant_now(fluid));
    }
    fluid->joined.count = 0;
}

/* Nobody is on the way, or is gone when this ps is over. */
static bool finds_nobody(const struct fluid *fluid, const struct fluid_way *way)
{
    for (uint32_t i = 0; i < way->count; i++) {
        uint32_t other = fluid->alone[way->link[i]];
        if (maxmin_is_used(fluid->solver, way->link[i]) ||
            (other != 0 && message_at(fluid, other - 1)->end > fluid->engine->now))
            return false;
    }
    return true;
}

static void send_alone(struct fluid *fluid, const struct fluid_way *way, uint32_t flow)
{
    struct message *message = message_at(fluid, flow);
    message->rate_B_per_ns = maxmin_rate_alone(fluid->solver, flow);
    message->end =
        drain_end_alone(message->begin, message->bytes, message->rate_B_per_ns / (double)PS_PER_NS)
            .ps;
    message->is_alone = true;
    for (uint32_t i = 0; i < way->count; i++)
        fluid->alone[way->link[i]] = flow + 1;
    engine_push(fluid->engine, message->end, timer_payload(KIND_ALONE, &message->timer, flow));
}

/* -- messages that share ------------------------------------------------------------------------ */

static void start(struct fluid *fluid, uint32_t flow)
{
    happens(fluid, message_at(fluid, flow)->begin.rest_ps);
    maxmin_visit(fluid->solver, flow, share_link, fluid);
    set_piece(fluid, flow);
    maxmin_start(fluid->solver, flow);
    engine_ask_late(fluid->engine);
}

static void on_start(void *self, uint64_t payload)
{
    start(self, (uint32_t)(payload & ENGINE_DATA_MASK));
}

void fluid_send(struct fluid *fluid, const struct fluid_way *way, uint64_t bytes, uint64_t ticket)
{
    struct drain_instant begin = drain_after(instant_now(fluid), way->latency_ps);
    if (bytes == 0) {
        engine_push(fluid->engine, begin.ps, ticket);
        return;
    }
    uint32_t flow = maxmin_add(fluid->solver, way->count, way->link, way->weight);
    if (flow >= fluid->messages.count)
        grow_push(&fluid->messages, flow + 1 - fluid->messages.count);
    struct message *message = message_at(fluid, flow);
    *message = (struct message){.ticket = ticket,
                                .bytes = bytes,
                                .later_bytes = bytes,
                                .begin = begin,
                                .timer = message->timer};
    if (way->is_whole && bytes <= DRAIN_MOST_BYTES && finds_nobody(fluid, way))
        send_alone(fluid, way, flow);
    else if (begin.ps == fluid->engine->now)
        start(fluid, flow);
    else
        engine_push(fluid->engine, begin.ps, engine_payload(KIND_START, flow));
}

static void count(void *self, uint32_t link, double weight)
{
    struct fluid *fluid = self;
    struct link_figures *figures = &fluid->figures[link];
    double bytes = weight * (double)fluid->counted_bytes;
    figures->bytes += bytes;
    figures->busy_ns += bytes / fluid->B_per_ns[link];
    figures->messages++;
}

static void on_done(void *self, uint32_t flow)
{
    struct fluid *fluid = self;
    struct message *message = message_at(fluid, flow);
    if (message->later_bytes > 0) {
        const struct drain_instant now = {fluid->engine->now, 0};
        set_piece(fluid, flow);
        drain_join(&fluid->drain, flow, maxmin_bottleneck(fluid->solver, flow), now);
        return;
    }
    fluid->counted_bytes = message->bytes;
    maxmin_visit(fluid->solver, flow, count, fluid);
    maxmin_stop(fluid->solver, flow);
    maxmin_remove(fluid->solver, flow);
    engine_push(fluid->engine, fluid->engine->now, message->ticket);
}

static void on_alone(void *self, uint64_t payload)
{
    struct fluid *fluid = self;
    uint32_t flow = (uint32_t)payload;
    struct message *message = message_at(fluid, flow);
    if (!timer_is_due(&message->timer, payload))
        return;
    struct drain_instant end =
        drain_end_alone(message->begin, message->bytes, message->rate_B_per_ns / (double)PS_PER_NS);
    happens(fluid, end.rest_ps);
    stop_being_alone(fluid, flow);
    fluid->counted_bytes = message->bytes;
    maxmin_visit(fluid->solver, flow, count, fluid);
    maxmin_remove(fluid->solver, flow);
    engine_push(fluid->engine, fluid->engine->now, message->ticket);
}

/* -- time --------------------------------------------------------------------------------------- */

static void on_due(void *self, uint64_t payload)
{
    struct fluid *fluid = self;
    if (!timer_is_due(&fluid->timer, payload))
        return;
    fluid->timer_at = TIME_NEVER;
    happens(fluid, drain_take(&fluid->drain, fluid->engine->now, on_done, fluid));
    engine_ask_late(fluid->engine);
}

static void set_timer(struct fluid *fluid)
{
    time_ps next = drain_next(&fluid->drain);
    if (next == fluid->timer_at && next != TIME_NEVER)
        return;
    timer_cancel(&fluid->timer);
    fluid->timer_at = next;
    if (fluid->drain.due.count > 0)
        engine_push(fluid->engine, next, timer_payload(KIND_DUE, &fluid->timer, 0));
}

/* Gives flows and groups the rates of the last solve. */
static void take_rates(struct fluid *fluid)
{
    struct drain_instant now = instant_now(fluid);
    uint32_t moved_count, changed_count;
    const uint32_t *moved = maxmin_moved_flows(fluid->solver, &moved_count);
    const uint32_t *changed = maxmin_changed_links(fluid->solver, &changed_count);
    for (uint32_t i = 0; i < moved_count; i++) {
        if (drain_group_of(&fluid->drain, moved[i]) != maxmin_bottleneck(fluid->solver, moved[i]))
            drain_leave(&fluid->drain, moved[i], now);
    }
    for (uint32_t i = 0; i < changed_count; i++) {
        double level_B_per_ns = maxmin_level(fluid->solver, changed[i]);
        drain_set_rate(&fluid->drain, changed[i], level_B_per_ns / (double)PS_PER_NS, now);
    }
    for (uint32_t i = 0; i < moved_count; i++) {
        if (drain_group_of(&fluid->drain, moved[i]) == DRAIN_NONE)
            drain_join(&fluid->drain, moved[i], maxmin_bottleneck(fluid->solver, moved[i]), now);
    }
}

/* The instant is over: one solve for all of it. */
static void on_late(void *self)
{
    struct fluid *fluid = self;
    set_what_is_left(fluid);
    maxmin_solve(fluid->solver);
    take_rates(fluid);
    drain_settle(&fluid->drain);
    set_timer(fluid);
}

/* -- life --------------------------------------------------------------------------------------- */

struct fluid *fluid_create(const double *B_per_ns, uint32_t link_count, struct engine *engine)
{
    struct fluid *fluid = calloc(1, sizeof *fluid);
    need_memory(fluid != NULL);
    fluid->engine = engine;
    fluid->timer_at = TIME_NEVER;
    fluid->solver = maxmin_create(B_per_ns, link_count);
    drain_init(&fluid->drain, link_count);
    fluid->figures = calloc((size_t)link_count + 1, sizeof *fluid->figures);
    fluid->B_per_ns = calloc((size_t)link_count + 1, sizeof *fluid->B_per_ns);
    need_memory(fluid->figures != NULL && fluid->B_per_ns != NULL);
    for (uint32_t i = 0; i < link_count; i++)
        fluid->B_per_ns[i] = B_per_ns[i];
    fluid->alone = calloc((size_t)link_count + 1, sizeof *fluid->alone);
    need_memory(fluid->alone != NULL);
    need_memory(grow_init(&fluid->messages, sizeof(struct message), UINT32_MAX - 1) &&
                grow_init(&fluid->joined, sizeof(uint32_t), UINT32_MAX - 1));
    engine_on(engine, KIND_START, on_start, fluid);
    engine_on(engine, KIND_DUE, on_due, fluid);
    engine_on(engine, KIND_ALONE, on_alone, fluid);
    engine_on_late(engine, on_late, fluid);
    return fluid;
}

void fluid_destroy(struct fluid *fluid)
{
    if (!fluid)
        return;
    maxmin_destroy(fluid->solver);
    drain_release(&fluid->drain);
    grow_release(&fluid->messages);
    grow_release(&fluid->joined);
    free(fluid->alone);
    free(fluid->figures);
    free(fluid->B_per_ns);
    free(fluid);
}

const struct link_figures *fluid_figures(const struct fluid *fluid)
{
    return fluid->figures;
}
