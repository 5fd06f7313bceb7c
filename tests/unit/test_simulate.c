/*
 * Whole runs of tiny jobs against arithmetic done by hand (in the comments).
 *
 * Network of most tests: 1 B/ns per link, latency 100 ns, endpoint delay 10 ns, no local memory
 * bandwidth given (reductions take no time), so a message of m bytes takes T(m) = 100 + m ns and a
 * hand-over 10 ns.
 */
#include "tests/unit/mini.h"

static struct mini *ring_job(uint32_t n, enum algorithm_id algorithm, uint32_t window)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, n, 1.0, 100.0);
    mini_algorithm(mini, algorithm, window);
    mini_trace_new(mini);
    return mini;
}

static void expect_all(struct mini *mini, uint64_t ns)
{
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s", mini->diag.message);
    for (uint32_t r = 0; r < mini->config.network.npu_count; r++)
        ck_assert_uint_eq(mini_finish_ns(mini, r), ns);
}

/*
 * Ring, n = 4, 4096 B: all-reduce moves 1024 B 2 x 3 times: 6 (1124 + 10) + 10 = 6814.
 * reduce-scatter: 3 (1124 + 10) + 10 = 3412; all-gather of 4096 each: 3 (4196 + 10) + 10 = 12628;
 * all-to-all: 4 x 3 / 2 = 6 messages of 1024: 6814.
 * Direct: one wave: all-gather 10 + 4196 + 10 = 4216; reduce-scatter, all-to-all 10 + 1124 + 10
 * = 1144; all-reduce two waves: 2 (1124 + 10) + 10 = 2278. Direct with a window of 1, n = 4:
 * all-to-all as three waves: 3 (1124 + 10) + 10 = 3412.
 * Halving-doubling: 2048, 1024 halving, 1024, 2048 doubling: 2 (2148 + 1124) + 4 x 10 + 10 = 6594;
 * all-gather 4096, 8192: 4196 + 8292 + 30 = 12518; reduce-scatter 2048, 1024: 3302.
 * Double binary tree on 4, whole data: tree 0 has root 3 over 1 (children 0, 2). Leaf 0: 10, sends,
 * at 1 at 4206; 1 reduces (10): 4216, sends to 3: 8412, 3: +10 = 8422, sends to 1: 12618, 1: +10 =
 * 12628 sends to 0, 2: 16824, +10 = 16834. Finish: 3 at 8422, 1 at 12628, 0 and 2 at 16834.
 */
static const struct {
    enum algorithm_id algorithm;
    uint32_t window;
    enum collective_kind kind;
    uint64_t ns;
} closed_forms[] = {
    {ALG_RING, 0, COLL_ALL_REDUCE, 6814},
    {ALG_RING, 0, COLL_REDUCE_SCATTER, 3412},
    {ALG_RING, 0, COLL_REDUCE_SCATTER_BLOCK, 3412},
    {ALG_RING, 0, COLL_ALL_GATHER, 12628},
    {ALG_RING, 0, COLL_ALL_TO_ALL, 6814},
    {ALG_DIRECT, 0, COLL_ALL_REDUCE, 2278},
    {ALG_DIRECT, 0, COLL_REDUCE_SCATTER, 1144},
    {ALG_DIRECT, 0, COLL_ALL_GATHER, 4216},
    {ALG_DIRECT, 0, COLL_ALL_TO_ALL, 1144},
    {ALG_DIRECT, 1, COLL_ALL_TO_ALL, 3412},
    {ALG_HALVING_DOUBLING, 0, COLL_ALL_REDUCE, 6594},
    {ALG_HALVING_DOUBLING, 0, COLL_ALL_GATHER, 12518},
    {ALG_HALVING_DOUBLING, 0, COLL_REDUCE_SCATTER, 3302},
};

START_TEST(collectives_match_their_closed_form)
{
    /* folded and unfolded, with and without contention (a full mesh has none) */
    for (int variant = 0; variant < 4; variant++) {
        struct mini *mini = ring_job(4, closed_forms[_i].algorithm, closed_forms[_i].window);
        mini->config.fold = variant & 1;
        mini->config.network.backend = (enum net_backend)(variant >> 1);
        mini_collective(mini, 0, -1, closed_forms[_i].kind, 4096);
        expect_all(mini, closed_forms[_i].ns);
        ck_assert_uint_eq(mini->result.class_count, variant & 1 ? 1 : 4);
        mini_free(mini);
    }
}
END_TEST

