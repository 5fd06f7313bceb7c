/*
 * heap_queue - a plain binary heap on (time, sequence): the oracle that tests and the benchmark
 * hold event_queue against. Same meaning, O(log n), no monotonicity needed.
 */
#ifndef ORRERY_SIM_HEAP_QUEUE_H
#define ORRERY_SIM_HEAP_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/units.h"
#include "sim/event_queue.h"

struct heap_entry {
    time_ps time;
    uint64_t sequence;
    uint64_t payload;
};

struct heap_queue {
    struct heap_entry *entry;
    uint64_t count, capacity, next_sequence;
};

void heap_queue_init(struct heap_queue *queue);
void heap_queue_release(struct heap_queue *queue);
void heap_queue_push(struct heap_queue *queue, time_ps time, uint64_t payload);
bool heap_queue_pop(struct heap_queue *queue, struct event *event);

#endif
