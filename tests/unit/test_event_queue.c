/* The radix heap against the plain heap on random monotone traffic, and its bursts. */
#include "tests/unit/unit.h"

#include "sim/event_queue.h"
#include "sim/heap_queue.h"

/* Small xorshift: the same traffic on every machine. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* How far ahead events are pushed: each row is a different shape of traffic. */
static const struct {
    const char *name;
    uint64_t modulus; /* delay is random below it .. */
    uint64_t scale;   /* .. times this: few distinct times, many ties */
    uint64_t pending;
} traffics[] = {
    {"all at once", 1, 1, 1000},      {"lock-step", 1, 2941000, 300},
    {"few times", 3, 1000, 500},      {"dense", 1000, 1, 2000},
    {"sparse", 1000000007, 1000, 50}, {"huge", (uint64_t)1 << 50, 1, 100},
    {"single", 1000, 1000, 1},
};

START_TEST(pops_like_the_oracle)
{
    struct event_queue queue;
    struct heap_queue oracle;
    event_queue_init(&queue);
    heap_queue_init(&oracle);
    uint64_t state = 88172645463325252u + (uint64_t)_i, now = 0, payload = 0;
    for (uint64_t i = 0; i < traffics[_i].pending; i++) {
        uint64_t time = next_random(&state) % traffics[_i].modulus * traffics[_i].scale;
        event_queue_push(&queue, time, payload);
        heap_queue_push(&oracle, time, payload++);
    }
    struct event got, expected;
    for (int pops = 0; heap_queue_pop(&oracle, &expected); pops++) {
        ck_assert(event_queue_pop(&queue, &got));
        ck_assert_msg(got.time == expected.time && got.payload == expected.payload, "%s: pop %d",
                      traffics[_i].name, pops);
        now = got.time;
        for (uint64_t i = next_random(&state) % 3; pops < 20000 && i > 0; i--) {
            uint64_t time = now + next_random(&state) % traffics[_i].modulus * traffics[_i].scale;
            event_queue_push(&queue, time, payload);
            heap_queue_push(&oracle, time, payload++);
        }
    }
    ck_assert(!event_queue_pop(&queue, &got));
    ck_assert_uint_eq(event_queue_count(&queue), 0);
    event_queue_release(&queue);
    heap_queue_release(&oracle);
}
END_TEST

/* A burst larger than what a bucket keeps, with two distinct times, in order twice. */
START_TEST(bursts_stay_in_order)
{
    enum { BURST = 200000 };
    struct event_queue queue;
    event_queue_init(&queue);
    for (int round = 0; round < 2; round++) {
        time_ps base = queue.last + 1000;
        for (uint64_t i = 0; i < BURST; i++)
            event_queue_push(&queue, base + i % 2 * 500, i);
        struct event event;
        for (uint64_t i = 0; i < BURST; i++) {
            ck_assert(event_queue_pop(&queue, &event));
            ck_assert_uint_eq(event.payload, i < BURST / 2 ? 2 * i : 2 * (i - BURST / 2) + 1);
        }
    }
    event_queue_release(&queue);
}
END_TEST

START_TEST(the_past_is_refused)
{
    struct event_queue queue;
    struct event event;
    event_queue_init(&queue);
    event_queue_push(&queue, 10, 0);
    event_queue_pop(&queue, &event);
    event_queue_push(&queue, 9, 0); /* promise broken: exit code 70 */
}
END_TEST

/* After a reset earlier times may come again, and nothing of before is left. */
START_TEST(starts_again_at_zero)
{
    struct event_queue queue;
    struct event event;
    event_queue_init(&queue);
    for (int round = 0; round < 3; round++) {
        event_queue_push(&queue, 7, 1);
        event_queue_push(&queue, 7, 2);
        event_queue_push(&queue, (uint64_t)1 << 40, 3);
        ck_assert(event_queue_pop(&queue, &event) && event.time == 7 && event.payload == 1);
        event_queue_push(&queue, 9, 4);
        event_queue_reset(&queue);
        ck_assert(event_queue_count(&queue) == 0 && !event_queue_pop(&queue, &event));
    }
    event_queue_release(&queue);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("event_queue");
    TCase *cases = tcase_create("event_queue");
    tcase_set_timeout(cases, 60); /* with sanitizers, on a busy machine */
    tcase_add_loop_test(cases, pops_like_the_oracle, 0,
                        (int)(sizeof traffics / sizeof traffics[0]));
    tcase_add_test(cases, bursts_stay_in_order);
    tcase_add_test(cases, starts_again_at_zero);
    tcase_add_exit_test(cases, the_past_is_refused, 70);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
