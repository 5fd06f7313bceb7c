/*
 * critical_path_blame and critical_path_split: parts by hand, exact sums, and what a part is worth
 * against real runs with the parameter changed (finite differences).
 *
 * Full mesh of 4 at 1 B/ns and 100 ns, times to the ps; a ring all-reduce of 4096 B is 6 steps of
 * 100 + 1024 ns (and small hand-overs): 600 ns of latency, 6144 ns of bandwidth.
 */
#include <math.h>

#include "base/mix.h"
#include "net/topology/resolve.h"
#include "tests/unit/mini.h"

enum { STEPS = 3, RANDOM_JOBS = 200 };

/* What the finite differences vary. */
struct job {
    double bandwidth_B_per_ns, latency_ns, launch_ns, step_ns, slowdown, compute_factor;
    bool sends;
};

static const struct job usual = {1.0, 100.0, 0, 0, 0, 1.0, false};

static struct path_blame blame;

/* Each step: compute, of rank 2 longest; an all-reduce; or a message round the ring. */
static struct mini *make(const struct job *job)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, 4, job->bandwidth_B_per_ns, job->latency_ns);
    mini_algorithm(mini, ALG_RING, 0);
    mini->config.network.whole_ns = mini->config.system.whole_ns = false;
    mini->config.system.launch_overhead_ns = job->launch_ns;
    mini->config.system.step_overhead_ns = job->step_ns;
    mini->config.system.overlap_slowdown = job->slowdown;
    mini->config.own_form = true;
    mini->config.system.comm_slots = 4;
    for (uint32_t r = 0; r < 4; r++) {
        mini->of_rank[r] = r;
        mini_trace_new(mini);
        int last = -1;
        for (int step = 0; step < STEPS; step++) {
            double ns = (r == 2 ? 9000 : 5000) * job->compute_factor;
            last = (int)mini_compute(mini, r, last, (uint64_t)ns);
            if (!job->sends) {
                last = (int)mini_collective(mini, r, last, COLL_ALL_REDUCE, 4096);
                continue;
            }
            mini_message(mini, r, last, OP_SEND, (r + 1) % 4, 1, 2000);
            last = (int)mini_message(mini, r, last, OP_RECV, (r + 3) % 4, 1, 2000);
        }
    }
    return mini;
}

static enum status run(struct mini *mini)
{
    struct workload workload = {mini->config.network.npu_count, mini->of_rank, mini->traces,
                                mini->trace_count};
    struct group_file groups = {.entry = mini->group, .count = mini->group_count, .path = "mini"};
    struct timeline timeline;
    timeline_init(&timeline);
    path_blame_init(&blame);
    const struct simulate_also also = {.timeline = &timeline, .blame = &blame};
    enum status status =
        simulate_also(&mini->config, &workload, &groups, &also, &mini->result, &mini->diag);
    timeline_release(&timeline);
    return status;
}

static time_ps end_of(const struct job *job)
{
    struct mini *mini = make(job);
    ck_assert_msg(run(mini) == STATUS_OK, "%s", mini->diag.message);
    time_ps end = mini->result.end_ps;
    ck_assert_uint_eq(end, blame.end_ps);
    mini_free(mini);
    return end;
}

/* The part's time when its parameter is `factor` times what it was, against a run in which it
 * is. */
static void expect_worth(const struct job *before, const struct job *after, enum path_part part,
                         double factor)
{
    double first = (double)end_of(before);
    double part_ps = (double)path_blame_part(&blame, part, -1);
    path_blame_release(&blame);
    double second = (double)end_of(after);
    path_blame_release(&blame);
    double predicted = part_ps * (factor - 1), found = second - first;
    ck_assert_double_gt(part_ps, 0);
    ck_assert_msg(fabs(predicted - found) <= 0.002 * fabs(found) + 200,
                  "part %d: %.0f ps predicted, %.0f ps found", (int)part, predicted, found);
}

