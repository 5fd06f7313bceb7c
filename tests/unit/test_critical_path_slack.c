/*
 * critical_path_slack: by hand; none on the critical path of random jobs; and an op that takes
 * longer by all its slack does not make the run longer.
 *
 * Full mesh of 1 B/ns and 100 ns.
 */
#include "base/mix.h"
#include "tests/unit/mini.h"

#include "stats/critical_path.h"
#include "stats/critical_path_slack.h"

enum { RANDOM_JOBS = 150 };

static struct timeline timeline;
static struct critical_path path;
static time_ps *slack;

static struct mini *job(uint32_t npus)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, npus, 1.0, 100.0);
    mini_algorithm(mini, ALG_RING, 0);
    mini->config.own_form = true;
    for (uint32_t r = 0; r < npus; r++) {
        mini->of_rank[r] = r;
        mini_trace_new(mini);
    }
    return mini;
}

static void find_slack(struct mini *mini)
{
    struct graph graphs[MINI_TRACES];
    struct notices notices;
    notices_init(&notices);
    for (uint32_t t = 0; t < mini->trace_count; t++)
        ck_assert_int_eq(
            graph_build(&graphs[t], mini->traces[t], &mini->config.workload, &notices, &mini->diag),
            STATUS_OK);
    slack = path_slack_find(&timeline, graphs, mini->result.end_ps);
    for (uint32_t t = 0; t < mini->trace_count; t++)
        graph_release(&graphs[t]);
    notices_release(&notices);
}

static void run(struct mini *mini)
{
    static struct workload workload; /* the timeline keeps it */
    workload = (struct workload){mini->config.network.npu_count, mini->of_rank, mini->traces,
                                 mini->trace_count};
    struct group_file groups = {.path = "mini"};
    const struct simulate_also also = {.timeline = &timeline};
    timeline_init(&timeline);
    critical_path_init(&path);
    ck_assert_msg(simulate_also(&mini->config, &workload, &groups, &also, &mini->result,
                                &mini->diag) == STATUS_OK,
                  "%s", mini->diag.message);
    critical_path_find(&path, &timeline, false, mini->result.end_ps);
    find_slack(mini);
}

static void end(struct mini *mini)
{
    free(slack);
    critical_path_release(&path);
    timeline_release(&timeline);
    mini_free(mini);
}

static time_ps slack_ns(uint32_t rank, uint32_t node)
{
    time_ps found = slack[timeline.first[rank] + node];
    ck_assert_uint_eq(found % PS_PER_NS, 0);
    return found / PS_PER_NS;
}

/* Rank 1 comes last, at 5000: the others may too. The path ends on rank 3 (test_critical_path.c) at
 * 11824; rank 0 ends at 9826. */
START_TEST(members_may_come_as_late_as_the_last)
{
    struct mini *mini = job(4);
    for (uint32_t r = 0; r < 4; r++) {
        int work = (int)mini_compute(mini, r, -1, r == 1 ? 5000 : 3000 + r);
        int sum = (int)mini_collective(mini, r, work, COLL_ALL_REDUCE, 4096);
        mini_compute(mini, r, sum, 10);
    }
    run(mini);
    ck_assert_uint_eq(slack_ns(0, 0), 2000);
    ck_assert_uint_eq(slack_ns(1, 0), 0);
    ck_assert_uint_eq(slack_ns(2, 0), 1998);
    ck_assert_uint_eq(slack_ns(3, 0), 1997);
    ck_assert_uint_eq(slack_ns(0, 2), 11824 - 9826);
    ck_assert_uint_eq(slack_ns(0, 1), 11824 - 9826);
    ck_assert_uint_eq(slack_ns(3, 2), 0);
    struct arena arena;
    struct slack_row *rows;
    arena_init(&arena);
    ck_assert_uint_eq(path_slack_rows(&timeline, slack, &arena, &rows), 2);
    ck_assert_str_eq(rows[0].name, "compute");
    ck_assert_uint_eq(rows[0].ops, 8);
    ck_assert_uint_eq(rows[0].critical, 2);
    ck_assert_uint_eq(rows[0].most_ps, 2000 * PS_PER_NS);
    ck_assert_str_eq(rows[1].name, "all-reduce");
    arena_release(&arena);
    end(mini);
}
END_TEST

/* The message is there at 600 and received at 2000: it may leave 1400 later. Rank 1's 2000 + 300
 * are the path. */
START_TEST(a_send_may_be_as_late_as_its_receive)
{
    struct mini *mini = job(2);
    mini_message(mini, 0, -1, OP_SEND, 1, 7, 500);
    int work = (int)mini_compute(mini, 1, -1, 2000);
    int receive = (int)mini_message(mini, 1, work, OP_RECV, 0, 7, 500);
    mini_compute(mini, 1, receive, 300);
    run(mini);
    ck_assert_uint_eq(slack_ns(0, 0), 1400);
    ck_assert_uint_eq(slack_ns(1, 0), 0);
    ck_assert_uint_eq(slack_ns(1, 1), 0);
    ck_assert_uint_eq(slack_ns(1, 2), 0);
    end(mini);
}
END_TEST

