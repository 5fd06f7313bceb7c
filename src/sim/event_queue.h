/*
 * event_queue - the one queue of the simulator: a monotone radix heap, stable for equal times.
 *
 * Rules:
 *  1. Events come out by (time, order of insertion). No sequence number is stored: equal times
 *     always travel through the same buckets in insertion order.
 *  2. Never push an event earlier than the last one popped (a broken promise).
 *  3. push and pop are O(1) amortised up to the 64 levels of the heap; an event is moved at most
 *     once per level. Buckets grow by doubling: no allocation in steady state.
 *
 * Structure: bucket 0 holds events at time `last`; bucket b > 0 holds those whose highest bit that
 * differs from `last` is bit b - 1. Reference: Ahuja, Mehlhorn, Orlin, Tarjan, "Faster algorithms
 * for the shortest path problem", JACM 37(2), 1990.
 */
#ifndef ORRERY_SIM_EVENT_QUEUE_H
#define ORRERY_SIM_EVENT_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/units.h"

struct event {
    time_ps time;
    uint64_t payload; /* meaning belongs to whoever pushed it */
};

enum { EVENT_BUCKETS = 65 };

struct event_bucket {
    struct event *event;
    uint32_t count, capacity;
};

struct event_queue {
    time_ps last;      /* time of the last event popped */
    uint32_t head;     /* next event of bucket 0 */
    uint64_t nonempty; /* bit b - 1: bucket b > 0 holds events */
    uint64_t count;    /* events pending */
    struct event_bucket bucket[EVENT_BUCKETS];
};

void event_queue_init(struct event_queue *queue);
void event_queue_release(struct event_queue *queue);

/* Empties it and starts at time 0 again; keeps its memory. */
void event_queue_reset(struct event_queue *queue);

/* Makes room in a full bucket (slow path of event_queue_push). */
void event_queue_grow(struct event_bucket *bucket);

/* Moves the earliest events into bucket 0 and advances `last`. Needs a pending event and an empty
 * bucket 0 (slow path of event_queue_pop). */
void event_queue_refill(struct event_queue *queue);

static inline uint64_t event_queue_count(const struct event_queue *queue)
{
    return queue->count;
}

static inline void event_queue_push(struct event_queue *queue, time_ps time, uint64_t payload)
{
    promise(time >= queue->last);
    uint64_t differs = time ^ queue->last;
    unsigned b = differs ? 64 - (unsigned)__builtin_clzll(differs) : 0;
    struct event_bucket *bucket = &queue->bucket[b];
    if (bucket->count == bucket->capacity)
        event_queue_grow(bucket);
    bucket->event[bucket->count++] = (struct event){time, payload};
    if (b)
        queue->nonempty |= (uint64_t)1 << (b - 1);
    queue->count++;
}

/* Is an event pending at the time of the last one popped? */
static inline bool event_queue_is_due(const struct event_queue *queue)
{
    return queue->head != queue->bucket[0].count;
}

/* Takes the earliest event; false if there is none. */
static inline bool event_queue_pop(struct event_queue *queue, struct event *event)
{
    if (queue->head == queue->bucket[0].count) {
        if (!queue->count)
            return false;
        event_queue_refill(queue);
    }
    *event = queue->bucket[0].event[queue->head++];
    queue->count--;
    return true;
}

#endif
