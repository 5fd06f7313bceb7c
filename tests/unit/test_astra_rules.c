/*
 * ASTRA-sim's less obvious rules, one job each, against finish times measured on ASTRA-sim itself
 * (518bd51, analytical backends, 2026-11-30): what a differential fuzzer once found different.
 * All networks: 1 GB/s of 2^30 bytes, latency 100 ns; endpoint delay 10 ns; one chunk unless said.
 */
#include "tests/unit/mini.h"

static const double one_GBps = (double)(1 << 30) / 1e9;

static struct mini *job(enum net_block block, uint32_t npus, enum algorithm_id algorithm,
                        uint32_t window, enum net_backend backend, uint32_t queues)
{
    struct mini *mini = mini_new();
    mini_dim(mini, block, npus, one_GBps, 100.0);
    mini_algorithm(mini, algorithm, window);
    mini->config.network.backend = backend;
    mini->config.system.queues_per_dim = queues;
    return mini;
}

static void expect(struct mini *mini, const uint64_t *ns)
{
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s", mini->diag.message);
    for (uint32_t r = 0; r < mini->config.network.npu_count; r++)
        ck_assert_uint_eq(mini_finish_ns(mini, r), ns[r]);
    mini_free(mini);
}

/* An all-reduce in a small group uses only the first half of the queues: 4 chunks one by one. */
START_TEST(small_group_all_reduce_uses_half_the_queues)
{
    struct mini *mini = job(NET_SWITCH, 6, ALG_RING, 0, NET_CONGESTION_UNAWARE, 2);
    mini->config.system.dataset_splits = 4;
    mini_compute(mini, mini_trace_new(mini), -1, 1000);
    uint32_t t = mini_trace_new(mini);
    mini_collective(mini, t, -1, COLL_ALL_REDUCE, 4096);
    mini_in_group(mini, t, "5");
    mini_group(mini, "5", (const uint32_t[]){4, 2, 5, 3}, 4);
    for (uint32_t r = 2; r < 6; r++)
        mini->of_rank[r] = t;
    expect(mini, (const uint64_t[]){1000, 1000, 10792, 10792, 10792, 10792});
}
END_TEST

/* With rendezvous a sender's phase may end before its last message could leave. */
START_TEST(rendezvous_sends_outlive_their_phase)
{
    struct mini *mini = job(NET_RING, 3, ALG_RING, 0, NET_CONGESTION_AWARE, 1);
    mini->config.system.rendezvous = true;
    mini_collective(mini, mini_trace_new(mini), -1, COLL_ALL_REDUCE, 4096);
    uint32_t late = mini_trace_new(mini);
    mini_compute(mini, late, -1, 20000);
    mini_collective(mini, late, 0, COLL_ALL_REDUCE, 4096);
    mini->of_rank[2] = late;
    expect(mini, (const uint64_t[]){48721, 40992, 56450});
}
END_TEST

static const struct {
    enum algorithm_id algorithm;
    uint32_t window;
    enum net_block block;
    uint64_t ns[4];
} rendezvous[] = {
    {ALG_HALVING_DOUBLING, 0, NET_RING, {54651, 54651, 54651, 54651}},
    {ALG_DIRECT, 2, NET_SWITCH, {83258, 83258, 83258, 83258}},
    {ALG_DOUBLE_BINARY_TREE, 0, NET_SWITCH, {73333, 65489, 77150, 57645}},
};

START_TEST(rendezvous_of_every_algorithm)
{
    struct mini *mini = job(rendezvous[_i].block, 4, rendezvous[_i].algorithm,
                            rendezvous[_i].window, NET_CONGESTION_AWARE, 1);
    mini->config.system.rendezvous = true;
    mini_collective(mini, mini_trace_new(mini), -1, COLL_ALL_REDUCE, 4099);
    expect(mini, rendezvous[_i].ns);
}
END_TEST

/* A named group, even of all ranks, uses every dimension whatever involved_dim says. */
START_TEST(named_groups_ignore_involved_dim)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_RING, 3, one_GBps, 100.0);
    mini_dim(mini, NET_SWITCH, 2, 0.5 * one_GBps, 200.0);
    mini_algorithm(mini, ALG_RING, 0);
    mini->config.system.algorithm[SLOT_ALL_REDUCE].choice[1].id = ALG_DIRECT;
    uint32_t t = mini_trace_new(mini);
    uint32_t node = mini_collective(mini, t, -1, COLL_ALL_REDUCE, 4096);
    mini_in_group(mini, t, "7");
    mini->trace[t].node[node].flags |= NODE_HAS_DIMS;
    mini->trace[t].node[node].dims = 1;
    mini->trace[t].node[node].dim_count = 2;
    mini_group(mini, "7", (const uint32_t[]){5, 4, 3, 2, 1, 0}, 6);
    expect(mini, (const uint64_t[]){8914, 8914, 8914, 8914, 8914, 8914});
}
END_TEST

