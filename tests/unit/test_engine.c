#include "tests/unit/unit.h"

#include "sim/engine.h"

enum { KIND_NOTE = 3, KIND_TIMER = 4 };

struct log {
    struct engine *engine;
    struct timer timer;
    uint64_t seen[16];
    int count;
    int again; /* times the late handler asks to be called again */
    int chain; /* events still to push for the current time */
};

static void on_note(void *context, uint64_t payload)
{
    struct log *log = context;
    log->seen[log->count++] = payload & ENGINE_DATA_MASK;
    if (log->chain > 0) {
        log->chain--;
        engine_push(log->engine, log->engine->now, engine_payload(KIND_NOTE, 100));
    }
}

static void on_timer(void *context, uint64_t payload)
{
    struct log *log = context;
    if (timer_is_due(&log->timer, payload))
        log->seen[log->count++] = 777;
}

static void setup(struct log *log, struct engine *engine)
{
    *log = (struct log){.engine = engine};
    engine_init(engine);
    engine_on(engine, KIND_NOTE, on_note, log);
    engine_on(engine, KIND_TIMER, on_timer, log);
}

START_TEST(equal_times_run_in_order_and_new_ones_last)
{
    struct engine engine;
    struct log log;
    setup(&log, &engine);
    log.chain = 1;
    engine_push(&engine, 5, engine_payload(KIND_NOTE, 1));
    engine_push(&engine, 5, engine_payload(KIND_NOTE, 2));
    engine_push(&engine, 4, engine_payload(KIND_NOTE, 0));
    ck_assert_int_eq(engine_run(&engine, 100, TIME_NEVER), ENGINE_DRY);
    const uint64_t expected[] = {0, 100, 1, 2};
    ck_assert_int_eq(log.count, 4);
    for (int i = 0; i < 4; i++)
        ck_assert_uint_eq(log.seen[i], expected[i]);
    ck_assert_uint_eq(engine.processed, 4);
    engine_release(&engine);
}
END_TEST

/* Pushes once more at `now`, then only notes that it was called. */
static void on_late(void *context)
{
    struct log *log = context;
    log->seen[log->count++] = 500;
    if (log->again > 0) {
        log->again--;
        engine_push(log->engine, log->engine->now, engine_payload(KIND_NOTE, 100));
        engine_ask_late(log->engine);
    }
}

START_TEST(late_handler_runs_when_an_instant_is_over)
{
    struct engine engine;
    struct log log;
    setup(&log, &engine);
    engine_on_late(&engine, on_late, &log);
    engine_push(&engine, 5, engine_payload(KIND_NOTE, 1));
    engine_push(&engine, 5, engine_payload(KIND_NOTE, 2));
    engine_push(&engine, 9, engine_payload(KIND_NOTE, 3));
    engine_run(&engine, 1, TIME_NEVER); /* the first of time 5 */
    log.again = 1;
    engine_ask_late(&engine);
    ck_assert_int_eq(engine_run(&engine, 100, TIME_NEVER), ENGINE_DRY);
    /* 2 is of the same instant; 100, pushed by the late handler, runs before it is called again */
    const uint64_t expected[] = {1, 2, 500, 100, 500, 3};
    ck_assert_int_eq(log.count, 6);
    for (int i = 0; i < 6; i++)
        ck_assert_uint_eq(log.seen[i], expected[i]);
    engine_release(&engine);
}
END_TEST

/* Pushes an event at `now` the first time. */
static void on_settle(void *context)
{
    struct log *log = context;
    log->seen[log->count++] = 700;
    if (log->again-- > 0) {
        engine_push(log->engine, log->engine->now, engine_payload(KIND_NOTE, 101));
        engine_ask_settle(log->engine);
    }
}

START_TEST(what_settles_comes_before_what_is_late)
{
    struct engine engine;
    struct log log;
    setup(&log, &engine);
    engine_on_late(&engine, on_late, &log);
    engine_on_settle(&engine, on_settle, &log);
    engine_push(&engine, 5, engine_payload(KIND_NOTE, 1));
    engine_push(&engine, 9, engine_payload(KIND_NOTE, 2));
    engine_ask_late(&engine);
    engine_run(&engine, 1, TIME_NEVER);
    log.again = 1;
    engine_ask_late(&engine);
    engine_ask_settle(&engine);
    ck_assert_int_eq(engine_run(&engine, 100, TIME_NEVER), ENGINE_DRY);
    const uint64_t expected[] = {500, 1, 700, 101, 700, 500, 2};
    ck_assert_int_eq(log.count, 7);
    for (int i = 0; i < 7; i++)
        ck_assert_uint_eq(log.seen[i], expected[i]);
    engine_release(&engine);
}
END_TEST

START_TEST(slice_limit_and_stop)
{
    struct engine engine;
    struct log log;
    setup(&log, &engine);
    for (uint64_t i = 0; i < 4; i++)
        engine_push(&engine, 10 * i, engine_payload(KIND_NOTE, i));
    ck_assert_int_eq(engine_run(&engine, 2, TIME_NEVER), ENGINE_SLICE);
    ck_assert_int_eq(log.count, 2);
    ck_assert_int_eq(engine_run(&engine, 100, 20), ENGINE_LIMIT);
    ck_assert_int_eq(log.count, 3);
    engine.stop = true;
    ck_assert_int_eq(engine_run(&engine, 100, TIME_NEVER), ENGINE_STOP);
    engine_release(&engine);
}
END_TEST

START_TEST(a_cancelled_timer_does_nothing)
{
    struct engine engine;
    struct log log;
    setup(&log, &engine);
    engine_push(&engine, 1, timer_payload(KIND_TIMER, &log.timer, 0));
    timer_cancel(&log.timer);
    engine_push(&engine, 2, timer_payload(KIND_TIMER, &log.timer, 0));
    engine_run(&engine, 100, TIME_NEVER);
    ck_assert_int_eq(log.count, 1);
    ck_assert_uint_eq(engine.now, 2);
    engine_release(&engine);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("engine");
    TCase *cases = tcase_create("engine");
    tcase_add_test(cases, equal_times_run_in_order_and_new_ones_last);
    tcase_add_test(cases, late_handler_runs_when_an_instant_is_over);
    tcase_add_test(cases, what_settles_comes_before_what_is_late);
    tcase_add_test(cases, slice_limit_and_stop);
    tcase_add_test(cases, a_cancelled_timer_does_nothing);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
