/*
 * collective_profile: how long after each member a ring all-reduce ends, by hand, and what of that
 * are links; a profile of a folded run; what has none; and jobs of collectives whose members come
 * at different times, against real runs.
 */
#include <math.h>

#include "net/topology/resolve.h"
#include "run/collective_profile.h"
#include "run/perturb.h"
#include "tests/unit/mini.h"

static struct timeline timeline;
static struct path_blame blame;
static struct sensitivity found;

/* Each step: compute, of rank 2 longest, and an all-reduce of 4096 B. */
static struct mini *steps(uint32_t count, const char *topology)
{
    struct mini *mini = mini_new();
    mini->config.own_form = true;
    if (topology) {
        mini->config.network.backend = NET_FLOW;
        mini->config.network.topology = topology;
        ck_assert_msg(topology_resolve(&mini->config, NULL, &mini->diag) == STATUS_OK, "%s",
                      mini->diag.message);
    } else {
        mini_dim(mini, NET_FULLY_CONNECTED, 4, 1.0, 100.0);
    }
    mini_algorithm(mini, ALG_RING, 0);
    mini->config.network.whole_ns = mini->config.system.whole_ns = false;
    for (uint32_t r = 0; r < 4; r++) {
        mini->of_rank[r] = r;
        mini_trace_new(mini);
        int last = -1;
        for (uint32_t step = 0; step < count; step++) {
            last = (int)mini_compute(mini, r, last, r == 2 ? 9000 : 5000);
            last = (int)mini_collective(mini, r, last, COLL_ALL_REDUCE, 4096);
        }
    }
    return mini;
}

static void run(struct mini *mini, const double *factor, struct simulate_also also)
{
    struct workload workload = {mini->config.network.npu_count, mini->of_rank, mini->traces,
                                mini->trace_count};
    struct group_file groups = {.entry = mini->group, .count = mini->group_count, .path = "mini"};
    const struct sched_free free = {.compute_factor = factor};
    also.free = factor ? &free : NULL;
    result_release(&mini->result);
    result_init(&mini->result);
    ck_assert_msg(simulate_also(&mini->config, &workload, &groups, &also, &mini->result,
                                &mini->diag) == STATUS_OK,
                  "%s", mini->diag.message);
}

/* The profile of the one collective of a job. */
static struct collective_profiles profile(struct mini *mini)
{
    struct workload workload = {mini->config.network.npu_count, mini->of_rank, mini->traces,
                                mini->trace_count};
    struct group_file groups = {.entry = mini->group, .count = mini->group_count, .path = "mini"};
    timeline_init(&timeline);
    const struct simulate_also also = {.timeline = &timeline};
    run(mini, NULL, also);
    timeline.workload = &workload; /* that of run() is gone */
    struct collective_profiles profiles;
    const struct explained explained = {.config = &mini->config,
                                        .workload = &workload,
                                        .groups = &groups,
                                        .also = &also,
                                        .result = &mini->result};
    ck_assert_int_eq(collective_profiles_find(&profiles, &explained), STATUS_OK);
    return profiles;
}

/*
 * A ring all-reduce of 4 ranks on 1 B/ns and 100 ns is 6 messages of 1124 ns and 7 hand-overs of
 * 10 ns, one after the other round the ring. Message n of the chain that ends at rank i was sent by
 * the rank n places before it: rank j, which comes last, is there for the earliest of its sends,
 * so that as many messages follow as the largest number up to 6 that is i - j around the ring.
 */
START_TEST(a_ring_by_hand)
{
    struct mini *mini = steps(2, NULL);
    struct collective_profiles profiles = profile(mini);
    ck_assert_uint_eq(profiles.count, 1); /* both are the same */
    ck_assert_uint_eq(profiles.left_out, 0);
    for (uint32_t i = 0; i < 2 * REPLAY_LINK_KEYS; i++) /* one algorithm: all is straight */
        ck_assert_double_eq(profiles.step[profiles.of_meeting[1]][i].off_ps, 0);
    const struct replay_profile *of = &profiles.profile[profiles.of_meeting[1]];
    ck_assert_uint_eq(of->count, 4);
    ck_assert_uint_eq(of->bend_count, 0);
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t j = 0; j < 4; j++) {
            static const uint32_t messages[] = {4, 5, 6, 3};
            double n = messages[(i + 4 - j) % 4];
            const double *share = &of->share_ps[replay_entry(4, i, j) * REPLAY_LINK_KEYS];
            ck_assert_double_eq(of->delay_ps[replay_entry(4, i, j)], n * 1124000 + 70000);
            ck_assert_double_eq_tol(share[0], n * 100000, 100);
            ck_assert_double_eq_tol(share[CONFIG_MAX_DIMS], n * 1024000, 100);
        }
    }
    collective_profiles_release(&profiles);
    timeline_release(&timeline);
    mini_free(mini);
}
END_TEST

