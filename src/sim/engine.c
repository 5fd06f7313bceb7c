#include "sim/engine.h"

void engine_init(struct engine *engine)
{
    *engine = (struct engine){0};
    event_queue_init(&engine->queue);
}

void engine_release(struct engine *engine)
{
    event_queue_release(&engine->queue);
}

void engine_on(struct engine *engine, unsigned kind, engine_handler *call, void *context)
{
    promise(kind < ENGINE_KINDS && !engine->handler[kind].call);
    engine->handler[kind].call = call;
    engine->handler[kind].context = context;
}

void engine_on_late(struct engine *engine, void (*late)(void *context), void *context)
{
    promise(!engine->late);
    engine->late = late;
    engine->late_context = context;
}

void engine_on_settle(struct engine *engine, void (*settle)(void *context), void *context)
{
    promise(!engine->settle);
    engine->settle = settle;
    engine->settle_context = context;
}

/* No event is left at `now`. */
static void end_instant(struct engine *engine)
{
    if (engine->wants_settle) {
        engine->wants_settle = false;
        engine->settle(engine->settle_context);
    } else {
        engine->wants_late = false;
        engine->late(engine->late_context);
    }
}

enum engine_end engine_run(struct engine *engine, uint64_t slice, time_ps limit)
{
    struct event event;
    for (uint64_t done = 0; done < slice; done++) {
        if (engine->stop)
            return ENGINE_STOP;
        while (__builtin_expect(engine->wants_late | engine->wants_settle, 0) &&
               !event_queue_is_due(&engine->queue))
            end_instant(engine);
        if (!event_queue_pop(&engine->queue, &event))
            return ENGINE_DRY;
        if (event.time > limit) {
            /* Later than the limit: nothing after it runs either, so it need not go back. */
            return ENGINE_LIMIT;
        }
        engine->now = event.time;
        engine->processed++;
        unsigned kind = (unsigned)(event.payload >> ENGINE_KIND_SHIFT);
        engine->handler[kind].call(engine->handler[kind].context, event.payload);
    }
    return ENGINE_SLICE;
}
