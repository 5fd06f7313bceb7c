/*
 * critical_path: small jobs worked out by hand, and the law of exact sums on random ones.
 *
 * All on a full mesh of 1 B/ns and 100 ns: a message of m bytes takes 100 + m ns.
 */
#include "base/mix.h"
#include "tests/unit/mini.h"

#include "stats/critical_path.h"

enum { RANDOM_JOBS = 400 };

static struct timeline timeline;
static struct critical_path path;

static struct mini *job(uint32_t npus)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, npus, 1.0, 100.0);
    mini_algorithm(mini, ALG_RING, 0);
    for (uint32_t r = 0; r < npus; r++)
        mini->of_rank[r] = r;
    return mini;
}

static enum status run(struct mini *mini)
{
    struct workload workload = {mini->config.network.npu_count, mini->of_rank, mini->traces,
                                mini->trace_count};
    struct group_file groups = {.entry = mini->group, .count = mini->group_count, .path = "mini"};
    const struct simulate_also also = {.timeline = &timeline};
    timeline_init(&timeline);
    critical_path_init(&path);
    enum status status =
        simulate_also(&mini->config, &workload, &groups, &also, &mini->result, &mini->diag);
    if (status == STATUS_OK)
        critical_path_find(&path, &timeline, mini->config.system.rendezvous, mini->result.end_ps);
    return status;
}

static void run_well(struct mini *mini)
{
    ck_assert_msg(run(mini) == STATUS_OK, "%s", mini->diag.message);
    ck_assert_msg(critical_path_check(&path, &mini->diag) == STATUS_OK, "%s", mini->diag.message);
}

static void end(struct mini *mini)
{
    critical_path_release(&path);
    timeline_release(&timeline);
    mini_free(mini);
}

/* Piece i is of that kind, on that rank's node, and ends at that time. */
static void expect(uint32_t i, enum path_step_kind kind, uint32_t rank, uint32_t node,
                   time_ps to_ns)
{
    ck_assert_uint_lt(i, path.count);
    ck_assert_int_eq(path.piece[i].kind, kind);
    ck_assert_uint_eq(path.piece[i].seat, rank);
    ck_assert_uint_eq(path.piece[i].op, timeline.first[rank] + node);
    ck_assert_uint_eq(path.piece[i].to, to_ns * PS_PER_NS);
}

/* Rank 1 comes last, at 5000; the six steps of the ring take 6814 (test_simulate.c) from then on
 * and end on rank 3, (1 + 6) mod 4; the others are through before. */
START_TEST(a_collective_is_entered_by_who_came_last)
{
    struct mini *mini = job(4);
    for (uint32_t r = 0; r < 4; r++) {
        mini_trace_new(mini);
        int work = (int)mini_compute(mini, r, -1, r == 1 ? 5000 : 3000 + r);
        int sum = (int)mini_collective(mini, r, work, COLL_ALL_REDUCE, 4096);
        mini_compute(mini, r, sum, 10);
    }
    run_well(mini);
    ck_assert_uint_eq(path.count, 3);
    expect(0, PATH_OP, 1, 0, 5000);
    expect(1, PATH_NETWORK, 3, 1, 11814);
    expect(2, PATH_OP, 3, 2, 11824);
    end(mini);
}
END_TEST

/* The message leaves at 1000 and takes 600: 1600. Rank 1 was there at 200. */
START_TEST(a_receive_leads_to_its_send)
{
    struct mini *mini = job(2);
    mini_trace_new(mini);
    int work = (int)mini_compute(mini, 0, -1, 1000);
    mini_message(mini, 0, work, OP_SEND, 1, 7, 500);
    mini_trace_new(mini);
    work = (int)mini_compute(mini, 1, -1, 200);
    int receive = (int)mini_message(mini, 1, work, OP_RECV, 0, 7, 500);
    mini_compute(mini, 1, receive, 300);
    run_well(mini);
    ck_assert_uint_eq(path.count, 3);
    expect(0, PATH_OP, 0, 0, 1000);
    expect(1, PATH_NETWORK, 1, 1, 1600);
    expect(2, PATH_OP, 1, 2, 1900);
    end(mini);
}
END_TEST

/* The message is there at 600, before the receive is posted at 2000: the path stays on rank 1. */
START_TEST(a_message_that_was_early_is_not_on_the_path)
{
    struct mini *mini = job(2);
    mini_trace_new(mini);
    mini_message(mini, 0, -1, OP_SEND, 1, 7, 500);
    mini_trace_new(mini);
    int work = (int)mini_compute(mini, 1, -1, 2000);
    int receive = (int)mini_message(mini, 1, work, OP_RECV, 0, 7, 500);
    mini_compute(mini, 1, receive, 300);
    run_well(mini);
    ck_assert_uint_eq(path.count, 2);
    expect(0, PATH_OP, 1, 0, 2000);
    expect(1, PATH_OP, 1, 2, 2300);
    end(mini);
}
END_TEST

