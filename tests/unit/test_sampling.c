/*
 * Samples of a job of two ranks: each computes 10 us, then both are done. So a sample is the longer
 * of two factors, whose distribution is known.
 */
#include <math.h>
#include <string.h>

#include "model/jitter.h"
#include "run/sampling_figures.h"
#include "tests/unit/mini.h"

static struct mini *job(double op_ratio)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, 2, 1.0, 100.0);
    mini_algorithm(mini, ALG_RING, 0);
    mini_trace_new(mini);
    mini_compute(mini, 0, -1, 10000);
    mini->config.system.whole_ns = false;
    mini->config.variation = (struct variation_config){.seed = 5, .op_ratio = op_ratio};
    return mini;
}

static const struct group_file no_groups = {.path = "mini"};

static struct workload load_of(struct mini *mini)
{
    return (struct workload){2, mini->of_rank, mini->traces, mini->trace_count};
}

static enum status sample(struct mini *mini, uint32_t most, double until, uint32_t workers,
                          struct sampling *sampling)
{
    const struct sampling_options options = {.most = most, .until = until, .workers = workers};
    const struct workload workload = load_of(mini);
    return sampling_run(sampling, &mini->config, &workload, &no_groups, &options, &mini->diag);
}

/* The k-th sample, by hand. */
static double longest(const struct mini *mini, uint32_t k)
{
    struct variation_config variation = mini->config.variation;
    struct jitter jitter;
    variation.sample += k;
    jitter_init(&jitter, &variation, JITTER_OF_OP, variation.op_ratio);
    return 1e7 * fmax(jitter_factor(&jitter, 0, 0), jitter_factor(&jitter, 1, 0));
}

START_TEST(samples_are_what_their_numbers_say)
{
    double kept[2][50];
    for (uint32_t workers = 1; workers <= 2; workers++) {
        struct mini *mini = job(0.1);
        struct sampling sampling;
        ck_assert_msg(sample(mini, 50, 0, workers, &sampling) == STATUS_OK, "%s",
                      mini->diag.message);
        ck_assert_uint_eq(sampling.count, 50);
        ck_assert(!sampling.is_converged);
        ck_assert_uint_eq(sampling.plain_ps, 10000000);
        ck_assert_uint_eq(sampling.steady_ps, 10000000);
        for (uint32_t k = 0; k < 50; k++)
            ck_assert_double_eq_tol(sampling.time_ps[k], longest(mini, k), 1);
        memcpy(kept[workers - 1], sampling.time_ps, sizeof kept[0]);
        sampling_release(&sampling);
        mini_free(mini);
    }
    ck_assert_mem_eq(kept[0], kept[1], sizeof kept[0]);
}
END_TEST

/* The mean of the larger of two with deviation c is 1 + c / sqrt(pi) if they are normal: 5.64 % at
 * 10 %; lognormal ones of 10 % are nearly so. The slowest rank over the mean of both is as much. */
START_TEST(the_larger_of_two)
{
    struct mini *mini = job(0.1);
    struct sampling sampling;
    ck_assert_int_eq(sample(mini, 4000, 0, 0, &sampling), STATUS_OK);
    struct sampling_figures figures = sampling_figures(&sampling);
    ck_assert_double_eq_tol(figures.mean.at / 1e7, 1 + 0.1 / sqrt(3.14159265), 0.003);
    ck_assert_double_eq_tol(figures.compute_most, 1 + 0.1 / sqrt(3.14159265), 0.003);
    ck_assert_double_eq_tol(figures.compute_spread, 0.1, 0.003);
    ck_assert_double_lt(figures.quantile[AT_P05].at, figures.quantile[AT_MEDIAN].at);
    ck_assert_double_lt(figures.quantile[AT_P95].at, figures.quantile[AT_P99].at);
    ck_assert_double_le(figures.quantile[AT_P99].at, figures.most_ps);
    sampling_release(&sampling);
    mini_free(mini);
}
END_TEST