/*
 * Ranks 0, 1 run an all-reduce and 2, 3, 4 an all-to-all in groups of their own first, which leaves
 * their queues at different places: in the reduce-scatter of all, they turn in different
 * directions. Direct finishes all the same; with a window of one nobody's turn comes.
 */
START_TEST(members_may_turn_in_different_directions)
{
    struct mini *mini = job(NET_RING, 5, ALG_DIRECT, (uint32_t)_i, NET_CONGESTION_AWARE, 2);
    static const enum collective_kind kinds[] = {COLL_ALL_REDUCE, COLL_ALL_TO_ALL};
    static const char *const names[] = {"5", "6"};
    for (uint32_t g = 0; g < 2; g++) {
        uint32_t t = mini_trace_new(mini);
        uint32_t first = mini_collective(mini, t, -1, kinds[g], 4096);
        mini_in_group(mini, t, names[g]);
        mini_collective(mini, t, (int)first, COLL_REDUCE_SCATTER, 40000);
        mini->trace[t].node[1].group = TRACE_NONE;
    }
    mini_group(mini, "5", (const uint32_t[]){0, 1}, 2);
    mini_group(mini, "6", (const uint32_t[]){2, 3, 4}, 3);
    mini->of_rank[2] = mini->of_rank[3] = mini->of_rank[4] = 1;
    if (_i == 0) {
        expect(mini, (const uint64_t[]){26514, 26514, 26614, 26614, 26514});
        return;
    }
    ck_assert_int_eq(mini_run(mini), STATUS_STUCK);
    mini_free(mini);
}
END_TEST

/*
 * Whole rings may turn the other way: on 3 x 2, ranks 0-2 ran an all-reduce and 3-5 a
 * reduce-scatter in a group first; in the all-gather of all, dimension 0's two rings turn against
 * each other, and the ranks that come 5 us late (1 and 4) delay different neighbours.
 */
START_TEST(rings_may_turn_against_each_other)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_SWITCH, 3, 50 * one_GBps, 500.0);
    mini_dim(mini, NET_SWITCH, 2, 50 * one_GBps, 500.0);
    mini->config.system.queues_per_dim = 2;
    static const enum collective_kind kinds[] = {COLL_ALL_REDUCE, COLL_REDUCE_SCATTER};
    static const char *const names[] = {"1", "2"};
    static const uint32_t members[2][3] = {{0, 1, 2}, {3, 4, 5}};
    for (int s = 0; s < SLOT_PER_DIM_COUNT;
         s++) /* one entry: dimension 1 is left out, as in ASTRA-sim */
        mini->config.system.algorithm[s] =
            (struct algorithm_list){.count = 1, .choice = {{.id = ALG_RING}}};
    for (uint32_t g = 0; g < 2; g++) {
        mini_group(mini, names[g], members[g], 3);
        for (uint32_t late = 0; late < 2; late++) {
            uint32_t t = mini_trace_new(mini);
            uint32_t first = mini_collective(mini, t, -1, kinds[g], 1000);
            mini_in_group(mini, t, names[g]);
            uint32_t busy = mini_compute(mini, t, (int)first, late ? 6000 : 1000);
            mini_collective(mini, t, (int)busy, COLL_ALL_GATHER, 1000);
            mini->trace[t].node[2].group = TRACE_NONE;
            for (uint32_t m = 0; m < 3; m++) {
                if ((m == 1) == (late == 1))
                    mini->of_rank[members[g][m]] = t;
            }
        }
    }
    /* traces are numbered in order of their first rank: 0, 1 (rank 1), 2 (rank 3), 3 (rank 4) */
    expect(mini, (const uint64_t[]){12140, 10104, 11122, 9090, 8072, 10108});
}
END_TEST

/* The tree on the shared bus: only the second child's data goes back over it. */
START_TEST(trees_on_the_shared_bus)
{
    struct mini *mini = job(NET_RING, 8, ALG_DOUBLE_BINARY_TREE, 0, NET_CONGESTION_AWARE, 1);
    struct system_config *system = &mini->config.system;
    system->shared_bus = true;
    system->bus_L_ns = 3;
    system->bus_o_ns = 5;
    system->bus_g_ns = 7;
    system->bus_G_ns_per_byte = 0.02;
    mini_collective(mini, mini_trace_new(mini), -1, COLL_ALL_REDUCE, 4096);
    expect(mini, (const uint64_t[]){57170, 53134, 57170, 44916, 57170, 53134, 57170, 28870});
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("astra_rules");
    TCase *cases = tcase_create("astra_rules");
    tcase_add_test(cases, small_group_all_reduce_uses_half_the_queues);
    tcase_add_test(cases, rendezvous_sends_outlive_their_phase);
    tcase_add_loop_test(cases, rendezvous_of_every_algorithm, 0, 3);
    tcase_add_test(cases, named_groups_ignore_involved_dim);
    tcase_add_loop_test(cases, members_may_turn_in_different_directions, 0, 2);
    tcase_add_test(cases, rings_may_turn_against_each_other);
    tcase_add_test(cases, trees_on_the_shared_bus);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
