/*
 * link_parts - what is under way in the link model: servers, units, and transfers of several units.
 *
 * Rules:
 *  1. A unit has the servers of its route behind it. Units live in pools by size: 64 << class bytes
 *     hold up to unit_capacity(class) servers; a handle is class and index. Handles stay valid
 *     until unit_release(), pointers too (base/grow.h).
 *  2. A transfer joins several units, or several transfers, to one arrival: the last of them.
 *     Their tickets are transfer_ticket(); other tickets are the caller's.
 */
#ifndef ORRERY_NET_MODEL_LINK_PARTS_H
#define ORRERY_NET_MODEL_LINK_PARTS_H

#include "base/grow.h"
#include "model/network.h"

enum { KIND_HOP = NETWORK_FIRST_KIND, KIND_TRANSFER /* tickets only, never an event */ };
enum { UNIT_CLASSES = 20, UNIT_HEADER_BYTES = 32 };

/* A directed link or a bundle: one cache line. */
struct server {
    time_ps free; /* when it can start what comes next */
    double B_per_ns;
    double latency_ns;
    time_ps latency_ps; /* the same, rounded */
    uint64_t bytes;     /* figures */
    time_ps busy;
    time_ps queued;
    uint64_t units;
};

struct unit {
    time_ps tail;    /* when its last byte is where its head is now */
    uint64_t bytes;  /* on the wire */
    uint64_t ticket; /* in the free list: the next */
    uint32_t hop;    /* servers passed */
    uint32_t count;
    uint32_t server[];
};

struct transfer {
    uint64_t ticket;
    uint64_t awaited; /* arrivals to come */
    time_ps latest;   /* of the arrivals so far */
    /* A message in segments: what has not been made into units yet. */
    uint64_t left_bytes;
    time_ps next_start; /* of the next segment on the first server */
    uint64_t pattern;   /* handle of a unit that has the route */
    uint32_t next;      /* in the free list */
};

struct unit_pool {
    struct grow units;
    uint64_t free_unit; /* index + 1, 0 if none */
};

struct link_parts {
    struct unit_pool pool[UNIT_CLASSES];
    struct grow transfers;
    uint32_t free_transfer; /* index + 1, 0 if none */
};

void link_parts_init(struct link_parts *parts);
void link_parts_release(struct link_parts *parts);

/* A unit for `count` servers; its handle has 60 bits. */
uint64_t unit_take_new(struct link_parts *parts, unsigned class);

static inline uint32_t unit_capacity(unsigned class)
{
    return (uint32_t)((((size_t)64 << class) - UNIT_HEADER_BYTES) / sizeof(uint32_t));
}

static inline struct unit *unit_at(const struct link_parts *parts, uint64_t handle)
{
    unsigned class = handle >> 32;
    return (struct unit *)((char *)parts->pool[class].units.base +
                           ((size_t)(uint32_t)handle << (class + 6)));
}

static inline uint64_t unit_take(struct link_parts *parts, uint32_t count)
{
    unsigned class = 0;
    while (unit_capacity(class) < count)
        class ++;
    struct unit_pool *pool = &parts->pool[class];
    if (!pool->free_unit)
        return unit_take_new(parts, class);
    uint64_t handle = (uint64_t) class << 32 | (pool->free_unit - 1);
    pool->free_unit = unit_at(parts, handle)->ticket;
    return handle;
}

static inline void unit_release(struct link_parts *parts, uint64_t handle)
{
    struct unit_pool *pool = &parts->pool[handle >> 32];
    unit_at(parts, handle)->ticket = pool->free_unit;
    pool->free_unit = (uint64_t)(uint32_t)handle + 1;
}

static inline struct transfer *transfer_at(const struct link_parts *parts, uint32_t index)
{
    return (struct transfer *)parts->transfers.base + index;
}

/* A transfer of `awaited` arrivals, otherwise zero. */
uint32_t transfer_take(struct link_parts *parts, uint64_t ticket, uint64_t awaited);

static inline uint64_t transfer_ticket(uint32_t index)
{
    return engine_payload(KIND_TRANSFER, index);
}

static inline bool is_transfer(uint64_t ticket)
{
    return ticket >> ENGINE_KIND_SHIFT == KIND_TRANSFER;
}

/*
 * One of the arrivals of *ticket is at *when. True if the caller's ticket is due by it: *ticket is
 * that one then, *when the latest of its arrivals, and the transfers in between are released.
 */
bool transfer_arrive(struct link_parts *parts, uint64_t *ticket, time_ps *when);

#endif