/* 20, 25, 31, .. samples until both intervals are narrow; a wider bar needs fewer. */
START_TEST(sampling_stops_when_it_knows_enough)
{
    uint32_t counts[2];
    for (int i = 0; i < 2; i++) {
        struct mini *mini = job(0.1);
        struct sampling sampling;
        ck_assert_int_eq(sample(mini, 100000, i ? 0.05 : 0.1, 0, &sampling), STATUS_OK);
        struct sampling_figures figures = sampling_figures(&sampling);
        ck_assert(sampling.is_converged);
        ck_assert_double_le(samples_width(&figures.quantile[AT_MEDIAN]), i ? 0.05 : 0.1);
        ck_assert_double_le(samples_width(&figures.quantile[AT_P95]), i ? 0.05 : 0.1);
        counts[i] = sampling.count;
        sampling_release(&sampling);
        mini_free(mini);
    }
    ck_assert_uint_ge(counts[0], 72); /* p95 has no upper end before */
    ck_assert_uint_lt(counts[0], counts[1]);
}
END_TEST

START_TEST(what_is_slow_for_a_time_is_one_sample)
{
    struct mini *mini = job(0);
    struct sampling sampling;
    mini->config.variation.slow_ranks = "rank 1: 1.5x";
    ck_assert_int_eq(sample(mini, 100, 0.01, 0, &sampling), STATUS_OK);
    ck_assert_uint_eq(sampling.count, 1);
    ck_assert(sampling.is_converged);
    ck_assert_uint_eq(sampling.plain_ps, 10000000);
    ck_assert_uint_eq(sampling.steady_ps, 15000000);
    sampling_release(&sampling);
    mini_free(mini);
}
END_TEST

START_TEST(a_run_that_cannot_be_ends_it)
{
    struct mini *mini = job(0.1);
    struct sampling sampling;
    mini->config.variation.slow_ranks = "rank 9: 1.5x";
    ck_assert_int_eq(sample(mini, 100, 0.01, 0, &sampling), STATUS_BAD_CONFIG);
    ck_assert_str_eq(mini->diag.message, "there is no rank 9: the job has 2");
    sampling_release(&sampling);
    mini_free(mini);
}
END_TEST

/* Two sources, each alone: as a job that has it alone. */
START_TEST(sources_alone)
{
    struct mini *mini = job(0.1);
    struct sampling sampling, alone;
    struct sampling_source source[MOST_SOURCES];
    uint32_t count;
    const struct sampling_options options = {.most = 40};
    mini->config.variation.rank_ratio = 0.05;
    ck_assert_int_eq(sample(mini, 40, 0, 0, &sampling), STATUS_OK);
    const struct workload workload = load_of(mini);
    ck_assert_int_eq(sampling_sources(&sampling, &mini->config, &workload, &no_groups, &options,
                                      source, &count, &mini->diag),
                     STATUS_OK);
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(source[0].what, "ops 10 %");
    ck_assert_str_eq(source[1].what, "ranks 5 %");
    mini->config.variation.rank_ratio = 0;
    ck_assert_int_eq(sample(mini, 40, 0, 0, &alone), STATUS_OK);
    ck_assert_double_eq(samples_mean(alone.time_ps, 40, NULL).at, source[0].mean.at);
    sampling_release(&alone);
    sampling_release(&sampling);
    mini_free(mini);
}
END_TEST

static Suite *sampling_suite(void)
{
    Suite *suite = suite_create("sampling");
    TCase *tcase = tcase_create("sampling");
    tcase_set_timeout(tcase, 30);
    tcase_add_test(tcase, samples_are_what_their_numbers_say);
    tcase_add_test(tcase, the_larger_of_two);
    tcase_add_test(tcase, sampling_stops_when_it_knows_enough);
    tcase_add_test(tcase, what_is_slow_for_a_time_is_one_sample);
    tcase_add_test(tcase, a_run_that_cannot_be_ends_it);
    tcase_add_test(tcase, sources_alone);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(sampling_suite())
