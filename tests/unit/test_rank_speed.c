/*
 * Ranks that are slow, worked by hand in whole runs: 2 or 4 ranks, 1 byte per ns, 100 ns, endpoint
 * delay 10 ns.
 */
#include <math.h>
#include <string.h>

#include "compute/rank_speed.h"
#include "tests/unit/mini.h"

static struct mini *job(uint32_t ranks)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, ranks, 1.0, 100.0);
    mini_algorithm(mini, ALG_RING, 0);
    mini_trace_new(mini);
    mini->config.fold = true;
    return mini;
}

static void run(struct mini *mini)
{
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s: %s", mini->diag.field, mini->diag.message);
}

/* 10 us of work, twice as long from 4 to 8 us: 4 done, then 2, then 4 more: 12 us. */
START_TEST(a_window_is_integrated_over)
{
    struct mini *mini = job(4);
    mini_compute(mini, 0, -1, 10000);
    mini->config.variation.slow_ranks = "rank 2: 2x from 4us to 8us; ranks 3-3,0: 1.5x";
    run(mini);
    ck_assert_uint_eq(mini_finish_ns(mini, 0), 15000);
    ck_assert_uint_eq(mini_finish_ns(mini, 1), 10000);
    ck_assert_uint_eq(mini_finish_ns(mini, 2), 12000);
    ck_assert_uint_eq(mini_finish_ns(mini, 3), 15000);
    ck_assert_str_eq(mini->result.fold_note, "ranks are slow for a time");
    mini_free(mini);
}
END_TEST

/*
 * The all-reduce of 4096 B over 2 ranks is two messages of 2048 B one after the other, each 2148
 * ns. Rank 0 comes at 10,000 ns and rank 1, slow in the window, at 12,000: its first message is the
 * one that both wait for. The run is as much longer as rank 1 is late.
 */
START_TEST(two_ranks_wait_for_the_slow_one)
{
    time_ps end[2];
    for (int slow = 0; slow < 2; slow++) {
        struct mini *mini = job(2);
        int before = (int)mini_compute(mini, 0, -1, 10000);
        mini_collective(mini, 0, before, COLL_ALL_REDUCE, 4096);
        mini->config.variation.slow_ranks = slow ? "rank 1: 2x from 4us to 8us" : NULL;
        run(mini);
        end[slow] = mini->result.end_ps;
        const struct rank_result *rank = result_rank(&mini->result, 0);
        ck_assert_uint_eq(rank->waiting_ps, slow ? 2000000 : 0);
        mini_free(mini);
    }
    ck_assert_uint_ge(end[0], 10000000 + 2 * 2148000);
    ck_assert_uint_le(end[0], 10000000 + 2 * 2148000 + 3 * 10000);
    ck_assert_uint_eq(end[1], end[0] + 2000000);
}
END_TEST

/*
 * Both at once: beside a collective compute takes 1.2 times, under the window twice that. The
 * all-reduce over 4 ranks takes 6814 ns (test_overlap.c). Until 5 us: 5000 / 1.2 = 4166.667 done;
 * until 6814: 1814 / 2.4 = 755.833; until 8 us: 1186 / 2 = 593; left 4484.5 of 10,000: 12,484.5.
 */
START_TEST(slow_beside_a_collective)
{
    struct mini *mini = job(4);
    mini->config.system.overlap_slowdown = 0.2;
    mini_collective(mini, 0, -1, COLL_ALL_REDUCE, 4096);
    mini_compute(mini, 0, -1, 10000);
    mini->config.variation.slow_ranks = "ranks 0-3: 2x from 5us to 8us";
    run(mini);
    ck_assert_uint_eq(mini->result.end_ps, 12484500);
    mini_free(mini);
}
END_TEST

/* Each rank's op takes its own factor, in whole ns as in ASTRA-sim's files, folded or not. */
START_TEST(every_op_of_every_rank_has_its_factor)
{
    struct mini *mini = job(4);
    mini_compute(mini, 0, -1, 10000);
    mini->config.variation =
        (struct variation_config){.seed = 5, .op_ratio = 0.1, .rank_ratio = 0.05};
    run(mini);
    struct jitter of_op, of_rank;
    jitter_init(&of_op, &mini->config.variation, JITTER_OF_OP, 0.1);
    jitter_init(&of_rank, &mini->config.variation, JITTER_OF_RANK, 0.05);
    for (uint32_t r = 0; r < 4; r++) {
        double factor = jitter_factor(&of_rank, r, 0) * jitter_factor(&of_op, r, 0);
        double ns = 10000 * factor;
        ck_assert_double_eq_tol((double)result_rank(&mini->result, r)->finish_ps / 1000, ns, 1);
        ck_assert_double_eq(rank_speed_factor(&mini->config.variation, r),
                            jitter_factor(&of_rank, r, 0));
    }
    ck_assert_str_eq(mini->result.fold_note, "compute jitter makes every rank different");
    mini_free(mini);
}
END_TEST

START_TEST(wrong_lines_are_refused)
{
    static const char *const rows[][2] = {
        {"rank 4: 2x", "there is no rank 4: the job has 4"},
        {"rank x: 2x", "expected the number of a rank, found \"x\""},
        {"rank 1: 2", "expected a factor such as 1.3x, found \"2\""},
        {"rank 1: 0x", "expected a factor such as 1.3x, found \"0x\""},
        {"rank 3-1: 2x", "expected ranks such as 0-7,9, found \"rank 3-1\""},
        {"node 1: 2x", "expected \"rank 17\" or \"ranks 0-7,9\", found \"node 1\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mini *mini = job(4);
        mini_compute(mini, 0, -1, 10000);
        mini->config.variation.slow_ranks = rows[i][0];
        ck_assert_int_eq(mini_run(mini), STATUS_BAD_CONFIG);
        ck_assert_str_eq(mini->diag.message, rows[i][1]);
        mini_free(mini);
    }
}
END_TEST

static Suite *rank_speed_suite(void)
{
    Suite *suite = suite_create("rank_speed");
    TCase *tcase = tcase_create("rank_speed");
    tcase_add_test(tcase, a_window_is_integrated_over);
    tcase_add_test(tcase, two_ranks_wait_for_the_slow_one);
    tcase_add_test(tcase, slow_beside_a_collective);
    tcase_add_test(tcase, every_op_of_every_rank_has_its_factor);
    tcase_add_test(tcase, wrong_lines_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(rank_speed_suite())
