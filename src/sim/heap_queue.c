#include "sim/heap_queue.h"

#include <stdlib.h>

#include "base/memory.h"

void heap_queue_init(struct heap_queue *queue)
{
    *queue = (struct heap_queue){0};
}

void heap_queue_release(struct heap_queue *queue)
{
    free(queue->entry);
    heap_queue_init(queue);
}

static bool is_before(const struct heap_entry *a, const struct heap_entry *b)
{
    return a->time != b->time ? a->time < b->time : a->sequence < b->sequence;
}

void heap_queue_push(struct heap_queue *queue, time_ps time, uint64_t payload)
{
    if (queue->count == queue->capacity) {
        queue->capacity = queue->capacity ? 2 * queue->capacity : 64;
        queue->entry = realloc(queue->entry, queue->capacity * sizeof *queue->entry);
        need_memory(queue->entry != NULL);
    }
    struct heap_entry added = {time, queue->next_sequence++, payload};
    uint64_t hole = queue->count++;
    for (; hole > 0; hole = (hole - 1) / 2) {
        struct heap_entry *parent = &queue->entry[(hole - 1) / 2];
        if (!is_before(&added, parent))
            break;
        queue->entry[hole] = *parent;
    }
    queue->entry[hole] = added;
}

bool heap_queue_pop(struct heap_queue *queue, struct event *event)
{
    if (!queue->count)
        return false;
    *event = (struct event){queue->entry[0].time, queue->entry[0].payload};
    struct heap_entry last = queue->entry[--queue->count];
    uint64_t hole = 0;
    for (;;) {
        uint64_t child = 2 * hole + 1;
        if (child >= queue->count)
            break;
        if (child + 1 < queue->count && is_before(&queue->entry[child + 1], &queue->entry[child]))
            child++;
        if (!is_before(&queue->entry[child], &last))
            break;
        queue->entry[hole] = queue->entry[child];
        hole = child;
    }
    queue->entry[hole] = last;
    return true;
}
