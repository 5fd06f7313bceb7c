/*
 * fluid_parts - what the files of fluid share. Only fluid*.c includes it.
 */
#ifndef ORRERY_NET_MODEL_FLUID_PARTS_H
#define ORRERY_NET_MODEL_FLUID_PARTS_H

#include "base/grow.h"
#include "net/model/drain.h"
#include "net/model/fluid.h"

enum {
    KIND_START = NETWORK_FIRST_KIND, /* the latency is over: data = flow; or see START_AGAIN */
    KIND_DUE,                        /* some flow is done, if the timer is */
    KIND_ALONE, /* a message is done that was alone: data = flow, and the number of the timer */
};

/* In the data of KIND_START: the next message of the flow's chain is sent; the message that the
 * flow had to wait for is done. */
#define START_AGAIN    ((uint64_t)1 << 40)
#define START_RELEASED ((uint64_t)1 << 41)
#define START_SPEED    ((uint64_t)1 << 42) /* bandwidths change (fluid_speed.c) */

/* A message under way, or a chain of them, has the number of its flow in the solver. */
struct message {
    uint64_t ticket, bytes;
    uint64_t later_bytes;       /* of those: not yet given to the drain */
    struct drain_instant begin; /* its latency is over */
    uint64_t latency_steps;
    uint32_t chain; /* messages from this one on */
    bool is_whole;  /* fluid_way */
    time_ps gap_ps; /* of the chain, from an arrival to the next message */
    uint32_t next;  /* + 1: the message that waits for this one */
    uint32_t lives; /* messages that had this number before */
    /* While it is alone: */
    time_ps end;       /* when the last of them is done */
    uint32_t together; /* messages of the chain whose ends were worked out, this one included */
    uint32_t place;    /* in fluid->chains, if together > 1 */
    uint64_t steps;    /* from begin to end of one message */
    double rate_B_per_ns;
    struct timer timer;
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
    uint64_t counted_bytes; /* of a message that is being counted */
    uint32_t counted;       /* how many of them */
    uint32_t *alone;        /* [links] message that is alone there, + 1 */
    struct coming
        *coming;        /* times within chains that are alone, see fluid_alone.c; NULL: none yet */
    struct grow chains; /* flows of those */
    struct fluid_speed speed; /* count 0: bandwidths stay */
    time_ps speed_since;      /* those that the solver has are of this time on .. */
    time_ps speed_due;        /* .. until this one: an event is due then; 0: none is */
    uint32_t under_way;       /* messages, and chains of them; counted with a speed only */
    struct grow joined;       /* messages that were alone and share from this instant on */
    struct link_meter meter;
    struct metered {
        double load_B_per_ns; /* of messages that share, since .. */
        time_ps since;
    } * metered; /* [links], if there is a meter */
};

static inline struct message *message_at(const struct fluid *fluid, uint32_t flow)
{
    return (struct message *)fluid->messages.base + flow;
}

static inline struct drain_instant instant_now(const struct fluid *fluid)
{
    if (fluid->instant.ps == fluid->engine->now)
        return fluid->instant;
    return (struct drain_instant){fluid->engine->now, 0};
}

/* Within a chain that was worked out something else happens now: see fluid_alone.c. */
void fluid_meet_chains(struct fluid *fluid, double rest_ps);

static inline void happens(struct fluid *fluid, double rest_ps)
{
    if (fluid->instant.ps != fluid->engine->now || fluid->instant.rest_ps < rest_ps)
        fluid->instant = (struct drain_instant){fluid->engine->now, rest_ps};
    if (fluid->chains.count > 0)
        fluid_meet_chains(fluid, rest_ps);
}

/* The message has arrived: it is forgotten, and its ticket is due (fluid.c). */
void fluid_arrive(struct fluid *fluid, uint32_t flow);

/* Sends the next message of the chain of `flow` now (fluid.c). */
void fluid_send_next(struct fluid *fluid, uint32_t flow);

/* Counts `messages` of the flow on its links (fluid.c). */
void fluid_count(struct fluid *fluid, uint32_t flow, uint32_t messages);

/* A message is being sent: the solver's bandwidths are made those of now (fluid_speed.c). */
void fluid_speed_sync(struct fluid *fluid);
/* START_SPEED. */
void fluid_on_speed(struct fluid *fluid);

/* What was alone on a link shares it from now on: with nobody, if need be (fluid_alone.c). */
void fluid_share_one(struct fluid *fluid, uint32_t link);

/* Tells the meter what a message that was alone carried: `count` whole ones of its chain, and the
 * one after them from `begin` to now (fluid_meter.c). */
void fluid_meter_whole(struct fluid *fluid, uint32_t flow, uint32_t count);
void fluid_meter_part(struct fluid *fluid, uint32_t flow, struct drain_instant begin);

/* Tells it what links carried up to now that carry another load from now on: after a solve. */
void fluid_meter_loads(struct fluid *fluid);

/* -- messages that are alone (fluid_alone.c) -- */

/* Message i of the chain begins, and ends, if all before it were alone. */
struct drain_instant fluid_alone_begin(const struct message *message, uint32_t i);
struct drain_instant fluid_alone_end(const struct message *message, uint32_t i);

/* If nobody is on the way of a message whose `begin` is set, it and its chain go alone. */
bool fluid_go_alone(struct fluid *fluid, uint32_t flow);

/* A message begins on its links now: those that are alone there share from now on. */
void fluid_share(struct fluid *fluid, uint32_t flow);

/* The instant is over: gives the drain what those have left. */
void fluid_settle_shared(struct fluid *fluid);

/* KIND_ALONE. */
void fluid_on_alone(void *fluid, uint64_t payload);

#endif