START_TEST(double_binary_tree_by_hand)
{
    struct mini *mini = ring_job(4, ALG_DOUBLE_BINARY_TREE, 0);
    mini_collective(mini, 0, -1, COLL_ALL_REDUCE, 4096);
    ck_assert_int_eq(mini_run(mini), STATUS_OK);
    const uint64_t expected[] = {16834, 12628, 16834, 8422};
    for (uint32_t r = 0; r < 4; r++)
        ck_assert_uint_eq(mini_finish_ns(mini, r), expected[r]);
    mini_free(mini);
}
END_TEST

/*
 * Rooted kinds, n = 4, 1000 B, root the first member, L = 2 rounds (rooted.h):
 * broadcast 2 (1100 + 10) + 10 = 2230 for the last leaf; barrier 2 (100 + 10) + 10 = 230;
 * reduce: root done at 2 (1100 + 10) + 10 = 2230. Scatter: root sends 2000 B then 1000 B: child 2
 * has its part at 10 + 2100, hands over 10, sends 1000: + 1100, + 10 = 3230. Gather: leaves to 0
 * and 2 in one round (10 + 1100), 2 hands over (10), sends 2000 (2100), root 10: 3230.
 */
static const struct {
    enum collective_kind kind;
    uint64_t last_ns;
} rooted[] = {
    {COLL_BROADCAST, 2230}, {COLL_REDUCE, 2230}, {COLL_GATHER, 3230},
    {COLL_SCATTER, 3230},   {COLL_BARRIER, 230},
};

START_TEST(rooted_collectives_match_their_closed_form)
{
    struct mini *mini = ring_job(4, ALG_RING, 0);
    mini->config.system.broadcast_replayed = false;
    mini_collective(mini, 0, -1, rooted[_i].kind, 1000);
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s", mini->diag.message);
    ck_assert_uint_eq(mini->result.end_ps, rooted[_i].last_ns * PS_PER_NS);
    mini_free(mini);
}
END_TEST

/* Every kind runs for every n, and injects at least the bytes that must move. */
START_TEST(every_kind_for_every_size)
{
    uint32_t n = (uint32_t)_i;
    for (int kind = 0; kind < COLL_KIND_COUNT; kind++) {
        struct mini *mini = ring_job(n, ALG_RING, 0);
        mini->config.system.broadcast_replayed = false;
        uint32_t node = mini_collective(mini, 0, -1, (enum collective_kind)kind, 7000);
        mini->trace[0].node[node].flags |= NODE_HAS_PEER;
        mini->trace[0].node[node].peer = n - 1; /* the root, where there is one */
        ck_assert_msg(mini_run(mini) == STATUS_OK, "n %u kind %d: %s", n, kind, mini->diag.message);
        ck_assert_double_eq(mini->result.bytes_sent, mini->result.bytes_delivered);
        if (kind == COLL_BROADCAST || kind == COLL_REDUCE)
            ck_assert_double_eq(mini->result.bytes_sent, 7000.0 * (n - 1));
        mini_free(mini);
    }
}
END_TEST

/*
 * The cost of n ranks of S bytes: all-reduce injects 2 (n-1) S in total, whatever the algorithm.
 */
START_TEST(all_reduce_injects_the_same_bytes)
{
    static const enum algorithm_id algorithms[] = {ALG_RING, ALG_DIRECT, ALG_HALVING_DOUBLING,
                                                   ALG_DOUBLE_BINARY_TREE};
    struct mini *mini = ring_job(8, algorithms[_i], 0);
    mini_collective(mini, 0, -1, COLL_ALL_REDUCE, 8192);
    ck_assert_int_eq(mini_run(mini), STATUS_OK);
    ck_assert_double_eq(mini->result.bytes_sent, 2.0 * 7 * 8192);
    mini_free(mini);
}
END_TEST

