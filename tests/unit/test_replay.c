/*
 * replay and sensitivity: a job by hand; a replay that is the run, to the picosecond, on random
 * jobs; and against real runs in which the parameter is changed, within its range and far beyond.
 */
#include <math.h>

#include "base/mix.h"
#include "net/topology/resolve.h"
#include "run/perturb.h"
#include "stats/sensitivity.h"
#include "tests/unit/mini.h"

enum { RANDOM_JOBS = 200, RANDOM_PIPELINES = 12, RANDOM_RUNS = 150, STAGES = 4 };

static struct timeline timeline;
static struct path_blame blame;
static struct sensitivity found;

/* Runs it; `factor` of the device compute of each trace, or NULL. */
static time_ps run_paced(struct mini *mini, const double *factor)
{
    struct workload workload = {mini->config.network.npu_count, mini->of_rank, mini->traces,
                                mini->trace_count};
    struct group_file groups = {.entry = mini->group, .count = mini->group_count, .path = "mini"};
    const struct sched_free free = {.compute_factor = factor};
    const struct simulate_also also = {.free = &free};
    result_release(&mini->result);
    result_init(&mini->result);
    ck_assert_msg(simulate_also(&mini->config, &workload, &groups, &also, &mini->result,
                                &mini->diag) == STATUS_OK,
                  "%s", mini->diag.message);
    return mini->result.end_ps;
}

/* Runs it, and fills `found`. */
static time_ps explain(struct mini *mini)
{
    struct workload workload = {mini->config.network.npu_count, mini->of_rank, mini->traces,
                                mini->trace_count};
    struct group_file groups = {.entry = mini->group, .count = mini->group_count, .path = "mini"};
    timeline_init(&timeline);
    path_blame_init(&blame);
    sensitivity_init(&found);
    const struct simulate_also also = {
        .timeline = &timeline, .blame = &blame, .sensitivity = &found};
    result_release(&mini->result);
    result_init(&mini->result);
    ck_assert_msg(simulate_also(&mini->config, &workload, &groups, &also, &mini->result,
                                &mini->diag) == STATUS_OK,
                  "%s", mini->diag.message);
    timeline_release(&timeline);
    path_blame_release(&blame);
    ck_assert_uint_eq(found.end_ps, mini->result.end_ps);
    return mini->result.end_ps;
}

static const struct sensitivity_row *row_of(enum path_part part, int dim)
{
    for (uint32_t i = 0; i < found.part_count; i++) {
        if (found.part[i].part == part && found.part[i].dim == dim)
            return &found.part[i];
    }
    ck_abort_msg("no row of part %d, dimension %d", (int)part, dim);
    return NULL;
}

static const struct sensitivity_row *row_of_rank(uint32_t rank)
{
    for (uint32_t i = 0; i < found.rank_count; i++) {
        if (found.rank[i].rank == rank)
            return &found.rank[i];
    }
    ck_abort_msg("no row of rank %u", rank);
    return NULL;
}

/* The run with what scales with the part 1 + more times as long. */
static time_ps end_with(struct mini *mini, enum path_part part, int dim, double more)
{
    struct perturbed perturbed;
    if (part == PART_COMPUTE) {
        double factor[MINI_TRACES];
        for (int t = 0; t < MINI_TRACES; t++)
            factor[t] = 1 + more;
        return run_paced(mini, factor);
    }
    ck_assert(perturb_begin(&perturbed, &mini->config, part, dim, 1 + more));
    time_ps end = run_paced(mini, NULL);
    perturb_end(&perturbed);
    return end;
}

static time_ps end_with_rank(struct mini *mini, uint32_t rank, double more)
{
    double factor[MINI_TRACES];
    for (uint32_t t = 0; t < MINI_TRACES; t++)
        factor[t] = t == rank ? 1 + more : 1;
    return run_paced(mini, factor);
}

/* -- by hand --------------------------------------------------------------------------------- */

