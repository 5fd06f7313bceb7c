/* Order statistics by hand and by simulation; culprits that are there, and that are not. */
#include <math.h>

#include "base/mix.h"
#include "stats/culprits.h"
#include "stats/samples.h"
#include "tests/unit/unit.h"

/*
 * Median of 10: P(B <= 1) = 11/1024 = 1.07 %, P(B <= 2) = 56/1024 = 5.5 %: from the 2nd to the 9th.
 * p95 of 71: 0.95^71 = 2.62 % is too much, of 72: 2.49 %. Median of 5: 1/32 = 3.1 % at each end.
 */
START_TEST(order_statistics_by_hand)
{
    static const struct {
        uint32_t n;
        double p;
        uint32_t low, high;
    } rows[] = {
        {10, 0.5, 2, 9}, {5, 0.5, 0, 6}, {71, 0.95, 64, 72}, {72, 0.95, 65, 72}, {6, 0.5, 1, 6}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t low, high;
        samples_quantile_ranks(rows[i].n, rows[i].p, &low, &high);
        ck_assert_uint_eq(high, rows[i].high);
        if (rows[i].p == 0.5)
            ck_assert_uint_eq(low, rows[i].low);
    }
}
END_TEST

START_TEST(quantiles_are_interpolated)
{
    double value[] = {50, 10, 40, 20, 30};
    samples_sort(value, 5);
    ck_assert_double_eq_tol(samples_quantile(value, 5, 0.5).at, 30, 1e-12);
    ck_assert_double_eq_tol(samples_quantile(value, 5, 0.95).at, 48, 1e-12); /* h = 3.8 */
    struct sample_estimate median = samples_quantile(value, 5, 0.5);
    ck_assert(median.range.is_open_low && median.range.is_open_high);
    ck_assert(isinf(samples_width(&median)));
    double one = 7;
    ck_assert_double_eq(samples_quantile(&one, 1, 0.95).at, 7);
}
END_TEST

/* 2, 4, 4, 4, 5, 5, 7, 9: mean 5, deviation sqrt(32/7); t of 7 degrees is 2.3646 (tables). */
START_TEST(the_mean_by_students_t)
{
    const double value[] = {2, 4, 4, 4, 5, 5, 7, 9};
    double deviation;
    struct sample_estimate mean = samples_mean(value, 8, &deviation);
    ck_assert_double_eq_tol(mean.at, 5, 1e-12);
    ck_assert_double_eq_tol(deviation, sqrt(32.0 / 7), 1e-12);
    ck_assert_double_eq_tol(mean.range.high - 5, 2.3646 * sqrt(32.0 / 7 / 8), 5e-5);
    static const double table[][2] = {{1, 12.7062},   {2, 4.30265},   {3, 3.18245},   {4, 2.77645},
                                      {9, 2.26216},   {29, 2.04523},  {30, 2.04227},  {99, 1.98422},
                                      {120, 1.97993}, {200, 1.97190}, {1000, 1.96234}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        ck_assert_double_eq_tol(samples_t((uint32_t)table[i][0]), table[i][1], 4e-5);
    /* 1 / freedom goes on evenly where the sums end and the expansion begins. */
    double before = samples_t(199) - samples_t(200), across = samples_t(200) - samples_t(201);
    ck_assert_double_eq_tol(across / before, 199.0 / 201, 1e-3);
}
END_TEST

/* Of 2,000 intervals of uniform numbers at least 95 % hold the quantile: the exact coverage at n =
 * 100 is 96.5 % and 97.0 %, and its deviation over 2,000 is 0.4 %. */
START_TEST(intervals_hold_what_they_say)
{
    static const double p[] = {0.5, 0.95};
    uint64_t state = 11;
    uint32_t held[2] = {0, 0};
    for (int trial = 0; trial < 2000; trial++) {
        double value[100];
        for (int i = 0; i < 100; i++)
            value[i] = (double)(random_next(&state) >> 11) * 0x1p-53;
        samples_sort(value, 100);
        for (int q = 0; q < 2; q++) {
            struct interval range = samples_quantile(value, 100, p[q]).range;
            held[q] += range.low <= p[q] && p[q] < range.high;
        }
    }
    ck_assert_uint_ge(held[0], 1900);
    ck_assert_uint_ge(held[1], 1900);
    ck_assert_uint_le(held[0], 1980);
}
END_TEST

/* a = 1, 2, 3; b = 2, 3, 4: pairs but those of one number: 1<3 1<4 2=2 2<4 3>2 3=3: 4 of 6. */
START_TEST(pairs_by_hand)
{
    const double a[] = {1, 2, 3}, b[] = {2, 3, 4};
    ck_assert_double_eq_tol(samples_beats(a, 3, b, 3).at, 4.0 / 6, 1e-12);
    const double low[] = {1, 2, 3, 4}, high[] = {11, 12};
    struct sample_estimate sure = samples_beats(low, 4, high, 2);
    ck_assert_double_eq(sure.at, 1);
    ck_assert_double_eq(sure.range.high, 1);
    ck_assert_double_eq_tol(sure.range.low, 0.158114, 1e-6); /* sqrt(0.025): 2 of 2 */
}
END_TEST

/* 40 things that vary alike; the time of a sample is that of the slowest, or of thing 17 alone. */
struct made {
    double figure[400][40], time[400];
};

static double figure_of(void *context, uint32_t sample, uint32_t thing)
{
    const struct made *made = context;
    return made->figure[sample][thing];
}

static uint32_t find(struct made *made, uint32_t seed, bool one_decides, struct culprit *top)
{
    uint64_t state = seed;
    for (uint32_t i = 0; i < 400; i++) {
        made->time[i] = 0;
        for (uint32_t t = 0; t < 40; t++) {
            double sum = 0; /* of twelve uniform numbers: nearly normal */
            for (int k = 0; k < 12; k++)
                sum += (double)(random_next(&state) >> 11) * 0x1p-53;
            made->figure[i][t] = 1 + 0.05 * (sum - 6);
            if (one_decides ? t == 17 : made->figure[i][t] > made->time[i])
                made->time[i] = made->figure[i][t];
        }
    }
    const struct culprit_question question = {made->time, 400, 40, figure_of, made};
    return culprits_find(&question, top, 2);
}

START_TEST(a_culprit_is_found_and_none_is_made_up)
{
    struct made *made = calloc(1, sizeof *made);
    struct culprit top[2];
    uint32_t wrong = 0;
    ck_assert_ptr_nonnull(made);
    for (uint32_t seed = 1; seed <= 20; seed++) {
        ck_assert_uint_ge(find(made, seed, true, top), 1);
        ck_assert_uint_eq(top[0].thing, 17);
        wrong += find(made, seed, false, top) > 0;
    }
    ck_assert_uint_le(wrong, 3); /* 1 of 20 is to be expected at most */
    free(made);
}
END_TEST

static Suite *samples_suite(void)
{
    Suite *suite = suite_create("samples");
    TCase *tcase = tcase_create("samples");
    tcase_add_test(tcase, order_statistics_by_hand);
    tcase_add_test(tcase, quantiles_are_interpolated);
    tcase_add_test(tcase, the_mean_by_students_t);
    tcase_add_test(tcase, intervals_hold_what_they_say);
    tcase_add_test(tcase, pairs_by_hand);
    tcase_add_test(tcase, a_culprit_is_found_and_none_is_made_up);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(samples_suite())