/* Node 1 needs nothing but the slot of node 0. */
START_TEST(an_op_may_wait_for_the_slot_of_another)
{
    struct mini *mini = job(2);
    mini_trace_new(mini);
    mini_compute(mini, 0, -1, 100);
    mini_compute(mini, 0, -1, 50);
    mini->of_rank[1] = 0;
    run_well(mini);
    ck_assert_uint_eq(path.count, 2);
    expect(0, PATH_OP, 0, 0, 100);
    expect(1, PATH_OP, 0, 1, 150);
    ck_assert_uint_eq(timeline.op[1].gate, GATE_LANE);
    end(mini);
}
END_TEST

/* Launches of 1000 ns each: the third op, of 10 ns, cannot begin before 3000. */
START_TEST(a_host_that_launches_slowly_is_the_path)
{
    struct mini *mini = job(2);
    mini->config.system.launch_overhead_ns = 1000;
    mini_trace_new(mini);
    int last = -1;
    for (int i = 0; i < 3; i++)
        last = (int)mini_compute(mini, 0, last, 10);
    mini->of_rank[1] = 0;
    run_well(mini);
    ck_assert_uint_eq(path.count, 2);
    expect(0, PATH_LAUNCH, 0, 2, 3000);
    expect(1, PATH_OP, 0, 2, 3010);
    end(mini);
}
END_TEST

/* -- random jobs ------------------------------------------------------------------------------ */

static int any_before(uint64_t *state, uint32_t count)
{
    return count ? (int)random_below(state, count + 1) - 1 : -1;
}

static void add_message(struct mini *mini, uint32_t ranks, uint64_t *state)
{
    uint32_t from = random_below(state, ranks);
    uint32_t to = (from + 1 + random_below(state, ranks - 1)) % ranks;
    uint32_t tag = random_below(state, 3);
    uint64_t bytes = 1 + random_below(state, 4000);
    mini_message(mini, from, any_before(state, mini->trace[from].trace.count), OP_SEND, to, tag,
                 bytes);
    mini_message(mini, to, any_before(state, mini->trace[to].trace.count), OP_RECV, from, tag,
                 bytes);
}

static struct mini *random_job(uint64_t *state)
{
    uint32_t ranks = 2 + random_below(state, 4);
    struct mini *mini = job(ranks);
    struct system_config *system = &mini->config.system;
    mini->config.own_form = random_below(state, 2);
    system->rendezvous = random_below(state, 4) == 0;
    system->overlap_slowdown = random_below(state, 2) ? 0.25 : 0;
    system->launch_overhead_ns = random_below(state, 3) ? 0 : random_below(state, 900);
    system->compute_slots = 1 + random_below(state, 2);
    int last[8];
    for (uint32_t r = 0; r < ranks; r++) {
        mini_trace_new(mini);
        last[r] = -1;
    }
    for (uint32_t e = 2 + random_below(state, 20); e > 0; e--) {
        uint32_t r = random_below(state, ranks), what = random_below(state, 6);
        struct trace *trace = &mini->trace[r].trace;
        if (what == 0)
            for (uint32_t k = 0; k < ranks; k++)
                last[k] = (int)mini_collective(mini, k, last[k], COLL_ALL_REDUCE, 4096);
        else if (what == 1)
            add_message(mini, ranks, state);
        else if (what == 2)
            mini_host(mini, r, any_before(state, trace->count), random_below(state, 5000));
        else
            mini_compute(mini, r, any_before(state, trace->count), random_below(state, 5000));
        if (what == 3 && last[r] >= 0 && trace->count - 1 > (uint32_t)last[r])
            mini_also_after(mini, r, (uint32_t)last[r]);
    }
    return mini;
}

/* Few are stuck (rendezvous holds a slot); of the others every instant has one piece. */
START_TEST(every_instant_is_attributed_once)
{
    uint64_t state = 20261130;
    uint32_t finished = 0;
    for (int i = 0; i < RANDOM_JOBS; i++) {
        struct mini *mini = random_job(&state);
        enum status status = run(mini);
        ck_assert_msg(status == STATUS_OK || status == STATUS_STUCK || status == STATUS_EMPTY ||
                          status == STATUS_MISMATCH,
                      "job %d: %s", i, mini->diag.message);
        if (status == STATUS_OK)
            ck_assert_msg(critical_path_check(&path, &mini->diag) == STATUS_OK, "job %d: %s", i,
                          mini->diag.message);
        finished += status == STATUS_OK;
        end(mini);
    }
    ck_assert_uint_gt(finished, RANDOM_JOBS / 2);
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("critical_path");
    TCase *tests = tcase_create("critical_path");
    tcase_add_test(tests, a_collective_is_entered_by_who_came_last);
    tcase_add_test(tests, a_receive_leads_to_its_send);
    tcase_add_test(tests, a_message_that_was_early_is_not_on_the_path);
    tcase_add_test(tests, an_op_may_wait_for_the_slot_of_another);
    tcase_add_test(tests, a_host_that_launches_slowly_is_the_path);
    tcase_add_test(tests, every_instant_is_attributed_once);
    suite_add_tcase(all, tests);
    return all;
}

RUN_SUITE(suite())