/*
 * user_needs T13: host 50 us, kernel 100 us, then an all-reduce beside a 1000 us kernel, then 20
 * us. One message time of the ring all-reduce is chosen so that it takes 3500 us in all: n = 8, 14
 * steps of 249990 ns + 10 ns hand-over, last hand-over 10 ns: 14 x 250000 + 10 = 3500010 ns.
 */
START_TEST(breakdown_adds_up)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_RING, 8, 1.0, 0.0);
    mini_algorithm(mini, ALG_RING, 0);
    uint32_t t = mini_trace_new(mini);
    uint32_t host = mini_host(mini, t, -1, 50000);
    uint32_t kernel = mini_compute(mini, t, (int)host, 100000);
    uint32_t reduce = mini_collective(mini, t, (int)kernel, COLL_ALL_REDUCE, 8 * 249990);
    uint32_t beside = mini_compute(mini, t, (int)kernel, 1000000);
    mini_compute(mini, t, (int)reduce, 20000);
    mini_also_after(mini, t, beside);
    ck_assert_int_eq(mini_run(mini), STATUS_OK);
    const struct rank_result *rank = result_rank(&mini->result, 3);
    ck_assert_uint_eq(rank->finish_ps, 3670010 * PS_PER_NS);
    ck_assert_uint_eq(rank->compute_ps, 1120000 * PS_PER_NS);
    ck_assert_uint_eq(rank->exposed_ps[COLL_ALL_REDUCE], 2500010 * PS_PER_NS);
    ck_assert_uint_eq(rank->overlapped_ps[COLL_ALL_REDUCE], 1000000 * PS_PER_NS);
    ck_assert_uint_eq(rank->host_ps, 50000 * PS_PER_NS);
    ck_assert_uint_eq(rank->idle_ps, 0);
    ck_assert_uint_eq(rank->waiting_ps, 0);
    ck_assert_uint_eq(rank_result_sum(rank), rank->finish_ps);
    mini_free(mini);
}
END_TEST

/*
 * user_needs T21 in small: ranks 2, 3 first all-reduce in group B, then all four all-gather. The
 * all-reduce of 2 ranks, 2000 B: 2 (100 + 1000 + 10) + 10 = 2230 ns; ranks 0, 1 wait that long.
 */
START_TEST(waiting_for_peers_is_its_own_category)
{
    struct mini *mini = ring_job(4, ALG_RING, 0);
    uint32_t early = 0, late = mini_trace_new(mini);
    mini_collective(mini, early, -1, COLL_ALL_GATHER, 900);
    uint32_t first = mini_collective(mini, late, -1, COLL_ALL_REDUCE, 2000);
    mini_in_group(mini, late, "B");
    mini_collective(mini, late, (int)first, COLL_ALL_GATHER, 900);
    mini->trace[late].node[1].group = TRACE_NONE;
    mini_group(mini, "B", (const uint32_t[]){2, 3}, 2);
    mini->of_rank[2] = mini->of_rank[3] = late;
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s", mini->diag.message);
    /* From 2230 on, three steps of 100 + 900 + 10, and 10: rank 0 may be a step ahead of that. */
    ck_assert_uint_eq(mini->result.end_ps, (2230 + 3 * 1010 + 10) * PS_PER_NS);
    ck_assert_uint_eq(result_rank(&mini->result, 0)->waiting_ps, 2230 * PS_PER_NS);
    ck_assert_uint_eq(result_rank(&mini->result, 2)->waiting_ps, 0);
    ck_assert_uint_eq(result_rank(&mini->result, 2)->exposed_ps[COLL_ALL_REDUCE], 2230 * PS_PER_NS);
    mini_free(mini);
}
END_TEST

