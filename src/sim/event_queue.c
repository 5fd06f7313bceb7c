#include "sim/event_queue.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 32 };

void event_queue_init(struct event_queue *queue)
{
    *queue = (struct event_queue){0};
}

void event_queue_release(struct event_queue *queue)
{
    for (int b = 0; b < EVENT_BUCKETS; b++)
        free(queue->bucket[b].event);
    event_queue_init(queue);
}

void event_queue_grow(struct event_bucket *bucket)
{
    promise(bucket->capacity < UINT32_MAX / 2);
    bucket->capacity = bucket->capacity ? 2 * bucket->capacity : FIRST_CAPACITY;
    bucket->event = realloc(bucket->event, bucket->capacity * sizeof *bucket->event);
    promise(bucket->event != NULL);
}

/* Puts an event of the bucket being emptied where it belongs relative to the new `last`. */
static void move_down(struct event_queue *queue, struct event event)
{
    uint64_t differs = event.time ^ queue->last;
    unsigned b = differs ? 64 - (unsigned)__builtin_clzll(differs) : 0;
    struct event_bucket *bucket = &queue->bucket[b];
    if (bucket->count == bucket->capacity)
        event_queue_grow(bucket);
    bucket->event[bucket->count++] = event;
    if (b)
        queue->nonempty |= (uint64_t)1 << (b - 1);
}

void event_queue_refill(struct event_queue *queue)
{
    struct event_bucket *due = &queue->bucket[0];
    due->count = 0;
    queue->head = 0;
    unsigned bit = (unsigned)__builtin_ctzll(queue->nonempty);
    struct event_bucket *source = &queue->bucket[bit + 1];
    queue->nonempty &= queue->nonempty - 1;

    time_ps earliest = source->event[0].time, latest = earliest;
    for (uint32_t i = 1; i < source->count; i++) {
        time_ps time = source->event[i].time;
        earliest = time < earliest ? time : earliest;
        latest = time > latest ? time : latest;
    }
    queue->last = earliest;
    if (earliest == latest) { /* lock-step: the whole bucket is due, nothing is moved */
        struct event_bucket swap = *due;
        *due = *source;
        *source = swap;
        return;
    }
    uint32_t count = source->count;
    source->count = 0;
    for (uint32_t i = 0; i < count; i++)
        move_down(queue, source->event[i]);
}
