/*
 * engine - simulated time and the loop that moves it.
 *
 * Rules:
 *  1. An event's payload has its kind in the top 4 bits; the other 60 belong to the kind's owner.
 *     Each kind has one handler, registered before the run.
 *  2. Handlers may push events at or after `now`. Events at `now` run after those already there.
 *  3. An event cannot be taken back. What may have to be cancelled goes through a `struct timer`
 *     (below), whose generation makes an outdated event a no-op.
 *  4. engine_ask_late() has the late handler called once when no event is left at `now`, before
 *     time moves on: for what must see all events of an instant (one solve per timestamp). It may
 *     push events at `now` and ask again. engine_ask_settle() is the same for the settle handler,
 *     which comes first: the late handler is called when that has nothing more to do.
 *  5. The engine knows no meaning and reads no host clock; it hands control back every
 *     `slice` events so that a caller can look at signals and limits.
 */
#ifndef ORRERY_SIM_ENGINE_H
#define ORRERY_SIM_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/event_queue.h"

enum { ENGINE_KINDS = 16, ENGINE_KIND_SHIFT = 60 };

#define ENGINE_DATA_MASK (((uint64_t)1 << ENGINE_KIND_SHIFT) - 1)

typedef void engine_handler(void *context, uint64_t payload);

struct engine {
    struct event_queue queue;
    time_ps now;
    uint64_t processed; /* events handled so far */
    bool stop;          /* a handler asks the loop to return */
    bool wants_late;    /* engine_ask_late() was called in this instant */
    bool wants_settle;  /* engine_ask_settle() was */
    bool is_past_end;   /* an event was due after the end of simulated time; also sets `stop` */
    struct {
        engine_handler *call;
        void *context;
    } handler[ENGINE_KINDS];
    void (*late)(void *context);
    void *late_context;
    void (*settle)(void *context);
    void *settle_context;
};

enum engine_end {
    ENGINE_SLICE, /* the slice is used up, events remain */
    ENGINE_DRY,   /* no event is left */
    ENGINE_LIMIT, /* the next event is later than the limit; it was not run */
    ENGINE_STOP,  /* a handler set `stop` */
};

void engine_init(struct engine *engine);
void engine_release(struct engine *engine);

/* Registers the handler of `kind`. */
void engine_on(struct engine *engine, unsigned kind, engine_handler *call, void *context);

/* Registers the late handler (rule 4); there is one. */
void engine_on_late(struct engine *engine, void (*late)(void *context), void *context);

/* Registers the settle handler; there is one. */
void engine_on_settle(struct engine *engine, void (*settle)(void *context), void *context);

static inline void engine_ask_settle(struct engine *engine)
{
    engine->wants_settle = true;
}

static inline void engine_ask_late(struct engine *engine)
{
    engine->wants_late = true;
}

static inline uint64_t engine_payload(unsigned kind, uint64_t data)
{
    return (uint64_t)kind << ENGINE_KIND_SHIFT | data;
}

/* An event at TIME_NEVER never comes: the run cannot go on beyond 2^64 ps. */
static inline void engine_push(struct engine *engine, time_ps time, uint64_t payload)
{
    if (__builtin_expect(time == TIME_NEVER, 0)) {
        engine->stop = engine->is_past_end = true;
        return;
    }
    event_queue_push(&engine->queue, time, payload);
}

/* Runs up to `slice` events, none later than `limit`. */
enum engine_end engine_run(struct engine *engine, uint64_t slice, time_ps limit);

/* A cancellable event: push timer_payload(), and ask timer_is_due() in the handler. */
struct timer {
    uint32_t generation;
};

static inline uint64_t timer_payload(unsigned kind, const struct timer *timer, uint32_t owner)
{
    return engine_payload(kind, (uint64_t)(timer->generation & 0xfffffff) << 32 | owner);
}

static inline bool timer_is_due(const struct timer *timer, uint64_t payload)
{
    return (payload >> 32 & 0xfffffff) == (timer->generation & 0xfffffff);
}

static inline void timer_cancel(struct timer *timer)
{
    timer->generation++;
}

#endif