static struct mini *two_ranks(void)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, 2, 1.0, 100.0);
    mini->config.own_form = true;
    mini->config.network.whole_ns = mini->config.system.whole_ns = false;
    for (uint32_t r = 0; r < 2; r++) {
        mini->of_rank[r] = r;
        mini_trace_new(mini);
    }
    int last = (int)mini_compute(mini, 0, -1, 6000);
    mini_message(mini, 0, last, OP_SEND, 1, 1, 2000);
    last = (int)mini_compute(mini, 1, -1, 7000);
    last = (int)mini_message(mini, 1, last, OP_RECV, 0, 1, 2000);
    mini_compute(mini, 1, last, 400);
    return mini;
}

#define NEAR(a, b) ck_assert_double_eq_tol(a, b, 1e-6 * (1 + fabs((double)(b))))

/*
 * Rank 0 computes 6000 and sends 2000 B (100 + 2000), rank 1 computes 7000, receives, computes 400:
 * 6000 + 2100 + 400 = 8500; the other path is 7400.
 */
START_TEST(two_paths_by_hand)
{
    struct mini *mini = two_ranks();
    ck_assert_uint_eq(explain(mini), 8500 * PS_PER_NS);
    /* compute: 8500 + 6400 x, until 7400 + 7400 x is as much: x = 1.1 */
    const struct sensitivity_row *row = row_of(PART_COMPUTE, -1);
    NEAR(row->slower_ps, 64000);
    NEAR(row->faster_ps, 64000);
    NEAR(row->exact_to, 1.1);
    NEAR(row->to, 1100.0 / (7400 - 1.01 * 6400));
    NEAR(row->from, -1);
    NEAR(row->most_ps, 6400000);
    /* bandwidth: 2000 until 7400 is left, y = 0.55; no more than 1100 in all */
    row = row_of(PART_BANDWIDTH, 0);
    NEAR(row->slower_ps, 20000);
    NEAR(row->exact_from, -0.55);
    NEAR(row->from, -1100.0 / (0.99 * 2000));
    NEAR(row->exact_to, SENSITIVITY_MOST);
    NEAR(row->ten_faster_ps, 200000);
    NEAR(row->most_ps, 1100000);
    row = row_of(PART_LATENCY, 0);
    NEAR(row->slower_ps, 1000);
    NEAR(row->exact_from, -1);
    NEAR(row->most_ps, 100000);
    /* rank 0: 6000 of it, until 1100 less; rank 1: 400, until its 7400 (1 + x) are 8500 + 400 x */
    row = row_of_rank(0);
    NEAR(row->slower_ps, 60000);
    NEAR(row->exact_from, -1100.0 / 6000);
    row = row_of_rank(1);
    NEAR(row->slower_ps, 4000);
    NEAR(row->exact_to, 1100.0 / 7000);
    sensitivity_release(&found);
    mini_free(mini);
}
END_TEST

/* Two ranks that are equally long: the slower one costs, no single one saves anything. */
START_TEST(a_tie_costs_and_saves_nothing)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, 2, 1.0, 100.0);
    mini_algorithm(mini, ALG_RING, 0);
    for (uint32_t r = 0; r < 2; r++) {
        mini->of_rank[r] = r;
        mini_trace_new(mini);
        mini_collective(mini, r, (int)mini_compute(mini, r, -1, 5000), COLL_ALL_REDUCE, 4096);
    }
    explain(mini);
    NEAR(row_of_rank(0)->slower_ps, 50000);
    NEAR(row_of_rank(0)->faster_ps, 0);
    NEAR(row_of_rank(1)->slower_ps, 50000);
    NEAR(row_of(PART_COMPUTE, -1)->faster_ps, 50000);
    sensitivity_release(&found);
    mini_free(mini);
}
END_TEST

/* -- against real runs ------------------------------------------------------------------------- */

