/* Goodput by hand, against Daly's and Young's formulas, and against runs failure by failure. */
#include <math.h>

#include "goodput/goodput.h"
#include "goodput/goodput_run.h"
#include "stats/samples.h"
#include "tests/unit/unit.h"

/* One failure in 10,000 s; a checkpoint stops the job for 100 s, a restart takes 300 s. */
static struct goodput_input plain(void)
{
    return (struct goodput_input){.step_s = 10,
                                  .tokens = 1e6,
                                  .devices = 1024,
                                  .node_devices = 8,
                                  .failures_per_s = 1e-4,
                                  .write_s = 100,
                                  .stall_s = 100,
                                  .restart_s = 300};
}

/*
 * At 1,400 s: e^0.03 10,000 (e^0.15 - 1) = 1.030455 x 1,618.342 = 1,667.63 s a cycle, of which
 * 1,400 are useful, 83.951 %, and 100 the checkpoint, 5.997 %. Attempts take 1,618.34: 118.34 lost,
 * 7.096 %. The rest, 49.29, is restarts. 0.83951 x 86,400 / 10 steps of 1e6 tokens a day.
 */
START_TEST(a_cycle_by_hand)
{
    struct goodput_input input = plain();
    struct goodput at = goodput_at(&input, 1400);
    ck_assert_double_eq_tol(at.share[SHARE_USEFUL], 0.83951, 1e-5);
    ck_assert_double_eq_tol(at.share[SHARE_CHECKPOINT], 0.05997, 1e-5);
    ck_assert_double_eq_tol(at.share[SHARE_LOST], 0.07096, 1e-5);
    ck_assert_double_eq_tol(at.share[SHARE_RESTART], 0.02956, 1e-5);
    ck_assert_double_eq_tol(at.failures_per_day, 8.64, 1e-9);
    ck_assert_double_eq_tol(goodput_tokens_per_day(&input, &at), 0.83951 * 8.64e9, 1e5);
}
END_TEST

/* Young: sqrt(2 x 100 x 10,000) = 1,414.2. Daly: d = 0.005: 1,414.2 (1 + 0.070711 / 3 + 0.005 / 9)
 * - 100 = 1,348.33; with a checkpoint of 30,000 s, d = 1.5: 10,000. */
START_TEST(intervals_by_hand)
{
    struct goodput_input input = plain();
    ck_assert_double_eq_tol(goodput_young_interval(&input), 1414.21, 0.01);
    ck_assert_double_eq_tol(goodput_daly_interval(&input), 1348.33, 0.01);
    double best = goodput_best_interval(&input);
    ck_assert_double_eq_tol(best, goodput_daly_interval(&input), 1);
    double most = goodput_at(&input, best).share[SHARE_USEFUL];
    for (double other = 100; other < 20000; other *= 1.1)
        ck_assert_double_le(goodput_at(&input, other).share[SHARE_USEFUL], most + 1e-15);
    input.stall_s = input.write_s = 30000;
    ck_assert_double_eq(goodput_daly_interval(&input), 10000);
}
END_TEST

/* Erlang's B at load 1: 1, 1/2, 1/5, 1/16. A job that always waits 2,000 s for its repair. */
START_TEST(spares_by_hand)
{
    struct goodput_input input = plain();
    static const double blocked[] = {1, 0.5, 0.2, 0.0625};
    input.repair_s = 10000;
    for (uint32_t s = 0; s < 4; s++) {
        input.spares = s;
        ck_assert_double_eq_tol(goodput_no_spare(&input), blocked[s], 1e-12);
    }
    input.spares = 0;
    input.repair_s = 2000;
    struct goodput at = goodput_at(&input, 1400);
    double cycle = exp(0.03) * 1e4 * expm1(0.15);
    ck_assert_double_eq_tol(at.share[SHARE_USEFUL], 1400 / (cycle * 1.2), 1e-12);
    ck_assert_double_eq_tol(at.share[SHARE_WAITING], 0.2 / 1.2, 1e-12);
    ck_assert_double_eq_tol(goodput_tokens_per_device(&input, &at),
                            goodput_tokens_per_day(&input, &at) / 1024, 1e-3);
}
END_TEST

/* Without failures only the checkpoints cost; a snapshot of no lag is Daly's form. */
START_TEST(limits)
{
    struct goodput_input input = plain();
    input.is_async = true;
    input.write_s = 0;
    struct goodput lag = goodput_at(&input, 900);
    input.is_async = false;
    input.write_s = 100;
    struct goodput blocking = goodput_at(&input, 900);
    for (int i = 0; i < GOODPUT_SHARES; i++)
        ck_assert_double_eq_tol(lag.share[i], blocking.share[i], 1e-12);
    input.failures_per_s = 0;
    ck_assert_double_eq_tol(goodput_at(&input, 900).share[SHARE_USEFUL], 0.9, 1e-12);
    ck_assert(isinf(goodput_best_interval(&input)));
}
END_TEST

/* -- against runs ------------------------------------------------------------------------------ */

