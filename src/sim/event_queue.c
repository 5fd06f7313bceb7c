#include "sim/event_queue.h"

#include <stdlib.h>

#include "base/memory.h"

enum { FIRST_CAPACITY = 32, KEPT_CAPACITY = 1 << 16 };

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

void event_queue_reset(struct event_queue *queue)
{
    queue->last = queue->count = queue->nonempty = 0;
    queue->head = 0;
    for (unsigned b = 0; b < EVENT_BUCKETS; b++)
        queue->bucket[b].count = 0;
}

void event_queue_grow(struct event_bucket *bucket)
{
    promise(bucket->capacity < UINT32_MAX / 2);
    bucket->capacity = bucket->capacity ? 2 * bucket->capacity : FIRST_CAPACITY;
    bucket->event = realloc(bucket->event, bucket->capacity * sizeof *bucket->event);
    need_memory(bucket->event != NULL);
}

static unsigned bucket_of(const struct event_queue *queue, time_ps time)
{
    uint64_t differs = time ^ queue->last;
    return differs ? 64 - (unsigned)__builtin_clzll(differs) : 0;
}

static void append(struct event_bucket *bucket, struct event event)
{
    if (bucket->count == bucket->capacity)
        event_queue_grow(bucket);
    bucket->event[bucket->count++] = event;
}

static void swap_buckets(struct event_bucket *a, struct event_bucket *b)
{
    struct event_bucket swap = *a;
    *a = *b;
    *b = swap;
}

/* After a burst its memory goes back. */
static void shrink(struct event_bucket *bucket)
{
    if (bucket->capacity <= KEPT_CAPACITY)
        return;
    free(bucket->event);
    *bucket = (struct event_bucket){0};
}

struct time_range {
    time_ps earliest, latest;
};

static struct time_range range_of(const struct event_bucket *bucket)
{
    struct time_range range = {bucket->event[0].time, bucket->event[0].time};
    for (uint32_t i = 1; i < bucket->count; i++) {
        time_ps time = bucket->event[i].time;
        range.earliest = time < range.earliest ? time : range.earliest;
        range.latest = time > range.latest ? time : range.latest;
    }
    return range;
}

/* Moves what is due into bucket 0 and keeps the rest in `source`, both in order. */
static void take_due(struct event_queue *queue, struct event_bucket *source)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < source->count; i++) {
        if (source->event[i].time == queue->last)
            append(&queue->bucket[0], source->event[i]);
        else
            source->event[kept++] = source->event[i];
    }
    source->count = kept;
}

/* Spreads events that are not due over the (empty) buckets below `source`. */
static void spread(struct event_queue *queue, struct event_bucket *source)
{
    struct time_range range = range_of(source);
    unsigned low = bucket_of(queue, range.earliest), high = bucket_of(queue, range.latest);
    if (low == high) { /* bucket numbers rise with time: all go to one */
        swap_buckets(&queue->bucket[low], source);
        queue->nonempty |= (uint64_t)1 << (low - 1);
        return;
    }
    for (uint32_t i = 0; i < source->count; i++) {
        unsigned b = bucket_of(queue, source->event[i].time);
        append(&queue->bucket[b], source->event[i]);
        queue->nonempty |= (uint64_t)1 << (b - 1);
    }
    source->count = 0;
    shrink(source);
}

void event_queue_refill(struct event_queue *queue)
{
    struct event_bucket *due = &queue->bucket[0];
    due->count = 0;
    queue->head = 0;
    shrink(due);
    unsigned bit = (unsigned)__builtin_ctzll(queue->nonempty);
    struct event_bucket *source = &queue->bucket[bit + 1];
    queue->nonempty &= queue->nonempty - 1;
    struct time_range range = range_of(source);
    queue->last = range.earliest;
    if (range.earliest == range.latest) { /* lock-step: the whole bucket is due */
        swap_buckets(due, source);
        return;
    }
    take_due(queue, source);
    spread(queue, source);
}