/* Forward through the stages and back, for each micro-batch; stages take different times. */
static struct mini *pipeline(uint64_t *state, bool on_fabric)
{
    struct mini *mini = mini_new();
    mini->config.own_form = true;
    if (on_fabric) {
        mini->config.network.backend = NET_FLOW;
        mini->config.network.topology = "switch:2,bw=4GB/s,lat=100ns*switch:2,bw=1GB/s,lat=700ns";
        ck_assert_msg(topology_resolve(&mini->config, NULL, &mini->diag) == STATUS_OK, "%s",
                      mini->diag.message);
    } else {
        mini_dim(mini, NET_FULLY_CONNECTED, STAGES, 0.5 + random_below(state, 4), 200.0);
    }
    mini->config.network.whole_ns = mini->config.system.whole_ns = false;
    mini->config.system.comm_slots = 64;
    mini->config.system.launch_overhead_ns = 100.0 * random_below(state, 3);
    mini->config.system.collective_launch_ns = 30.0 * random_below(state, 3);
    mini->config.system.step_overhead_ns = 500.0 * random_below(state, 3);
    for (uint32_t r = 0; r < STAGES; r++) {
        uint64_t ns = 1000 + random_below(state, 1000);
        mini->of_rank[r] = r;
        mini_trace_new(mini);
        int last = -1;
        for (uint32_t batch = 0; batch < 6; batch++) {
            if (r > 0)
                last = (int)mini_message(mini, r, last, OP_RECV, r - 1, batch, 800);
            last = (int)mini_compute(mini, r, last, ns);
            if (r + 1 < STAGES)
                mini_message(mini, r, last, OP_SEND, r + 1, batch, 800);
        }
    }
    return mini;
}

/* Between the ends of the exact range a run is what the line says; beyond, it is what the replay
 * says, so that what is saved and lost by 10 % and in all is. On a fabric only as far as
 * messages do not meet, as they do when links are slower or compute faster: contention is left
 * out. */
static void expect_runs(struct mini *mini, enum path_part part, int dim, double end)
{
    const struct sensitivity_row *row = row_of(part, dim);
    bool can_meet = mini->config.network.fabric != NULL;
    const double tolerance = 50 + 2e-6 * end; /* rounding, of each op to 1 ps */
    double inside[] = {0.9 * row->exact_to, 0.9 * row->exact_from};
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        double more = inside[i];
        if (can_meet && fabs(more) > 0.1)
            continue;
        double line = end + more * (more > 0 ? row->slope_slower_ps : row->slope_faster_ps);
        ck_assert_double_eq_tol((double)end_with(mini, part, dim, more), line, tolerance);
    }
    ck_assert_double_eq_tol((double)end_with(mini, part, dim, 0.01), end + row->slower_ps,
                            tolerance);
    ck_assert_double_eq_tol((double)end_with(mini, part, dim, -0.01), end - row->faster_ps,
                            tolerance);
    ck_assert_double_eq_tol((double)end_with(mini, part, dim, 0.1), end + row->ten_slower_ps,
                            tolerance);
    ck_assert_double_eq_tol((double)end_with(mini, part, dim, -0.1), end - row->ten_faster_ps,
                            tolerance);
    if (!can_meet)
        ck_assert_double_eq_tol((double)end_with(mini, part, dim, -0.9999999), end - row->most_ps,
                                tolerance);
    if (row->to < SENSITIVITY_MOST - 1 && !can_meet) { /* well beyond, the line does not hold */
        double more = 2 * row->to + 0.5;
        double line = end + 100 * more * row->slower_ps;
        ck_assert_double_gt((double)end_with(mini, part, dim, more), line + tolerance);
    }
}

START_TEST(pipelines_are_worth_what_runs_say)
{
    uint64_t state = 11 + (uint64_t)_i;
    struct mini *mini = pipeline(&state, _i % 2);
    double end = (double)explain(mini);
    for (uint32_t i = 0; i < found.part_count; i++)
        expect_runs(mini, found.part[i].part, found.part[i].dim, end);
    for (uint32_t r = 0; r < STAGES; r++) {
        const struct sensitivity_row *row = row_of_rank(r);
        double tolerance = 50 + 2e-6 * end, more = 0.9 * row->exact_to;
        ck_assert_double_eq_tol((double)end_with_rank(mini, r, more),
                                end + more * row->slope_slower_ps, tolerance);
        if (_i % 2 == 0)
            ck_assert_double_eq_tol((double)end_with_rank(mini, r, -1), end - row->most_ps,
                                    tolerance);
    }
    sensitivity_release(&found);
    mini_free(mini);
}
END_TEST

