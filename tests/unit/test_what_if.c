/* what_if: what is read, and runs with something free against times worked out by hand. */
#include <string.h>

#include "run/what_if.h"
#include "tests/unit/mini.h"

static struct what_if read_well(const char *text)
{
    struct what_if what_if;
    struct diag diag = DIAG_NONE;
    ck_assert_msg(what_if_parse(&what_if, text, &diag) == STATUS_OK, "%s", diag.message);
    return what_if;
}

START_TEST(words_are_read)
{
    ck_assert_uint_eq(read_well("rank:17").rank[0], 17);
    ck_assert(read_well("compute").compute);
    ck_assert(read_well("launches").launches);
    ck_assert(read_well("messages").messages);
    ck_assert(read_well("contention").contention);
    ck_assert(read_well("memory").memory);
    ck_assert(read_well("stragglers").stragglers);
    ck_assert(read_well("group:tp").match[0].is_group);
    ck_assert(read_well("collective:moe.dispatch").match[0].is_collective);
    ck_assert_str_eq(read_well("op:mlp.up").match[0].text, "mlp.up");
    ck_assert_str_eq(read_well("link:spine").changes, "spine:bw*10000,lat=0ns");
    ck_assert_uint_eq(read_well("collective:all-to-all").collectives, 1u << COLL_ALL_TO_ALL);
    ck_assert_str_eq(read_well("link:leaf0--spine1").changes, "leaf0--spine1:bw*10000,lat=0ns");
    static const char *const wrong[] = {
        "",      "rank:",       "rank:x", "rank:-1", "collective:all-two-all",
        "link:", "link:a:bw*2", "group:", "op:",     "peace"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct what_if what_if;
        struct diag diag = DIAG_NONE;
        ck_assert_int_eq(what_if_parse(&what_if, wrong[i], &diag), STATUS_USAGE);
        ck_assert_str_ne(diag.message, "");
    }
}
END_TEST

/* Rank 2 computes 9000, the others 5000; then an all-reduce of 6814 (test_simulate.c); then the
 * message of 100 + 2000 from 0 to 1, and 400 of compute. */
static struct mini *job(void)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, 4, 1.0, 100.0);
    mini_algorithm(mini, ALG_RING, 0);
    mini->config.own_form = true;
    for (uint32_t r = 0; r < 4; r++) {
        mini->of_rank[r] = r;
        mini_trace_new(mini);
        int last = (int)mini_compute(mini, r, -1, r == 2 ? 9000 : 5000);
        last = (int)mini_collective(mini, r, last, COLL_ALL_REDUCE, 4096);
        last = (int)mini_collective(mini, r, last, COLL_ALL_REDUCE, 4096);
        if (r == 0)
            mini_message(mini, r, last, OP_SEND, 1, 1, 2000);
        if (r == 1) {
            last = (int)mini_message(mini, r, last, OP_RECV, 0, 1, 2000);
            mini_compute(mini, r, last, 400);
        }
    }
    return mini;
}

static time_ps end_without(const char *text)
{
    struct mini *mini = job();
    struct workload workload = {4, mini->of_rank, mini->traces, mini->trace_count};
    struct group_file groups = {.path = "mini"};
    struct what_if what_if = read_well(text);
    struct run_result before;
    result_init(&before);
    ck_assert_int_eq(simulate(&mini->config, &workload, &groups, NULL, &before, &mini->diag),
                     STATUS_OK);
    ck_assert_int_eq(what_if_check(&what_if, &mini->config, &workload, &mini->diag), STATUS_OK);
    const struct what_if_job as_it_is = {&mini->config, &workload, &groups, &before};
    const struct simulate_also also = {.watch = NULL};
    ck_assert_msg(what_if_run(&what_if, &as_it_is, &also, &mini->result, &mini->diag) == STATUS_OK,
                  "%s", mini->diag.message);
    result_release(&before);
    ck_assert_uint_eq(workload.trace_of_rank[2], 2); /* the job itself is as it was */
    time_ps end = mini->result.end_ps;
    mini_free(mini);
    return end;
}

START_TEST(what_is_free_takes_no_time)
{
    /* all collectives: 9000, then the message */
    ck_assert_uint_eq(end_without("collective:all-reduce"), (9000 + 2100 + 400) * PS_PER_NS);
    ck_assert_uint_eq(end_without("network"), (9000 + 400) * PS_PER_NS);
    /* nothing computes: both collectives from time 0 on, one after the other on every rank */
    ck_assert_uint_eq(end_without("compute"), (2 * 6814 + 2100) * PS_PER_NS);
    ck_assert_uint_eq(end_without("collective:all-to-all"), end_without("launches"));
    ck_assert_uint_lt(end_without("messages"), end_without("launches"));
    /* without rank 2's compute the others' 5000 are first; it is there before them */
    ck_assert_uint_lt(end_without("rank:2"), end_without("rank:1"));
    ck_assert_uint_eq(end_without("op:mini"), 0); /* the name of all */
    ck_assert_uint_eq(end_without("memory"), end_without("launches"));
    /* the median computes 5000: rank 2 less, and rank 1, which has 5400, 5000 / 5400 of it */
    ck_assert_uint_eq(end_without("stragglers"), (5000 + 2 * 6814 + 2100) * PS_PER_NS + 370370);
    ck_assert_uint_ge(end_without("rank:2"), (5000 + 2 * 6814 - 1134 * 2 + 2100) * PS_PER_NS);
}
END_TEST

/* A free rank and a free network at once, as the last line of the table has it. */
START_TEST(several_are_free_together)
{
    struct what_if all = {.rank_count = 0}, one = read_well("rank:2");
    ck_assert(what_if_add(&all, &one));
    one = read_well("network");
    ck_assert(what_if_add(&all, &one));
    ck_assert_str_eq(all.name, "rank:2, network");
    struct mini *mini = job();
    struct workload workload = {4, mini->of_rank, mini->traces, mini->trace_count};
    struct group_file groups = {.path = "mini"};
    const struct what_if_job as_it_is = {&mini->config, &workload, &groups, NULL};
    const struct simulate_also also = {.watch = NULL};
    ck_assert_int_eq(what_if_run(&all, &as_it_is, &also, &mini->result, &mini->diag), STATUS_OK);
    ck_assert_uint_eq(mini->result.end_ps, (5000 + 400) * PS_PER_NS);
    mini_free(mini);
}
END_TEST

START_TEST(what_cannot_be_is_refused)
{
    struct mini *mini = job();
    static const char *const wrong[] = {"rank:4", "contention", "link:a--b", "group:tp", "op:none"};
    struct workload workload = {4, mini->of_rank, mini->traces, mini->trace_count};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct what_if what_if = read_well(wrong[i]);
        struct diag diag = DIAG_NONE;
        ck_assert_int_eq(what_if_check(&what_if, &mini->config, &workload, &diag), STATUS_USAGE);
    }
    struct what_if what_if = read_well("contention");
    mini->config.network.backend = NET_FLOW;
    ck_assert_str_eq(what_if_backend(&what_if, &mini->config), "analytical");
    mini->config.network.backend = NET_CONGESTION_AWARE;
    ck_assert_str_eq(what_if_backend(&what_if, &mini->config), "congestion-unaware");
    mini_free(mini);
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("what_if");
    TCase *tests = tcase_create("what_if");
    tcase_add_test(tests, words_are_read);
    tcase_add_test(tests, what_is_free_takes_no_time);
    tcase_add_test(tests, several_are_free_together);
    tcase_add_test(tests, what_cannot_be_is_refused);
    suite_add_tcase(all, tests);
    return all;
}

RUN_SUITE(suite())
