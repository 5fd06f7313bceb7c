/*
 * Messages that nobody shares a link with: their ends are known when they are sent. So are those of
 * a chain of equal messages, each of which is sent a gap after the one before has arrived: its
 * times go by whole periods. When another message begins on one of the links, the one that is under
 * way goes to the solver with what it has left, and the chain goes on message by message.
 *
 * What happens in one ps happens together, at the latest of the exact times. So nothing else may
 * happen in a ps in which a message of such a chain arrives or is sent: those are noted (`coming`),
 * and where two would meet the chain goes on from there as if it had been sent message by message.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "base/mix.h"
#include "net/model/fluid_parts.h"

/* -- times of a chain ------------------------------------------------------------------------- */

struct drain_instant fluid_alone_begin(const struct message *message, uint32_t i)
{
    uint64_t period = message->latency_steps + message->steps;
    if (i == 0)
        return message->begin;
    if (message->gap_ps == 0)
        return drain_after_steps(message->begin, i, period);
    /* Each but the first is sent at a whole ps. */
    struct drain_instant end = drain_after_steps(message->begin, 1, message->steps);
    time_ps between = drain_after_steps((struct drain_instant){0, 0}, 1, period).ps;
    time_ps sent = time_after(end.ps, message->gap_ps);
    unsigned __int128 later = (unsigned __int128)(i - 1) * (between + message->gap_ps);
    sent = later < TIME_NEVER ? time_after(sent, (time_ps)later) : TIME_NEVER;
    return drain_after_steps((struct drain_instant){sent, 0}, 1, message->latency_steps);
}

struct drain_instant fluid_alone_end(const struct message *message, uint32_t i)
{
    return drain_after_steps(fluid_alone_begin(message, i), 1, message->steps);
}

