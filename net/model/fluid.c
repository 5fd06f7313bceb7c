#include "net/model/fluid.h"

#include <stdlib.h>

#include "base/memory.h"
#include "net/model/fluid_parts.h"

/* -- instants -----------------------------------------------------------------------------------

 * What happens in one ps happens together, at the latest of the exact times. What is sent in the ps
 * of an arrival is sent at the arrival's exact time: a chain of flows adds up no rounding.
 */

/* -- messages ---------------------------------------------------------------------------------- */

/* Gives the drain the next piece of the message. */
static void set_piece(struct fluid *fluid, uint32_t flow)
{
    struct message *message = message_at(fluid, flow);
    uint64_t piece =
        message->later_bytes < DRAIN_MOST_BYTES ? message->later_bytes : DRAIN_MOST_BYTES;
    message->later_bytes -= piece;
    drain_set(&fluid->drain, flow, piece);
}

static void start(struct fluid *fluid, uint32_t flow)
{
    happens(fluid, message_at(fluid, flow)->begin.rest_ps);
    fluid_share(fluid, flow);
    set_piece(fluid, flow);
    maxmin_start(fluid->solver, flow);
    engine_ask_late(fluid->engine);
}

/* The message's latency is over at its `begin`. */
static void go(struct fluid *fluid, uint32_t flow)
{
    const struct message *message = message_at(fluid, flow);
    if (fluid_go_alone(fluid, flow))
        return;
    if (message->begin.ps <= fluid->engine->now)
        start(fluid, flow);
    else
        engine_push(fluid->engine, message->begin.ps, engine_payload(KIND_START, flow));
}

void fluid_send_next(struct fluid *fluid, uint32_t flow)
{
    struct message *message = message_at(fluid, flow);
    message->later_bytes = message->bytes;
    message->begin = drain_after_steps(instant_now(fluid), 1, message->latency_steps);
    go(fluid, flow);
}

/* The message before it on its connection is done. */
static void release(struct fluid *fluid, uint32_t flow)
{
    struct message *message = message_at(fluid, flow);
    if (message->begin.ps <= fluid->engine->now)
        message->begin = instant_now(fluid);
    go(fluid, flow);
}

static void on_start(void *self, uint64_t payload)
{
    uint32_t flow = (uint32_t)payload;
    if (payload & START_SPEED)
        fluid_on_speed(self);
    else if (payload & START_AGAIN)
        fluid_send_next(self, flow);
    else if (payload & START_RELEASED)
        release(self, flow);
    else
        start(self, flow);
}

static uint32_t make_message(struct fluid *fluid, const struct fluid_way *way, uint64_t bytes,
                             uint64_t ticket)
{
    if (fluid->speed.count)
        fluid_speed_sync(fluid);
    uint32_t flow = maxmin_add(fluid->solver, way->count, way->link, way->weight);
    if (flow >= fluid->messages.count)
        grow_push(&fluid->messages, flow + 1 - fluid->messages.count);
    struct message *message = message_at(fluid, flow);
    *message = (struct message){.ticket = ticket,
                                .bytes = bytes,
                                .later_bytes = bytes,
                                .latency_steps = drain_steps_of(way->latency_ps),
                                .chain = 1,
                                .is_whole = way->is_whole,
                                .lives = message->lives + 1,
                                .timer = message->timer};
    return flow;
}

uint64_t fluid_send_after(struct fluid *fluid, const struct fluid_way *way, uint64_t bytes,
                          uint64_t after, uint64_t ticket)
{
    uint32_t before = (uint32_t)after, lives = (uint32_t)(after >> 32);
    if (bytes == 0) {
        fluid_send(fluid, way, bytes, ticket);
        return after;
    }
    uint32_t flow = make_message(fluid, way, bytes, ticket);
    struct message *message = message_at(fluid, flow);
    uint64_t number = (uint64_t)message->lives << 32 | flow;
    if (after == 0 || message_at(fluid, before)->lives != lives ||
        !message_at(fluid, before)->chain) {
        fluid_send_next(fluid, flow);
        return number;
    }
    message->begin = drain_after_steps(instant_now(fluid), 1, message->latency_steps);
    message_at(fluid, before)->next = flow + 1;
    return number;
}

void fluid_send_chain(struct fluid *fluid, const struct fluid_way *way, uint64_t bytes,
                      uint32_t count, time_ps gap_ps, uint64_t ticket)
{
    promise(count > 0 && (bytes > 0 || count == 1));
    if (bytes == 0) {
        engine_push(fluid->engine, drain_after(instant_now(fluid), way->latency_ps).ps, ticket);
        return;
    }
    uint32_t flow = make_message(fluid, way, bytes, ticket);
    message_at(fluid, flow)->chain = count;
    message_at(fluid, flow)->gap_ps = gap_ps;
    fluid_send_next(fluid, flow);
}

void fluid_send(struct fluid *fluid, const struct fluid_way *way, uint64_t bytes, uint64_t ticket)
{
    fluid_send_chain(fluid, way, bytes, 1, 0, ticket);
}

/* -- ends -------------------------------------------------------------------------------------- */

static void count_link(void *self, uint32_t link, double weight)
{
    struct fluid *fluid = self;
    struct link_figures *figures = &fluid->figures[link];
    double bytes = weight * (double)fluid->counted_bytes * fluid->counted;
    figures->bytes += bytes;
    figures->busy_ns += bytes / fluid->B_per_ns[link];
    figures->messages += fluid->counted;
}

void fluid_count(struct fluid *fluid, uint32_t flow, uint32_t messages)
{
    fluid->counted_bytes = message_at(fluid, flow)->bytes;
    fluid->counted = messages;
    maxmin_visit(fluid->solver, flow, count_link, fluid);
}

void fluid_arrive(struct fluid *fluid, uint32_t flow)
{
    struct message *message = message_at(fluid, flow);
    if (message->next)
        engine_push(fluid->engine, fluid->engine->now,
                    engine_payload(KIND_START, (message->next - 1) | START_RELEASED));
    message->chain = 0;
    fluid->under_way -= fluid->speed.count > 0;
    maxmin_remove(fluid->solver, flow);
    engine_push(fluid->engine, fluid->engine->now, message->ticket);
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
    fluid_count(fluid, flow, 1);
    maxmin_stop(fluid->solver, flow);
    if (--message->chain > 0) {
        engine_push(fluid->engine, time_after(fluid->engine->now, message->gap_ps),
                    engine_payload(KIND_START, flow | START_AGAIN));
        return;
    }
    fluid_arrive(fluid, flow);
}

/* -- time -------------------------------------------------------------------------------------- */

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
    fluid_settle_shared(fluid);
    maxmin_solve(fluid->solver);
    fluid_meter_loads(fluid);
    take_rates(fluid);
    drain_settle(&fluid->drain);
    set_timer(fluid);
}

/* -- life -------------------------------------------------------------------------------------- */

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
                grow_init(&fluid->chains, sizeof(uint32_t), UINT32_MAX - 1) &&
                grow_init(&fluid->joined, sizeof(uint32_t), UINT32_MAX - 1));
    engine_on(engine, KIND_START, on_start, fluid);
    engine_on(engine, KIND_DUE, on_due, fluid);
    engine_on(engine, KIND_ALONE, fluid_on_alone, fluid);
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
    grow_release(&fluid->chains);
    grow_release(&fluid->joined);
    free(fluid->coming);
    free(fluid->alone);
    free(fluid->metered);
    free(fluid->figures);
    free(fluid->B_per_ns);
    free(fluid);
}

const struct link_figures *fluid_figures(const struct fluid *fluid)
{
    return fluid->figures;
}