/* T21's variants end with a diagnosis. */
START_TEST(divergent_ranks_are_diagnosed)
{
    struct mini *mini = ring_job(4, ALG_RING, 0);
    uint32_t other = mini_trace_new(mini);
    mini_collective(mini, 0, -1, COLL_ALL_REDUCE, 4096);
    if (_i == 0) /* omits it */
        mini_compute(mini, other, -1, 5);
    else /* another size */
        mini_collective(mini, other, -1, COLL_ALL_REDUCE, 8192);
    mini->of_rank[2] = other;
    enum status status = mini_run(mini);
    ck_assert_int_eq(status, _i == 0 ? STATUS_STUCK : STATUS_MISMATCH);
    if (_i == 0) {
        ck_assert_uint_eq(mini->result.wait_for_count, 1);
        ck_assert_ptr_nonnull(strstr(mini->result.wait_for[0], "waiting for rank 2"));
    } else {
        ck_assert_ptr_nonnull(strstr(mini->diag.message, "8192"));
    }
    mini_free(mini);
}
END_TEST

/*
 * Two chunks of a 2 x 2 all-reduce, q = 1: reduce-scatter in dim 0, all-reduce in dim 1, all-gather
 * in dim 0 (T = 100 + m). Each chunk 2048 B: RS 1024: 10 + 1124 + 10 = 1144; AR of 1024 in dim 1
 * moves 512 twice: 10 + 612 + 10 + 612 + 10 = 1254; AG of 1024 (its half): 10 + 1124 + 10. One
 * chunk: 1144 + 1254 + 1144 = 3542.
 */
START_TEST(phases_of_two_dimensions)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_RING, 2, 1.0, 100.0);
    mini_dim(mini, NET_RING, 2, 1.0, 100.0);
    mini_algorithm(mini, ALG_RING, 0);
    uint32_t t = mini_trace_new(mini);
    mini_collective(mini, t, -1, COLL_ALL_REDUCE, 2048);
    expect_all(mini, 3542);
    mini_free(mini);
}
END_TEST

/* A send ends at the arrival; a late receive when it is posted. T(1000) = 1100 ns. */
START_TEST(messages_meet_in_order)
{
    struct mini *mini = ring_job(2, ALG_RING, 0);
    uint32_t receiver = mini_trace_new(mini);
    mini_message(mini, 0, -1, OP_SEND, 1, 7, 1000);
    uint32_t busy = mini_compute(mini, receiver, -1, 5000);
    mini_message(mini, receiver, (int)busy, OP_RECV, 0, 7, 1000);
    mini->of_rank[1] = receiver;
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s", mini->diag.message);
    ck_assert_uint_eq(mini_finish_ns(mini, 0), 1100);
    ck_assert_uint_eq(mini_finish_ns(mini, 1), 5000);
    mini_free(mini);
}
END_TEST

/* The receiver waits for its peer until the send is issued, then for the data. */
/* One trace for four ranks: each sends to the next of its own pair and hears from it. */
START_TEST(messages_of_a_shared_trace_go_to_the_next_of_a_group)
{
    const uint32_t pair[2][2] = {{0, 2}, {3, 1}};
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, 4, 1, 0);
    uint32_t t = mini_trace_new(mini);
    mini_message(mini, t, -1, OP_SEND, 1, 7, 100);
    mini_message(mini, t, -1, OP_RECV, 1, 7, 100);
    mini->trace[t].group_names[0] = "pp";
    mini->trace[t].trace.group_name_count = 1;
    for (uint32_t i = 0; i < 2; i++) {
        mini->trace[t].node[i].group = 0;
        mini->trace[t].node[i].flags |= NODE_PEER_IN_GROUP;
        mini_group(mini, "pp", pair[i], 2);
    }
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s", mini->diag.message);
    for (uint32_t r = 0; r < 4; r++)
        ck_assert_uint_eq(mini_finish_ns(mini, r), 100);
    for (uint32_t i = 0; i < 2; i++)
        mini->trace[t].node[i].peer = 2;
    result_release(&mini->result);
    ck_assert_int_eq(mini_run(mini), STATUS_BAD_INPUT);
    ck_assert_msg(strstr(mini->diag.message, "is the rank itself") != NULL, "%s",
                  mini->diag.message);
    mini_free(mini);
}
END_TEST