/* Ops on both sides of the ridge: each bound is one parameter, and one crosses it. */
START_TEST(roofline_ops_cross_the_ridge_where_runs_do)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, 2, 1.0, 100.0);
    mini_algorithm(mini, ALG_RING, 0);
    mini->config.own_form = true;
    mini->config.network.whole_ns = mini->config.system.whole_ns = false;
    mini->config.system.compute = COMPUTE_ROOFLINE;
    mini->config.system.peak_flop_per_s = 1e12;
    mini->config.system.local_memory_Bps = 1e11;
    for (uint32_t r = 0; r < 2; r++) {
        mini->of_rank[r] = r;
        mini_trace_new(mini);
        int last = -1;
        for (int i = 1; i < 6; i++) /* 1000 to 5000 ns of flops, 2000 ns of bytes */
            last = (int)mini_node(mini, r, last,
                                  (struct trace_node){.type = OP_COMPUTE,
                                                      .flop_count = 1000000 * (uint64_t)i,
                                                      .size_bytes = 200000,
                                                      .flags = NODE_HAS_FLOPS | NODE_HAS_SIZE});
    }
    double end = (double)explain(mini);
    NEAR(row_of(PART_PEAK, -1)->slower_ps, 140000); /* ties count as slower: 2 + 3 + 4 + 5 us */
    NEAR(row_of(PART_LOCAL_MEMORY, -1)->slower_ps, 40000);
    NEAR(row_of(PART_PEAK, -1)->exact_to, 1); /* the first op is bound by flops from 2x on */
    NEAR(row_of(PART_LOCAL_MEMORY, -1)->exact_to, 0.5);
    expect_runs(mini, PART_PEAK, -1, end);
    expect_runs(mini, PART_LOCAL_MEMORY, -1, end);
    sensitivity_release(&found);
    mini_free(mini);
}
END_TEST

/* -- any job ----------------------------------------------------------------------------------- */

/* Random graphs: each node after some of those before it; collectives and messages in step. */
static struct mini *any_job(uint64_t *state)
{
    static const enum algorithm_id algorithms[] = {ALG_RING, ALG_DIRECT};
    static const enum collective_kind kinds[] = {COLL_ALL_REDUCE, COLL_ALL_TO_ALL, COLL_ALL_GATHER,
                                                 COLL_BROADCAST, COLL_GATHER};
    struct mini *mini = mini_new();
    struct system_config *system = &mini->config.system;
    mini_dim(mini, NET_FULLY_CONNECTED, 4, 0.1 + random_below(state, 90) / 7.0,
             random_below(state, 300) / 3.0);
    mini_algorithm(mini, algorithms[random_below(state, 2)], random_below(state, 3));
    mini->config.own_form = random_below(state, 2);
    mini->config.network.whole_ns = system->whole_ns = random_below(state, 2);
    mini->config.network.backend =
        random_below(state, 2) ? NET_CONGESTION_AWARE : NET_CONGESTION_UNAWARE;
    system->dataset_splits = 1 + random_below(state, 4);
    system->overlap_slowdown = random_below(state, 2) * 0.3;
    system->launch_overhead_ns = random_below(state, 3) * 700.0;
    system->collective_launch_ns = random_below(state, 3) * 300.0;
    system->step_overhead_ns = random_below(state, 2) * 1500.0;
    system->compute_slots = 1 + random_below(state, 3);
    system->comm_slots = 1 + random_below(state, 3);
    system->rendezvous = !mini->config.own_form && random_below(state, 4) == 0;
    uint32_t phases = 1 + random_below(state, 5);
    uint64_t what = random_next(state);
    for (uint32_t r = 0; r < 4; r++) {
        mini->of_rank[r] = r;
        mini_trace_new(mini);
        int last = -1;
        for (uint32_t phase = 0; phase < phases; phase++) {
            int before = last;
            last = (int)mini_compute(mini, r, before, random_below(state, 6000));
            if (random_below(state, 2))
                mini_host(mini, r, before, random_below(state, 3000));
            if (random_below(state, 2))
                mini_compute(mini, r, last, random_below(state, 5000));
            if (what >> phase & 1) {
                enum collective_kind kind = kinds[(what >> (8 + 3 * phase)) % 5];
                last = (int)mini_collective(mini, r, last, kind, 4096 << (what >> 40) % 4);
            } else {
                mini_message(mini, r, last, OP_SEND, (r + 1) % 4, phase, 2000);
                last = (int)mini_message(mini, r, last, OP_RECV, (r + 3) % 4, phase, 2000);
            }
            if (random_below(state, 2) && before >= 0)
                mini_also_after(mini, r, (uint32_t)before);
        }
    }
    return mini;
}