/* The second compute of rank 0 has 1000 to spare, and so has the first, whose slot it needs. */
START_TEST(an_op_holds_up_the_next_on_its_lane)
{
    struct mini *mini = job(2);
    mini_compute(mini, 0, -1, 500);
    mini_compute(mini, 0, -1, 500);
    mini_compute(mini, 1, -1, 2000);
    run(mini);
    ck_assert_uint_eq(slack_ns(0, 0), 1000);
    ck_assert_uint_eq(slack_ns(0, 1), 1000);
    ck_assert_uint_eq(slack_ns(1, 0), 0);
    end(mini);
}
END_TEST

/* -- random jobs ------------------------------------------------------------------------------ */

/* Chains: each op of a rank after the one before, so that the order of ops cannot change. The
 * `longer`th compute op takes `more_ns` more. */
static struct mini *random_chains(uint64_t seed, bool meet, uint32_t longer, uint64_t more_ns)
{
    uint32_t ranks = 2 + random_below(&seed, 4), computes = 0;
    struct mini *mini = job(ranks);
    int last[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    for (uint32_t e = 3 + random_below(&seed, 15); e > 0; e--) {
        uint32_t r = random_below(&seed, ranks), what = random_below(&seed, 4);
        if (what == 0 && meet) {
            for (uint32_t k = 0; k < ranks; k++)
                last[k] = (int)mini_collective(mini, k, last[k], COLL_ALL_REDUCE, 4096);
        } else if (what == 1) {
            uint32_t to = (r + 1 + random_below(&seed, ranks - 1)) % ranks;
            last[r] = (int)mini_message(mini, r, last[r], OP_SEND, to, e, 700);
            last[to] = (int)mini_message(mini, to, last[to], OP_RECV, r, e, 700);
        } else {
            uint64_t ns = 1 + random_below(&seed, 6000);
            last[r] = (int)mini_compute(mini, r, last[r], ns + (computes++ == longer) * more_ns);
        }
    }
    for (uint32_t r = 0; r < ranks; r++) /* each has something to do */
        mini_compute(mini, r, last[r], 10);
    return mini;
}

START_TEST(the_path_has_none)
{
    for (uint64_t i = 0; i < RANDOM_JOBS; i++) {
        struct mini *mini = random_chains(i, true, UINT32_MAX, 0);
        run(mini);
        for (uint32_t p = 0; p < path.count; p++)
            ck_assert_uint_eq(slack[path.piece[p].op], 0);
        end(mini);
    }
}
END_TEST

/* The op number of the `longer`th compute, in the order of random_chains(): found by what it
 * took. */
static uint32_t find_op(const struct mini *mini, const struct mini *other)
{
    for (uint32_t t = 0; t < mini->trace_count; t++)
        for (uint32_t i = 0; i < mini->traces[t]->count; i++)
            if (mini->traces[t]->node[i].duration_ns != other->traces[t]->node[i].duration_ns)
                return timeline.first[t] + i;
    return TIMELINE_NONE;
}

/* Without collectives it is exact: a ns more than the slack, and the run takes a ns more. */
START_TEST(an_op_that_uses_its_slack_makes_the_run_no_longer)
{
    uint32_t tried = 0;
    for (uint64_t i = 0; i < RANDOM_JOBS; i++) {
        struct mini *mini = random_chains(i, false, UINT32_MAX, 0);
        uint32_t longer = (uint32_t)(i % 3);
        struct mini *marked = random_chains(i, false, longer, 1);
        run(mini);
        uint32_t op = find_op(mini, marked);
        mini_free(marked);
        time_ps before = mini->result.end_ps, spare = op == TIMELINE_NONE ? 0 : slack[op];
        end(mini);
        if (!spare)
            continue;
        mini = random_chains(i, false, longer, spare / PS_PER_NS);
        run(mini);
        ck_assert_msg(mini->result.end_ps == before, "job %d", (int)i);
        end(mini);
        mini = random_chains(i, false, longer, spare / PS_PER_NS + 1);
        run(mini);
        ck_assert_msg(mini->result.end_ps == before + PS_PER_NS, "job %d", (int)i);
        end(mini);
        tried++;
    }
    ck_assert_uint_gt(tried, RANDOM_JOBS / 5);
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("critical_path_slack");
    TCase *tests = tcase_create("critical_path_slack");
    tcase_add_test(tests, members_may_come_as_late_as_the_last);
    tcase_add_test(tests, a_send_may_be_as_late_as_its_receive);
    tcase_add_test(tests, an_op_holds_up_the_next_on_its_lane);
    tcase_add_test(tests, the_path_has_none);
    tcase_add_test(tests, an_op_that_uses_its_slack_makes_the_run_no_longer);
    suite_add_tcase(all, tests);
    return all;
}

RUN_SUITE(suite())
