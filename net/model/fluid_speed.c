/*
 * Bandwidths that change with time. At each time at which they do, while any message is under way,
 * the solver gets the new ones and everything is solved again; messages that were alone on a link
 * that changes go to the solver with what they have left. No event stays behind when all messages
 * have arrived but the one for the next change: it does nothing then, and none follows it.
 */
#include "net/model/fluid_parts.h"

static void take_speeds(struct fluid *fluid)
{
    const struct fluid_speed *speed = &fluid->speed;
    time_ps now = fluid->engine->now;
    bool changes = false;
    for (uint32_t i = 0; i < speed->count; i++) {
        uint32_t link = speed->link[i];
        double B_per_ns = speed->B_per_ns(speed->self, link, now);
        if (B_per_ns == speed->B_per_ns(speed->self, link, fluid->speed_since))
            continue;
        if (!changes)
            happens(fluid, 0);
        changes = true;
        fluid_share_one(fluid, link);
        maxmin_set_capacity(fluid->solver, link, B_per_ns);
    }
    fluid->speed_since = now;
    if (changes)
        engine_ask_late(fluid->engine);
}

static void await_next(struct fluid *fluid)
{
    time_ps next = fluid->speed.next(fluid->speed.self, fluid->engine->now);
    if (next == TIME_NEVER || fluid->speed_due > fluid->engine->now)
        return;
    fluid->speed_due = next;
    engine_push(fluid->engine, next, engine_payload(KIND_START, START_SPEED));
}

void fluid_speed_sync(struct fluid *fluid)
{
    if (fluid->speed_since != fluid->engine->now && fluid->speed_due <= fluid->engine->now)
        take_speeds(fluid);
    fluid->under_way++;
    await_next(fluid);
}

void fluid_on_speed(struct fluid *fluid)
{
    take_speeds(fluid);
    if (fluid->under_way > 0)
        await_next(fluid);
}

void fluid_set_speed(struct fluid *fluid, const struct fluid_speed *speed)
{
    fluid->speed = *speed;
    for (uint32_t i = 0; i < speed->count; i++)
        maxmin_set_capacity(fluid->solver, speed->link[i],
                            speed->B_per_ns(speed->self, speed->link[i], 0));
}