/* The replay is the run: every event when it was (replay_init() proves it, or the run fails). */
START_TEST(a_replay_is_its_run)
{
    uint64_t state = 77;
    for (int i = 0; i < RANDOM_JOBS; i++) {
        struct mini *mini = any_job(&state);
        double end = (double)explain(mini);
        for (uint32_t p = 0; p < found.part_count; p++) {
            const struct sensitivity_row *row = &found.part[p];
            ck_assert_double_ge(row->slower_ps, row->faster_ps);
            ck_assert_double_ge(100 * row->slower_ps + 100, row->slope_slower_ps);
            ck_assert_double_le(100 * row->faster_ps, row->slope_faster_ps + 100);
            ck_assert_double_ge(row->ten_slower_ps + 1, 10 * row->slower_ps); /* convex */
            ck_assert_double_le(row->ten_faster_ps, 10 * row->faster_ps + 1);
            ck_assert_double_le(row->most_ps, end);
            ck_assert_double_le(row->from, 0);
            ck_assert_double_ge(row->to, 0);
        }
        sensitivity_release(&found);
        mini_free(mini);
    }
}
END_TEST

/* Without contention and overlap a percent is worth what a run says, in any graph, with any number
 * of chunks in queues, whenever members of collectives come. With them, nearly always. */
START_TEST(random_jobs_are_worth_what_runs_say)
{
    uint64_t state = 99;
    uint32_t rows = 0, off = 0;
    for (int i = 0; i < RANDOM_RUNS; i++) {
        struct mini *mini = any_job(&state);
        mini->config.own_form = true;
        mini->config.system.rendezvous = false;
        bool is_exact = i % 2 == 0 && !(mini->config.system.overlap_slowdown > 0);
        mini->config.network.whole_ns = mini->config.system.whole_ns = false;
        mini->config.network.backend = i % 2 ? NET_CONGESTION_AWARE : NET_CONGESTION_UNAWARE;
        double end = (double)explain(mini);
        for (uint32_t p = 0; p < found.part_count; p++) {
            const struct sensitivity_row *row = &found.part[p];
            double more = (double)end_with(mini, row->part, row->dim, 0.01) - end;
            double less = end - (double)end_with(mini, row->part, row->dim, -0.01);
            bool is_right = fabs(more - row->slower_ps) <= 200 + 0.01 * more &&
                            fabs(less - row->faster_ps) <= 200 + 0.01 * less;
            ck_assert_msg(is_right || !is_exact,
                          "job %d, part %d: %.0f and %.0f, runs %.0f and %.0f", i, (int)row->part,
                          row->slower_ps, row->faster_ps, more, less);
            rows++;
            off += !is_right;
        }
        sensitivity_release(&found);
        mini_free(mini);
    }
    ck_assert_uint_gt(rows, 4 * RANDOM_RUNS);
    ck_assert_uint_lt(off, rows / 20);
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("replay");
    TCase *tests = tcase_create("replay");
    tcase_add_test(tests, two_paths_by_hand);
    tcase_add_test(tests, a_tie_costs_and_saves_nothing);
    tcase_add_loop_test(tests, pipelines_are_worth_what_runs_say, 0, RANDOM_PIPELINES);
    tcase_add_test(tests, roofline_ops_cross_the_ridge_where_runs_do);
    tcase_add_test(tests, a_replay_is_its_run);
    tcase_add_test(tests, random_jobs_are_worth_what_runs_say);
    suite_add_tcase(all, tests);
    return all;
}

RUN_SUITE(suite())
