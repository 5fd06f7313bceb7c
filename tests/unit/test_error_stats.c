/* error_stats and step_times: figures that were worked by hand. */
#include "tests/unit/unit.h"

#include <math.h>

#include "compare/error_stats.h"
#include "compare/step_times.h"

static void close_to(double value, double expected)
{
    ck_assert_msg(fabs(value - expected) <= 1e-9 * fabs(expected) + 1e-12, "%.15g, not %.15g",
                  value, expected);
}

static struct error_stats stats_of(const int64_t (*pair)[2], int count, int64_t grain_ps)
{
    struct error_book book;
    error_book_init(&book, grain_ps);
    for (int i = 0; i < count; i++)
        error_book_add(&book, pair[i][0], pair[i][1]);
    struct error_stats stats = error_book_close(&book);
    error_book_release(&book);
    return stats;
}

/* Errors -10, 10, 30 and 0 %: mean 30 / 4; sizes 0 10 10 30: mean 50 / 4, median (10 + 10) / 2,
 * nearest rank of 0.9: number ceil(3.6) = 4. */
START_TEST(four_pairs)
{
    static const int64_t pairs[][2] = {{90, 100}, {110, 100}, {130, 100}, {100, 100}};
    struct error_stats stats = stats_of(pairs, 4, 1);
    ck_assert_uint_eq(stats.pairs, 4);
    ck_assert_uint_eq(stats.equal, 1);
    close_to(stats.mean_percent, 7.5);
    close_to(stats.mean_abs_percent, 12.5);
    close_to(stats.median_abs_percent, 10);
    close_to(stats.p90_abs_percent, 30);
    close_to(stats.worst_percent, 30);
    ck_assert_uint_eq(stats.worst, 2);
    close_to(stats.total_a_ps, 430);
    ck_assert_uint_eq(stats.wide_count, 3);
    ck_assert_uint_eq(stats.wide[0].number, 2);
    ck_assert_uint_eq(stats.wide[1].number, 0); /* as far as number 1, and before it */
    ck_assert_int_eq(stats.wide[2].a_ps, 110);
}
END_TEST

/* Of 20 errors of 1 .. 20 %, number ceil(18) is 18 %; the median (10 + 11) / 2. */
START_TEST(twenty_pairs)
{
    int64_t pairs[20][2];
    for (int i = 0; i < 20; i++) {
        pairs[i][0] = 101 + (7 * i) % 20; /* 7 and 20 have no common factor: each once */
        pairs[i][1] = 100;
    }
    struct error_stats stats = stats_of((const int64_t(*)[2])pairs, 20, 1);
    close_to(stats.p90_abs_percent, 18);
    close_to(stats.median_abs_percent, 10.5);
    close_to(stats.mean_percent, 10.5);
    close_to(stats.worst_percent, 20);
    ck_assert_uint_eq(stats.wide_count, ERROR_WIDE);
    for (int i = 0; i < ERROR_WIDE; i++)
        ck_assert_int_eq(stats.wide[i].a_ps, 120 - i);
}
END_TEST

/* 22240999 ps is 22240 cycles; below zero the grain is cut downwards: -1 ps is cycle -1. */
START_TEST(equal_to_the_cycle)
{
    static const int64_t pairs[][2] = {
        {22240999, 22240000}, {22241000, 22240000}, {-1, -1000}, {-1001, -1000}};
    struct error_stats stats = stats_of(pairs, 4, 1000);
    ck_assert_uint_eq(stats.equal, 2);
    ck_assert_int_eq(error_grains(-1, 1000), -1);
    ck_assert_int_eq(error_grains(-1000, 1000), -1);
    ck_assert_int_eq(error_grains(999, 1000), 0);
    close_to(stats_of(pairs, 1, 1000).worst_percent, 0); /* equal is no error */
}
END_TEST

/* A reference of 0 has no percentage; 0 against 0 is equal. */
START_TEST(reference_of_nothing)
{
    static const int64_t pairs[][2] = {{5000, 0}, {0, 0}, {150, 100}};
    struct error_stats stats = stats_of(pairs, 3, 1);
    ck_assert_uint_eq(stats.without_percent, 1);
    ck_assert_uint_eq(stats.equal, 1);
    close_to(stats.mean_percent, 25); /* 0 and 50 % */
    ck_assert_uint_eq(stats.worst, 2);
    ck_assert_uint_eq(stats.wide[0].number, 0);
    stats = stats_of(pairs, 1, 1);
    ck_assert_uint_eq(stats.pairs, 1);
    close_to(stats.worst_percent, 0);
}
END_TEST

static struct step_times times_of(const struct outcome_step *step, int count, enum status status)
{
    struct names words;
    struct outcome outcome;
    struct step_times times;
    struct diag diag = DIAG_NONE;
    names_init(&words);
    outcome_init(&outcome, &words);
    for (int i = 0; i < count; i++)
        outcome_add_step(&outcome, step[i].step, step[i].rank, step[i].time_ps);
    ck_assert_int_eq(step_times_find(&times, &outcome, &diag), status);
    outcome_release(&outcome);
    names_release(&words);
    return times;
}

/* 98, 100, 102, 104: mean 101, squares 9 + 1 + 1 + 9 = 20, s = sqrt(20 / 3); half of the interval
 * 3.182446 x 2.581989 / 2 = 4.108526. */
START_TEST(four_steps)
{
    static const struct outcome_step steps[] = {
        {3, UINT32_MAX, 104}, {0, UINT32_MAX, 98}, {2, UINT32_MAX, 102}, {1, UINT32_MAX, 100}};
    struct step_times times = times_of(steps, 4, STATUS_OK);
    ck_assert_uint_eq(times.count, 4);
    close_to(times.mean_ps, 101);
    close_to(times.median_ps, 101);
    close_to(times.deviation_ps, sqrt(20.0 / 3));
    ck_assert_double_eq_tol(times.low_ps, 101 - 4.108526, 1e-5);
    ck_assert_double_eq_tol(times.high_ps, 101 + 4.108526, 1e-5);
    ck_assert(!times_of(steps, 1, STATUS_OK).has_interval);
    ck_assert_uint_eq(times_of(steps, 0, STATUS_OK).count, 0);
}
END_TEST

/* Of two ranks a step is as long as the slower; a step said twice by a rank is refused. */
START_TEST(steps_of_ranks)
{
    static const struct outcome_step steps[] = {
        {0, 0, 10}, {0, 1, 14}, {1, 0, 20}, {1, 1, 12}, {1, 1, 13}};
    struct step_times times = times_of(steps, 4, STATUS_OK);
    ck_assert_uint_eq(times.count, 2);
    close_to(times.mean_ps, 17);
    close_to(times.least_ps, 14);
    times_of(steps, 5, STATUS_BAD_INPUT);
}
END_TEST

static Suite *error_suite(void)
{
    Suite *suite = suite_create("error_stats");
    TCase *cases = tcase_create("figures");
    tcase_add_test(cases, four_pairs);
    tcase_add_test(cases, twenty_pairs);
    tcase_add_test(cases, equal_to_the_cycle);
    tcase_add_test(cases, reference_of_nothing);
    tcase_add_test(cases, four_steps);
    tcase_add_test(cases, steps_of_ranks);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(error_suite())
