/* watch: the figures of the progress line, and a run that is not stopped. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <time.h>

#include "base/watch.h"

static const struct {
    uint64_t events, before;
    double elapsed_s, rate;
} rates[] = {
    {3000, 1000, 2, 1000},
    {1000, 1000, 1, 0},
    {500, 4000, 1, 500}, /* the run began again: a folded one is done unfolded */
    {0, 4000, 1, 0},
    {10, 0, 0, 0}, /* no time has passed yet */
    {UINT64_MAX, UINT64_MAX - 8, 4, 2},
};

START_TEST(rate_of_events)
{
    ck_assert_double_eq(watch_rate(rates[_i].events, rates[_i].before, rates[_i].elapsed_s),
                        rates[_i].rate);
}
END_TEST

START_TEST(nothing_stops_a_quiet_run)
{
    struct watch *watch = watch_start(false, 0);
    ck_assert_ptr_nonnull(watch);
    ck_assert(watch_poll(watch, 5, 1000));
    ck_assert(watch_poll(watch, 1, 10));
    ck_assert_int_eq(watch_stop(watch), WATCH_NONE);
    ck_assert_int_eq(watch_stop(NULL), WATCH_NONE);
}
END_TEST

START_TEST(wall_limit_stops)
{
    struct watch *watch = watch_start(false, 0.01);
    ck_assert_ptr_nonnull(watch);
    while (watch_poll(watch, 0, 0))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    ck_assert_int_eq(watch_stop(watch), WATCH_WALL_LIMIT);
}
END_TEST

START_TEST(signal_stops)
{
    watch_signals();
    struct watch *watch = watch_start(false, 0);
    ck_assert_ptr_nonnull(watch);
    raise(_i == 0 ? SIGINT : SIGTERM);
    ck_assert(!watch_poll(watch, 0, 0));
    ck_assert_int_eq(watch_stop(watch), WATCH_SIGNAL);
}
END_TEST

/* As in a proof before the first event, or a path that is looked for after the last. */
START_TEST(signal_that_no_poll_sees_ends_the_program)
{
    watch_signals();
    ck_assert_ptr_nonnull(watch_start(false, 0));
    raise(_i == 0 ? SIGINT : SIGTERM);
    struct timespec rest = {.tv_sec = 3};
    while (nanosleep(&rest, &rest) != 0)
        continue;
}
END_TEST

START_TEST(signal_after_the_last_poll_ends_the_program)
{
    watch_signals();
    struct watch *watch = watch_start(false, 0);
    ck_assert_ptr_nonnull(watch);
    ck_assert(watch_poll(watch, 0, 0));
    raise(_i == 0 ? SIGINT : SIGTERM);
    watch_stop(watch);
}
END_TEST

START_TEST(alarm_goes_with_the_watch)
{
    watch_signals();
    struct watch *watch = watch_start(false, 0);
    ck_assert_ptr_nonnull(watch);
    raise(SIGTERM);
    ck_assert(!watch_poll(watch, 0, 0));
    ck_assert_int_eq(watch_stop(watch), WATCH_SIGNAL);
    nanosleep(&(struct timespec){.tv_sec = 1, .tv_nsec = 200000000}, NULL);
}
END_TEST

static Suite *watch_suite(void)
{
    Suite *suite = suite_create("watch");
    TCase *tcase = tcase_create("watch");
    tcase_add_loop_test(tcase, rate_of_events, 0, (int)(sizeof rates / sizeof *rates));
    tcase_add_test(tcase, nothing_stops_a_quiet_run);
    tcase_add_test(tcase, wall_limit_stops);
    tcase_add_loop_test(tcase, signal_stops, 0, 2);
    tcase_add_loop_exit_test(tcase, signal_that_no_poll_sees_ends_the_program, 130, 0, 2);
    tcase_add_loop_exit_test(tcase, signal_after_the_last_poll_ends_the_program, 130, 0, 2);
    tcase_add_test(tcase, alarm_goes_with_the_watch);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(watch_suite())