static const struct {
    const char *why;
    struct goodput_input input;
    double interval_s, tolerance; /* over the interval of 95 %: of what is approximate */
} cases[] = {
    {"blocking",
     {.failures_per_s = 1e-4, .write_s = 100, .stall_s = 100, .restart_s = 300},
     1400,
     0},
    {"asynchronous",
     {.failures_per_s = 1e-4, .write_s = 600, .stall_s = 5, .is_async = true, .restart_s = 300},
     900,
     0},
    {"restarts that fail",
     {.failures_per_s = 1e-3, .write_s = 20, .stall_s = 20, .restart_s = 900},
     200,
     0},
    {"waits for each repair",
     {.failures_per_s = 1e-4, .write_s = 60, .stall_s = 60, .restart_s = 300, .repair_s = 4000},
     1200,
     0},
    {"three spares",
     {.failures_per_s = 1e-4,
      .write_s = 60,
      .stall_s = 60,
      .restart_s = 300,
      .repair_s = 30000,
      .spares = 3},
     1200,
     0},
    {"planned stops",
     {.failures_per_s = 5e-5,
      .planned_per_s = 2e-5,
      .write_s = 60,
      .stall_s = 60,
      .restart_s = 300},
     1200,
     1e-3},
    {"smaller",
     {.failures_per_s = 2e-5,
      .write_s = 60,
      .stall_s = 60,
      .restart_s = 300,
      .repair_s = 20000,
      .policy = GOODPUT_SHRINK,
      .node_ratio = 0.01},
     2000,
     2e-4},
};

enum { RUNS = 400, DAYS = 60 };

/* Each share of the closed form is within the interval of 95 % of the mean of 400 runs of 60 days,
 * widened to 99.9 % (x 1.7) as there are 49 of them. */
START_TEST(runs_agree)
{
    struct goodput_input input = cases[_i].input;
    static double share[GOODPUT_SHARES][RUNS];
    input.step_s = 1;
    input.devices = 1024;
    struct goodput at = goodput_at(&input, cases[_i].interval_s);
    for (uint32_t run = 0; run < RUNS; run++) {
        struct goodput one = goodput_run(&input, cases[_i].interval_s, DAYS, 1, run);
        double sum = 0;
        for (int i = 0; i < GOODPUT_SHARES; i++) {
            share[i][run] = one.share[i];
            sum += one.share[i];
        }
        ck_assert_double_eq_tol(sum, 1, 1e-9);
    }
    double all = 0;
    for (int i = 0; i < GOODPUT_SHARES; i++) {
        struct sample_estimate mean = samples_mean(share[i], RUNS, NULL);
        double half = 1.7 * (mean.range.high - mean.at) + cases[_i].tolerance + 1e-12;
        /* What is under way at the end counts: half a segment of 60 days. */
        double end = (cases[_i].interval_s + input.stall_s) / (DAYS * 86400.0);
        ck_assert_msg(fabs(mean.at - at.share[i]) <= half + end,
                      "%s, %s: %.6f by form, %.6f +- %.6f", cases[_i].why, goodput_share_names[i],
                      at.share[i], mean.at, half);
        all += at.share[i];
    }
    ck_assert_double_eq_tol(all, 1, 1e-12);
}
END_TEST

/* A failure each us, with restarts and checkpoints of minutes: e^(L x) is beyond double, shares are
 * not. */
START_TEST(shares_of_a_job_that_never_gets_anywhere)
{
    struct goodput_input input = plain();
    input.failures_per_s = 1e6;
    input.restart_s = input.write_s = input.stall_s = 600;
    input.repair_s = 3600;
    for (int policy = GOODPUT_REPLACE; policy <= GOODPUT_SHRINK; policy++) {
        input.policy = (enum goodput_policy)policy;
        struct goodput at = goodput_at(&input, goodput_best_interval(&input));
        double all = 0;
        for (int i = 0; i < GOODPUT_SHARES; i++)
            all += at.share[i];
        ck_assert_double_eq_tol(all, 1, 1e-9);
        ck_assert(at.share[SHARE_USEFUL] < 1e-9);
    }
}
END_TEST

START_TEST(a_run_is_its_seed_and_sample)
{
    struct goodput_input input = plain();
    struct goodput a = goodput_run(&input, 1400, 20, 3, 4), b = goodput_run(&input, 1400, 20, 3, 4);
    struct goodput c = goodput_run(&input, 1400, 20, 3, 5);
    ck_assert(a.share[SHARE_USEFUL] == b.share[SHARE_USEFUL]);
    ck_assert(a.share[SHARE_USEFUL] != c.share[SHARE_USEFUL]);
}
END_TEST

static Suite *goodput_suite(void)
{
    Suite *suite = suite_create("goodput");
    TCase *tcase = tcase_create("goodput");
    tcase_add_test(tcase, a_cycle_by_hand);
    tcase_add_test(tcase, intervals_by_hand);
    tcase_add_test(tcase, spares_by_hand);
    tcase_add_test(tcase, limits);
    tcase_add_loop_test(tcase, runs_agree, 0, (int)(sizeof cases / sizeof *cases));
    tcase_add_test(tcase, shares_of_a_job_that_never_gets_anywhere);
    tcase_add_test(tcase, a_run_is_its_seed_and_sample);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(goodput_suite())