/*
 * Rank 2 is last at 9000. Six messages on, with 7 hand-overs of 10 ns, the ring is at rank 0 (2 + 6
 * mod 4), whose next compute takes 5000, and six on from that at rank 2 again: 9000 + 5000 + 9000
 * of compute and 18 messages, though rank 2 itself came to the second all-reduce after rank 0.
 */
START_TEST(parts_by_hand)
{
    time_ps end = end_of(&usual);
    ck_assert_uint_eq(end, (23000 + 18 * 1124 + 3 * 70) * PS_PER_NS);
    ck_assert_uint_eq(path_blame_part(&blame, PART_COMPUTE, -1), 23000000);
    ck_assert_uint_eq(path_blame_part(&blame, PART_LATENCY, 0), 18 * 100000);
    ck_assert_uint_eq(path_blame_part(&blame, PART_BANDWIDTH, 0), 18 * 1024000);
    ck_assert_uint_eq(path_blame_part(&blame, PART_CONTENTION, -1), 3 * 70000);
    path_blame_release(&blame);
}
END_TEST

/* The message of rank 2, which computes longest, is the path to rank 3; then rank 2's again, so
 * that of three messages the last one counts: 9000 x 3 + 100 + 2000. */
START_TEST(parts_of_messages)
{
    struct job job = usual;
    job.sends = true;
    ck_assert_uint_eq(end_of(&job), 3 * 9000000 + 2100000);
    ck_assert_uint_eq(path_blame_part(&blame, PART_COMPUTE, -1), 3 * 9000000);
    ck_assert_uint_eq(path_blame_part(&blame, PART_LATENCY, 0), 100000);
    ck_assert_uint_eq(path_blame_part(&blame, PART_BANDWIDTH, 0), 2000000);
    path_blame_release(&blame);
}
END_TEST

START_TEST(a_part_is_worth_what_a_run_with_it_changed_says)
{
    struct job after = usual;
    after.bandwidth_B_per_ns = 1 / 1.02;
    expect_worth(&usual, &after, PART_BANDWIDTH, 1.02);
    after = usual;
    after.latency_ns = 103;
    expect_worth(&usual, &after, PART_LATENCY, 1.03);
    after = usual;
    after.compute_factor = 0.98;
    expect_worth(&usual, &after, PART_COMPUTE, 0.98);
    struct job sends = usual;
    sends.sends = true;
    after = sends;
    after.bandwidth_B_per_ns = 1 / 0.95;
    expect_worth(&sends, &after, PART_BANDWIDTH, 0.95);
}
END_TEST

/* Launches of 20 us each are the path: the host comes to the last compute after 5 launches. */
START_TEST(launches_are_worth_theirs)
{
    struct job before = usual, after;
    before.launch_ns = 20000;
    before.step_ns = 3000;
    after = before;
    after.launch_ns = 20200;
    expect_worth(&before, &after, PART_LAUNCH, 1.01);
    after = before;
    after.step_ns = 3300;
    expect_worth(&before, &after, PART_STEP_OVERHEAD, 1.1);
}
END_TEST

/* A compute op of 20000 ns beside the all-reduce, slowed by a quarter while that runs. */
START_TEST(slowed_compute_is_told_apart)
{
    struct mini *mini = make(&usual);
    mini->config.system.overlap_slowdown = 0.25;
    mini->config.system.compute_slots = 4;
    for (uint32_t r = 0; r < 4; r++) /* after the first compute */
        mini_compute(mini, r, 0, 60000);
    ck_assert_msg(run(mini) == STATUS_OK, "%s", mini->diag.message);
    ck_assert_uint_gt(path_blame_part(&blame, PART_SLOWED, -1), 0);
    ck_assert_uint_eq(path_blame_part(&blame, PART_COMPUTE, -1) % 1000000, 0);
    path_blame_release(&blame);
    mini_free(mini);
}
END_TEST

