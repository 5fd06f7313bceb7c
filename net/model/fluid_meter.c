/*
 * What links carry when. Messages that share: each link's load changes only at a solve, and the
 * solver says on which links (maxmin_visit_touched()); the load before is then told for the time
 * since. Messages that are alone: each at its own rate, told when it is known which of them were.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "net/model/fluid_parts.h"

void fluid_meter(struct fluid *fluid, const struct link_meter *meter)
{
    fluid->meter = *meter;
    fluid->metered = calloc((size_t)maxmin_watch_loads(fluid->solver) + 1, sizeof *fluid->metered);
    need_memory(fluid->metered != NULL);
}

/* -- alone ------------------------------------------------------------------------------------ */

struct told {
    struct fluid *fluid;
    time_ps from, to;
    double bytes;
};

static void tell_link(void *self, uint32_t link, double weight)
{
    const struct told *told = self;
    const struct link_meter *meter = &told->fluid->meter;
    meter->carries(meter->self, link, told->from, told->to, told->bytes * weight);
}

void fluid_meter_whole(struct fluid *fluid, uint32_t flow, uint32_t count)
{
    const struct message *message = message_at(fluid, flow);
    for (uint32_t i = 0; fluid->metered && i < count; i++) {
        struct told told = {fluid, fluid_alone_begin(message, i).ps, fluid_alone_end(message, i).ps,
                            (double)message->bytes};
        maxmin_visit(fluid->solver, flow, tell_link, &told);
    }
}

void fluid_meter_part(struct fluid *fluid, uint32_t flow, struct drain_instant begin)
{
    const struct message *message = message_at(fluid, flow);
    time_ps now = fluid->engine->now;
    if (!fluid->metered || begin.ps >= now)
        return;
    double time_ns = (double)(now - begin.ps) / (double)PS_PER_NS;
    struct told told = {fluid, begin.ps, now, message->rate_B_per_ns * time_ns};
    maxmin_visit(fluid->solver, flow, tell_link, &told);
}

/* -- sharing ---------------------------------------------------------------------------------- */

static void tell_load(void *self, uint32_t link)
{
    struct fluid *fluid = self;
    struct metered *metered = &fluid->metered[link];
    time_ps now = fluid->engine->now;
    if (metered->load_B_per_ns > 0 && now > metered->since) {
        double time_ns = (double)(now - metered->since) / (double)PS_PER_NS;
        fluid->meter.carries(fluid->meter.self, link, metered->since, now,
                             metered->load_B_per_ns * time_ns);
    }
    metered->load_B_per_ns = maxmin_load(fluid->solver, link);
    metered->since = now;
}

void fluid_meter_loads(struct fluid *fluid)
{
    if (fluid->metered)
        maxmin_visit_touched(fluid->solver, tell_load, fluid);
}