/* Four ranks that are alike are one member: the time of all when they come together. */
START_TEST(a_folded_run_has_one_member)
{
    struct mini *mini = steps(1, "switch:4,bw=1GB/s,lat=50ns");
    for (uint32_t r = 0; r < 4; r++)
        mini->of_rank[r] = 0;
    mini->config.fold = true;
    struct collective_profiles profiles = profile(mini);
    ck_assert_uint_eq(profiles.count, 1);
    ck_assert_uint_eq(profiles.profile[0].count, 1);
    ck_assert_double_eq(profiles.profile[0].delay_ps[0], 6 * 1124000 + 70000);
    collective_profiles_release(&profiles);
    timeline_release(&timeline);
    mini_free(mini);
}
END_TEST

START_TEST(replayed_collectives_have_none)
{
    struct mini *mini = steps(1, NULL);
    mini->config.system.replay_only = true;
    struct collective_profiles profiles = profile(mini);
    ck_assert_uint_eq(profiles.count, 0);
    ck_assert_uint_eq(profiles.left_out, 0);
    collective_profiles_release(&profiles);
    timeline_release(&timeline);
    mini_free(mini);
}
END_TEST

/* -- against real runs ------------------------------------------------------------------------- */

static double end_with(struct mini *mini, const struct sensitivity_row *row, double more)
{
    const struct simulate_also nothing = {.watch = NULL};
    double factor[MINI_TRACES];
    struct perturbed perturbed;
    bool is_rank = row->part == PATH_PART_COUNT;
    for (uint32_t t = 0; t < MINI_TRACES; t++)
        factor[t] = !is_rank || t == row->rank ? 1 + more : 1;
    if (is_rank || row->part == PART_COMPUTE) {
        run(mini, factor, nothing);
        return (double)mini->result.end_ps;
    }
    ck_assert(perturb_begin(&perturbed, &mini->config, row->part, row->dim, 1 + more));
    run(mini, NULL, nothing);
    perturb_end(&perturbed);
    return (double)mini->result.end_ps;
}

/* 1 % and 10 %, both ways; and the ends of the exact range. */
static void expect_runs(struct mini *mini, const struct sensitivity_row *row, double end)
{
    const double tolerance = 300; /* ps, of 40 us: rounding of messages */
    double to = 0.95 * row->exact_to, from = 0.95 * row->exact_from;
    ck_assert_double_eq_tol(end_with(mini, row, 0.01), end + row->slower_ps, tolerance);
    ck_assert_double_eq_tol(end_with(mini, row, -0.01), end - row->faster_ps, tolerance);
    ck_assert_double_eq_tol(end_with(mini, row, 0.1), end + row->ten_slower_ps, tolerance);
    ck_assert_double_eq_tol(end_with(mini, row, -0.1), end - row->ten_faster_ps, tolerance);
    if (to < 1)
        ck_assert_double_eq_tol(end_with(mini, row, to), end + to * row->slope_slower_ps,
                                tolerance);
    if (from > -0.5)
        ck_assert_double_eq_tol(end_with(mini, row, from), end + from * row->slope_faster_ps,
                                tolerance);
}

static const char *const networks[] = {
    NULL,
    "ring:4,bw=1GB/s,lat=100ns",
    "switch:4,bw=1GB/s,lat=50ns",
    "switch:2,bw=1GB/s,lat=50ns*switch:2,bw=0.5GB/s,lat=100ns",
    "leafspine:2x2,bw=1GB/s,lat=70ns",
};

START_TEST(staggered_collectives_are_worth_what_runs_say)
{
    struct mini *mini = steps(3, networks[_i]);
    timeline_init(&timeline);
    path_blame_init(&blame);
    sensitivity_init(&found);
    const struct simulate_also also = {
        .timeline = &timeline, .blame = &blame, .sensitivity = &found};
    run(mini, NULL, also);
    double end = (double)mini->result.end_ps;
    for (uint32_t i = 0; i < found.part_count; i++)
        expect_runs(mini, &found.part[i], end);
    for (uint32_t i = 0; i < found.rank_count; i++)
        expect_runs(mini, &found.rank[i], end);
    ck_assert_uint_ge(found.part_count, 3);
    ck_assert_uint_eq(found.rank_count, 4);
    sensitivity_release(&found);
    path_blame_release(&blame);
    timeline_release(&timeline);
    mini_free(mini);
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("collective_profile");
    TCase *tests = tcase_create("collective_profile");
    tcase_add_test(tests, a_ring_by_hand);
    tcase_add_test(tests, a_folded_run_has_one_member);
    tcase_add_test(tests, replayed_collectives_have_none);
    tcase_add_loop_test(tests, staggered_collectives_are_worth_what_runs_say, 0,
                        sizeof networks / sizeof *networks);
    suite_add_tcase(all, tests);
    return all;
}

RUN_SUITE(suite())