/* The first message that has not arrived when this ps is over. Ends ascend. */
static uint32_t first_left(const struct message *message, time_ps now)
{
    uint32_t low = 0, high = message->together;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (fluid_alone_end(message, middle).ps <= now)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* -- times that nothing else may happen at ----------------------------------------------------- */

enum { COMING = 1 << 14, COMING_TRIES = 4 };

struct coming {
    time_ps ps; /* over if it is past */
    double rest_ps;
};

static struct coming *coming_at(const struct fluid *fluid, time_ps ps, uint32_t attempt)
{
    return &fluid->coming[(mix64(ps + 1) + attempt) % COMING];
}

/* Notes a time. False if something else happens in that ps at another exact time, or for want of
 * room. */
static bool note_coming(struct fluid *fluid, struct drain_instant at)
{
    struct coming *room = NULL;
    for (uint32_t i = 0; i < COMING_TRIES; i++) {
        struct coming *one = coming_at(fluid, at.ps, i);
        if (one->ps == at.ps)
            return one->rest_ps == at.rest_ps;
        if (!room && one->ps <= fluid->engine->now)
            room = one;
    }
    if (room)
        *room = (struct coming){at.ps, at.rest_ps};
    return room != NULL;
}

/* How many messages of the chain can be worked out together. */
static uint32_t note_chain(struct fluid *fluid, const struct message *message)
{
    if (!fluid->coming && message->chain > 1) {
        fluid->coming = calloc(COMING, sizeof *fluid->coming);
        need_memory(fluid->coming != NULL);
    }
    for (uint32_t i = 0; i + 1 < message->chain; i++) {
        struct drain_instant end = fluid_alone_end(message, i);
        struct drain_instant sent = {time_after(end.ps, message->gap_ps), 0};
        if (end.ps == TIME_NEVER || !note_coming(fluid, end) ||
            (message->gap_ps > 0 && !note_coming(fluid, sent)))
            return i + 1;
    }
    return message->chain;
}

static void list_chain(struct fluid *fluid, uint32_t flow)
{
    uint32_t place = (uint32_t)grow_push(&fluid->chains, 1);
    ((uint32_t *)fluid->chains.base)[place] = flow;
    message_at(fluid, flow)->place = place;
}

static void unlist_chain(struct fluid *fluid, uint32_t flow)
{
    uint32_t *list = fluid->chains.base, place = message_at(fluid, flow)->place;
    uint32_t last = list[--fluid->chains.count];
    list[place] = last;
    message_at(fluid, last)->place = place;
}

/* -- on links --------------------------------------------------------------------------------- */

struct occupation {
    struct fluid *fluid;
    uint32_t flow;
    bool is_free;
};

static void leave_link(void *self, uint32_t link, double weight)
{
    struct occupation *of = self;
    (void)weight;
    if (of->fluid->alone[link] == of->flow + 1)
        of->fluid->alone[link] = 0;
}

static void take_link(void *self, uint32_t link, double weight)
{
    struct occupation *of = self;
    (void)weight;
    of->fluid->alone[link] = of->flow + 1;
}

/* Nobody is on the link, or is gone when this ps is over. */
static void look_at_link(void *self, uint32_t link, double weight)
{
    struct occupation *of = self;
    uint32_t other = of->fluid->alone[link];
    (void)weight;
    if (maxmin_is_used(of->fluid->solver, link) ||
        (other != 0 && message_at(of->fluid, other - 1)->end > of->fluid->engine->now))
        of->is_free = false;
}

static void stop_being_alone(struct fluid *fluid, uint32_t flow)
{
    struct occupation of = {.fluid = fluid, .flow = flow};
    maxmin_visit(fluid->solver, flow, leave_link, &of);
    if (message_at(fluid, flow)->together > 1)
        unlist_chain(fluid, flow);
    timer_cancel(&message_at(fluid, flow)->timer);
}

bool fluid_go_alone(struct fluid *fluid, uint32_t flow)
{
    struct occupation of = {.fluid = fluid, .flow = flow, .is_free = true};
    struct message *message = message_at(fluid, flow);
    if (!message->is_whole || message->bytes > DRAIN_MOST_BYTES)
        return false;
    maxmin_visit(fluid->solver, flow, look_at_link, &of);
    if (!of.is_free)
        return false;
    message->rate_B_per_ns = maxmin_rate_alone(fluid->solver, flow);
    message->steps = drain_steps_alone(message->bytes, message->rate_B_per_ns / (double)PS_PER_NS);
    if (message->steps == UINT64_MAX)
        return false;
    message->together = note_chain(fluid, message);
    if (message->together > 1)
        list_chain(fluid, flow);
    message->end = fluid_alone_end(message, message->together - 1).ps;
    maxmin_visit(fluid->solver, flow, take_link, &of);
    engine_push(fluid->engine, message->end, timer_payload(KIND_ALONE, &message->timer, flow));
    return true;
}

/* -- ends ------------------------------------------------------------------------------------- */

/* `gone` messages have arrived, and the next is sent at `sent`. */
static void go_on_at(struct fluid *fluid, uint32_t flow, uint32_t gone, time_ps sent)
{
    stop_being_alone(fluid, flow);
    fluid_count(fluid, flow, gone);
    fluid_meter_whole(fluid, flow, gone);
    message_at(fluid, flow)->chain -= gone;
    engine_push(fluid->engine, sent, engine_payload(KIND_START, flow | START_AGAIN));
}

void fluid_on_alone(void *self, uint64_t payload)
{
    struct fluid *fluid = self;
    uint32_t flow = (uint32_t)payload;
    struct message *message = message_at(fluid, flow);
    if (!timer_is_due(&message->timer, payload))
        return;
    happens(fluid, fluid_alone_end(message, message->together - 1).rest_ps);
    if (message->together < message->chain) {
        go_on_at(fluid, flow, message->together, time_after(fluid->engine->now, message->gap_ps));
        return;
    }
    stop_being_alone(fluid, flow);
    fluid_count(fluid, flow, message->chain);
    fluid_meter_whole(fluid, flow, message->chain);
    fluid_arrive(fluid, flow);
}

/* A chain in which a message arrives, or is sent, in this ps goes on message by message. */
static void meet_chain(struct fluid *fluid, uint32_t flow)
{
    const struct message *message = message_at(fluid, flow);
    time_ps now = fluid->engine->now;
    uint32_t gone = first_left(message, now);
    if (gone == 0 || gone == message->together)
        return; /* its first, or its last: an event of its own */
    struct drain_instant end = fluid_alone_end(message, gone - 1);
    time_ps sent = time_after(end.ps, message->gap_ps);
    if (end.ps == now && fluid->instant.rest_ps < end.rest_ps)
        fluid->instant.rest_ps = end.rest_ps;
    if (end.ps == now || sent == now)
        go_on_at(fluid, flow, gone, sent);
}

void fluid_meet_chains(struct fluid *fluid, double rest_ps)
{
    bool meets = false;
    for (uint32_t i = 0; i < COMING_TRIES; i++) {
        const struct coming *one = coming_at(fluid, fluid->engine->now, i);
        meets = meets || (one->ps == fluid->engine->now && one->rest_ps != rest_ps);
    }
    for (size_t i = fluid->chains.count;
         meets && i-- > 0;) /* those that leave are replaced by later */
        meet_chain(fluid, ((uint32_t *)fluid->chains.base)[i]);
}

/* Another message begins on a link of one that was alone; if that ends in this ps, it does. */
static void share(struct fluid *fluid, uint32_t flow)
{
    struct message *message = message_at(fluid, flow);
    time_ps now = fluid->engine->now;
    if (message->end <= now)
        return;
    uint32_t gone = first_left(message, now);
    struct drain_instant begin = fluid_alone_begin(message, gone);
    time_ps sent =
        gone == 0 ? 0 : time_after(fluid_alone_end(message, gone - 1).ps, message->gap_ps);
    stop_being_alone(fluid, flow);
    if (gone > 0)
        fluid_count(fluid, flow, gone);
    fluid_meter_whole(fluid, flow, gone);
    message->chain -= gone;
    message->begin = begin;
    if (gone > 0 && message->gap_ps > 0 && sent >= now) {
        engine_push(fluid->engine, sent, engine_payload(KIND_START, flow | START_AGAIN));
    } else if (begin.ps > now) {
        engine_push(fluid->engine, begin.ps, engine_payload(KIND_START, flow));
    } else {
        fluid_meter_part(fluid, flow, begin);
        maxmin_start(fluid->solver, flow);
        ((uint32_t *)fluid->joined.base)[grow_push(&fluid->joined, 1)] = flow;
        engine_ask_late(fluid->engine);
    }
}

static void share_link(void *self, uint32_t link, double weight)
{
    struct fluid *fluid = self;
    (void)weight;
    if (fluid->alone[link] != 0)
        share(fluid, fluid->alone[link] - 1);
}

void fluid_share_one(struct fluid *fluid, uint32_t link)
{
    share_link(fluid, link, 1);
}

void fluid_share(struct fluid *fluid, uint32_t flow)
{
    maxmin_visit(fluid->solver, flow, share_link, fluid);
}

void fluid_settle_shared(struct fluid *fluid)
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