START_TEST(a_receive_waits_for_its_send)
{
    struct mini *mini = ring_job(2, ALG_RING, 0);
    uint32_t sender = mini_trace_new(mini);
    mini_message(mini, 0, -1, OP_RECV, 1, 7, 1000);
    uint32_t busy = mini_compute(mini, sender, -1, 5000);
    mini_message(mini, sender, (int)busy, OP_SEND, 0, 7, 1000);
    mini->of_rank[1] = sender;
    ck_assert_int_eq(mini_run(mini), STATUS_OK);
    const struct rank_result *rank = result_rank(&mini->result, 0);
    ck_assert_uint_eq(rank->waiting_ps, 5000 * PS_PER_NS);
    ck_assert_uint_eq(rank->exposed_ps[COMM_RECV], 1100 * PS_PER_NS);
    mini_free(mini);
}
END_TEST

/* A size mismatch never matches; the report names the other size. */
START_TEST(a_size_mismatch_is_named)
{
    struct mini *mini = ring_job(2, ALG_RING, 0);
    uint32_t sender = mini_trace_new(mini);
    mini_message(mini, 0, -1, OP_RECV, 1, 7, 200);
    mini_message(mini, sender, -1, OP_SEND, 0, 7, 100);
    mini->of_rank[1] = sender;
    ck_assert_int_eq(mini_run(mini), STATUS_STUCK);
    ck_assert_ptr_nonnull(strstr(mini->result.wait_for[0], "100 B"));
    mini_free(mini);
}
END_TEST

/* Ready nodes are issued smallest id first, one compute at a time; more slots run side by side. */
START_TEST(slots_are_configuration)
{
    struct mini *mini = ring_job(2, ALG_RING, 0);
    mini->config.system.compute_slots = (uint32_t)_i;
    for (int i = 0; i < 4; i++)
        mini_compute(mini, 0, -1, 1000);
    expect_all(mini, _i == 1 ? 4000 : 2000);
    mini_free(mini);
}
END_TEST

/* A group of one costs nothing; so does a network of one NPU. */
START_TEST(singletons_cost_nothing)
{
    struct mini *mini = ring_job(2, ALG_RING, 0);
    uint32_t other = mini_trace_new(mini);
    mini_collective(mini, 0, -1, COLL_ALL_REDUCE, 4096);
    mini_in_group(mini, 0, "me");
    mini_compute(mini, other, -1, 1);
    mini_group(mini, "me", (const uint32_t[]){0}, 1);
    mini->of_rank[1] = other;
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s", mini->diag.message);
    ck_assert_uint_eq(mini_finish_ns(mini, 0), 0);
    mini_free(mini);
}
END_TEST

START_TEST(limit_and_watch_stop_cleanly)
{
    struct mini *mini = ring_job(4, ALG_RING, 0);
    mini_compute(mini, 0, -1, 100);
    mini_compute(mini, 0, 0, 100000);
    mini->config.max_time_ps = 50000;
    ck_assert_int_eq(mini_run(mini), STATUS_LIMIT);
    ck_assert_uint_eq(mini->result.finished_count, 0);
    mini_free(mini);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("simulate");
    TCase *cases = tcase_create("simulate");
    tcase_add_loop_test(cases, collectives_match_their_closed_form, 0,
                        (int)(sizeof closed_forms / sizeof closed_forms[0]));
    tcase_add_test(cases, double_binary_tree_by_hand);
    tcase_add_loop_test(cases, rooted_collectives_match_their_closed_form, 0,
                        (int)(sizeof rooted / sizeof rooted[0]));
    tcase_add_loop_test(cases, every_kind_for_every_size, 2, 18);
    tcase_add_loop_test(cases, all_reduce_injects_the_same_bytes, 0, 4);
    tcase_add_test(cases, breakdown_adds_up);
    tcase_add_test(cases, waiting_for_peers_is_its_own_category);
    tcase_add_loop_test(cases, divergent_ranks_are_diagnosed, 0, 2);
    tcase_add_test(cases, phases_of_two_dimensions);
    tcase_add_test(cases, messages_meet_in_order);
    tcase_add_test(cases, messages_of_a_shared_trace_go_to_the_next_of_a_group);
    tcase_add_test(cases, a_receive_waits_for_its_send);
    tcase_add_test(cases, a_size_mismatch_is_named);
    tcase_add_loop_test(cases, slots_are_configuration, 1, 3);
    tcase_add_test(cases, singletons_cost_nothing);
    tcase_add_test(cases, limit_and_watch_stop_cleanly);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
