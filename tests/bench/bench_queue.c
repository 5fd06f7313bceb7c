/*
 * bench_queue - the radix heap of the engine against a binary heap, in the "hold" model: the queue
 * keeps N events; each step pops the earliest and pushes one later (Jones, "An empirical comparison
 * of priority-queue and event-set implementations", CACM 29(4), 1986).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/event_queue.h"
#include "sim/heap_queue.h"
#include "tests/bench/bench.h"

enum { STEPS = 4000000 };

/* How far ahead the next event is. */
enum gap { GAP_CONSTANT, GAP_FEW, GAP_RANDOM, GAP_COUNT };
static const char *const gap_name[GAP_COUNT] = {
    [GAP_CONSTANT] = "one delay (ring)", [GAP_FEW] = "four delays", [GAP_RANDOM] = "random delays"};

static time_ps next_gap(enum gap gap, uint64_t *state)
{
    switch (gap) {
    case GAP_CONSTANT:
        return 1720000;
    case GAP_FEW:
        return 10000 + 430000 * (bench_random(state) & 3);
    default:
        return bench_random(state) % 4000000;
    }
}

struct figures {
    double events_per_s;
    uint64_t check; /* depends on the order of events: both queues must agree */
};

static struct figures hold_radix(enum gap gap, uint32_t pending)
{
    struct event_queue queue;
    struct event event;
    uint64_t state = 42, check = 0;
    event_queue_init(&queue);
    for (uint32_t i = 0; i < pending; i++)
        event_queue_push(&queue, next_gap(gap, &state), i);
    double begin = bench_user_s();
    for (uint32_t step = 0; step < STEPS; step++) {
        if (!event_queue_pop(&queue, &event))
            abort();
        check = check * 31 + event.payload;
        event_queue_push(&queue, event.time + next_gap(gap, &state), event.payload);
    }
    double seconds = bench_user_s() - begin;
    event_queue_release(&queue);
    return (struct figures){STEPS / seconds, check};
}

static struct figures hold_heap(enum gap gap, uint32_t pending)
{
    struct heap_queue queue;
    struct event event;
    uint64_t state = 42, check = 0;
    heap_queue_init(&queue);
    for (uint32_t i = 0; i < pending; i++)
        heap_queue_push(&queue, next_gap(gap, &state), i);
    double begin = bench_user_s();
    for (uint32_t step = 0; step < STEPS; step++) {
        if (!heap_queue_pop(&queue, &event))
            abort();
        check = check * 31 + event.payload;
        heap_queue_push(&queue, event.time + next_gap(gap, &state), event.payload);
    }
    double seconds = bench_user_s() - begin;
    heap_queue_release(&queue);
    return (struct figures){STEPS / seconds, check};
}

int main(void)
{
    static const uint32_t pending[] = {64, 1024, 16384, 262144};
    printf("%-18s %9s  %14s  %14s  %6s\n", "delays", "pending", "radix Mevent/s", "heap Mevent/s",
           "ratio");
    for (int gap = 0; gap < GAP_COUNT; gap++) {
        for (size_t i = 0; i < sizeof pending / sizeof *pending; i++) {
            struct figures radix = hold_radix((enum gap)gap, pending[i]);
            struct figures heap = hold_heap((enum gap)gap, pending[i]);
            printf("%-18s %9" PRIu32 "  %14.1f  %14.1f  %5.1fx\n", gap_name[gap], pending[i],
                   radix.events_per_s / 1e6, heap.events_per_s / 1e6,
                   radix.events_per_s / heap.events_per_s);
            if (radix.check != heap.check) {
                fprintf(stderr, "the two queues gave different orders\n");
                return EXIT_FAILURE;
            }
        }
    }
    return EXIT_SUCCESS;
}
