/*
 * Compute that is slowed down by collectives of its rank. The all-reduce takes 6814 ns
 * (test_simulate.c); slowdown 0.2.
 */
#include "tests/unit/mini.h"

static struct mini *job(double slowdown)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, 4, 1.0, 100.0);
    mini_algorithm(mini, ALG_RING, 0);
    mini_trace_new(mini);
    mini->config.system.overlap_slowdown = slowdown;
    return mini;
}

static time_ps finish_ps(struct mini *mini)
{
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s", mini->diag.message);
    time_ps finish = result_rank(&mini->result, 0)->finish_ps;
    mini_free(mini);
    return finish;
}

/* 10000 ns of work: 6814 / 1.2 = 5678.333 done beside the collective, 4321.667 after it. */
START_TEST(compute_advances_slower_while_a_collective_runs)
{
    struct mini *mini = job(0.2);
    mini_collective(mini, 0, -1, COLL_ALL_REDUCE, 4096);
    mini_compute(mini, 0, -1, 10000);
    ck_assert_uint_eq(finish_ps(mini), 11135667);
    mini = job(0);
    mini_collective(mini, 0, -1, COLL_ALL_REDUCE, 4096);
    mini_compute(mini, 0, -1, 10000);
    ck_assert_uint_eq(finish_ps(mini), 10000000);
}
END_TEST

/* The collective comes after 2000 ns of the compute: 2000 + 6814, then what is left of 10000. */
START_TEST(compute_that_runs_is_slowed_when_a_collective_begins)
{
    struct mini *mini = job(0.2);
    mini_compute(mini, 0, -1, 10000);
    int host = (int)mini_host(mini, 0, -1, 2000);
    mini_collective(mini, 0, host, COLL_ALL_REDUCE, 4096);
    ck_assert_uint_eq(finish_ps(mini), 8814000 + 2321667);
}
END_TEST

/* Chains of short ops: 6 of 1000 ns beside the collective take 1200 each. */
START_TEST(ops_that_begin_and_end_beside_a_collective_are_slow_as_a_whole)
{
    struct mini *mini = job(0.2);
    mini_collective(mini, 0, -1, COLL_ALL_REDUCE, 409600);
    int last = -1;
    for (int i = 0; i < 6; i++)
        last = (int)mini_compute(mini, 0, last, 1000);
    mini_host(mini, 0, last, 1);
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s", mini->diag.message);
    const struct rank_result *rank = result_rank(&mini->result, 0);
    ck_assert_uint_eq(rank->compute_ps, 7200000);
    ck_assert_uint_eq(rank->compute_sum_ps, 6000000);
    mini_free(mini);
}
END_TEST

static Suite *overlap_suite(void)
{
    Suite *suite = suite_create("overlap");
    TCase *tcase = tcase_create("overlap");
    tcase_add_test(tcase, compute_advances_slower_while_a_collective_runs);
    tcase_add_test(tcase, compute_that_runs_is_slowed_when_a_collective_begins);
    tcase_add_test(tcase, ops_that_begin_and_end_beside_a_collective_are_slow_as_a_whole);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(overlap_suite())