/* Every table of every job sums to its makespan (simulate_also() proves it, or fails). */
START_TEST(sums_are_exact_on_random_jobs)
{
    static const enum algorithm_id algorithms[] = {ALG_RING, ALG_DIRECT, ALG_HALVING_DOUBLING,
                                                   ALG_DOUBLE_BINARY_TREE};
    uint64_t state = 5;
    for (int i = 0; i < RANDOM_JOBS; i++) {
        struct job job = {0.1 + random_below(&state, 90) / 7.0,
                          random_below(&state, 300) / 3.0,
                          random_below(&state, 3) * 700.0,
                          random_below(&state, 2) * 1500.0,
                          random_below(&state, 2) * 0.3,
                          0.1 + random_below(&state, 20) / 9.0,
                          random_below(&state, 2)};
        struct mini *mini = make(&job);
        mini_algorithm(mini, algorithms[random_below(&state, 4)], random_below(&state, 3));
        mini->config.system.dataset_splits = 1 + random_below(&state, 5);
        mini->config.network.whole_ns = random_below(&state, 2);
        mini->config.network.backend =
            random_below(&state, 2) ? NET_CONGESTION_AWARE : NET_CONGESTION_UNAWARE;
        ck_assert_msg(run(mini) == STATUS_OK, "job %d: %s", i, mini->diag.message);
        ck_assert_uint_eq(blame.end_ps, mini->result.end_ps);
        ck_assert_int_eq(path_blame_check(&blame, &mini->diag), STATUS_OK);
        blame.by[BLAME_BY_RANK].row[0].time_ps++; /* a law that is broken is seen */
        ck_assert_int_eq(path_blame_check(&blame, &mini->diag), STATUS_LAW);
        path_blame_release(&blame);
        mini_free(mini);
    }
}
END_TEST

/* Tables of links, of collectives and messages, on fabrics of 4. */
START_TEST(link_sums_are_exact_on_fabrics)
{
    static const struct {
        const char *topology;
        enum net_backend backend;
    } fabrics[] = {
        {"switch:2,bw=4GB/s,lat=100ns*switch:2,bw=1GB/s,lat=700ns", NET_FLOW},
        {"leafspine:2x2,bw=1GB/s,lat=300ns", NET_LINK},
        {"ring:4,bw=3GB/s,lat=0ns", NET_ANALYTICAL},
        {"torus:2x2,bw=2GB/s,lat=50ns", NET_FLOW},
    };
    struct job job = usual;
    job.sends = _i % 2;
    struct mini *mini = make(&job);
    mini->config.network.dim_count = 0;
    mini->config.network.topology = fabrics[_i / 2].topology;
    mini->config.network.backend = fabrics[_i / 2].backend;
    ck_assert_msg(topology_resolve(&mini->config, NULL, &mini->diag) == STATUS_OK, "%s",
                  mini->diag.message);
    mini_algorithm(mini, ALG_RING, 0);
    ck_assert_msg(run(mini) == STATUS_OK, "%s", mini->diag.message);
    time_ps messages = 0, parts = 0;
    for (uint32_t i = 0; i < blame.by[BLAME_BY_LINK].count; i++) {
        const struct blame_row *row = &blame.by[BLAME_BY_LINK].row[i];
        messages += *row->name == '(' ? 0 : row->time_ps;
    }
    parts += path_blame_part(&blame, PART_LATENCY, -1);
    parts += path_blame_part(&blame, PART_BANDWIDTH, -1);
    ck_assert_uint_gt(messages, 0);
    ck_assert_uint_eq(messages, parts);
    path_blame_release(&blame);
    mini_free(mini);
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("critical_path_blame");
    TCase *tests = tcase_create("critical_path_blame");
    tcase_add_test(tests, parts_by_hand);
    tcase_add_test(tests, parts_of_messages);
    tcase_add_test(tests, a_part_is_worth_what_a_run_with_it_changed_says);
    tcase_add_test(tests, launches_are_worth_theirs);
    tcase_add_test(tests, slowed_compute_is_told_apart);
    tcase_add_test(tests, sums_are_exact_on_random_jobs);
    tcase_add_loop_test(tests, link_sums_are_exact_on_fabrics, 0, 8);
    suite_add_tcase(all, tests);
    return all;
}

RUN_SUITE(suite())
