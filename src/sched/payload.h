/*
 * payload - what events and agenda items carry, in 60 bits: indices into the arrays of state.h. Not
 * for other rooms.
 */
#ifndef ORRERY_SCHED_PAYLOAD_H
#define ORRERY_SCHED_PAYLOAD_H

#include "sim/engine.h"

/* Event kinds of the engine. */
enum sched_event {
    EVENT_AGENDA = 1,   /* a group of one rank's agenda */
    EVENT_ARRIVAL,      /* collective message at its receiver: a ticket */
    EVENT_RECEIVED,     /* a receive was posted after its message had arrived: a ticket */
    EVENT_P2P_ARRIVAL,  /* point-to-point message: data = channel */
    EVENT_P2P_RECEIVED, /* data = flight of the receive */
    EVENT_CONTROL,      /* rendezvous: a receiver's control message at the sender: a ticket */
    EVENT_GO,           /* rendezvous: a sender finds its control message there: a ticket */
    EVENT_P2P_CONTROL,  /* data = channel */
    EVENT_P2P_GO,       /* data = flight of the send */
    EVENT_IN_NETWORK,   /* a message at a switch that reduces: see in_network.h */
    EVENT_FROM_NETWORK, /* its result at a member: a ticket */
};

/* Agenda items: kind << 60 | a << 32 | b. */
enum sched_item {
    ITEM_HAND_OVER,    /* a: 1 if it reduces, b: stream */
    ITEM_REDUCED,      /* b: stream */
    ITEM_STEP,         /* a: step whose hand-over or delay ended, b: stream */
    ITEM_STEP_REDUCED, /* a: step, b: stream */
    ITEM_PHASE_END,    /* b: stream whose program has no step */
    ITEM_NODE,         /* b: flight */
    ITEM_COMPUTE,      /* a: version of the end, b: flight (overlap.h) */
    ITEM_LAUNCH,       /* b: flight: the host has launched it */
    ITEM_MEMORY_NEXT,  /* a remote memory access ended: the next one starts */
    ITEM_BUS,          /* a: event, b: side of the bus (bus.c) */
};

enum { ITEM_A_MASK = (1 << 28) - 1 };

static inline uint64_t item_payload(enum sched_item kind, uint32_t a, uint32_t b)
{
    return (uint64_t)kind << 60 | (uint64_t)a << 32 | b;
}

/* A ticket names a receive slot of a stream: event kind, phase (4 bits), slot (24), stream (32). */
enum { TICKET_SLOT_BITS = 24 };

static inline uint64_t ticket_of(enum sched_event event, uint32_t phase, uint32_t slot,
                                 uint32_t stream)
{
    return engine_payload(event, (uint64_t)phase << 56 | (uint64_t)slot << 32 | stream);
}

static inline uint32_t ticket_stream(uint64_t ticket)
{
    return (uint32_t)ticket;
}

static inline uint32_t ticket_slot(uint64_t ticket)
{
    return (uint32_t)(ticket >> 32) & ((1u << TICKET_SLOT_BITS) - 1);
}

static inline uint32_t ticket_phase(uint64_t ticket)
{
    return (uint32_t)(ticket >> 56) & 15;
}

#endif
