/* How collectives are cut into chunks and phases, with the arithmetic in the rows. */
#include "tests/unit/mini.h"

#include "sched/plan.h"

/*
 * chunk = size / splits; not all-gather and chunk < NPUs: chunk = NPUs, size = splits x chunk;
 * streams = ceil(size / chunk), each a full chunk.
 */
static const struct {
    enum collective_kind kind;
    uint64_t size;
    uint32_t splits, npus;
    uint64_t chunk;
    uint32_t streams;
    bool own_form;
} splits[] = {
    {COLL_ALL_REDUCE, 1048576, 4, 8, 262144, 4, false},
    {COLL_ALL_REDUCE, 1000003, 3, 8, 333334, 3 + 1,
     false}, /* 3 x 333334 = 1000002: one byte is left */
    {COLL_ALL_REDUCE, 0, 4, 8, 8, 4, false},
    {COLL_ALL_REDUCE, 31, 4, 8, 8, 4, false},
    {COLL_ALL_GATHER, 10, 4, 8, 2, 5, false},
    {COLL_ALL_GATHER, 3, 4, 8, 1, 3, false},
    {COLL_ALL_GATHER, 0, 4, 8, 0, 1, false},
    {COLL_BROADCAST, 1000, 4, 8, 1000, 1, false},
    /* In our own form nothing stays nothing; a byte for each NPU is the least of anything else. */
    {COLL_ALL_REDUCE, 0, 4, 8, 0, 1, true},
    {COLL_ALL_REDUCE, 1, 4, 8, 8, 4, true},
    {COLL_ALL_REDUCE, 1000003, 3, 8, 333335, 3, true},
};

START_TEST(chunks)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_RING, splits[_i].npus, 1, 0);
    mini->config.system.dataset_splits = splits[_i].splits;
    mini->config.own_form = splits[_i].own_form;
    struct plan_split split;
    ck_assert_int_eq(
        plan_split(&mini->config, splits[_i].kind, splits[_i].size, &split, &mini->diag),
        STATUS_OK);
    ck_assert_uint_eq(split.chunk_bytes, splits[_i].chunk);
    ck_assert_uint_eq(split.streams, splits[_i].streams);
    mini_free(mini);
}
END_TEST

/* Phases on 4 x 2 x 3 as "kind:dimension:bytes", for a chunk of 2400 bytes. */
static const struct {
    enum collective_kind kind;
    enum collective_optimization optimization;
    uint8_t dims;
    const char *phases;
} phases[] = {
    {COLL_ALL_REDUCE, COLL_LOCAL_BW_AWARE, 0xff,
     "reduce-scatter:0:2400 reduce-scatter:1:600 all-reduce:2:300 all-gather:1:300 "
     "all-gather:0:600 "},
    {COLL_ALL_REDUCE, COLL_BASELINE, 0xff,
     "all-reduce:0:2400 all-reduce:1:2400 all-reduce:2:2400 "},
    {COLL_ALL_REDUCE, COLL_LOCAL_BW_AWARE, 3,
     "reduce-scatter:0:2400 all-reduce:1:600 "
     "all-gather:0:600 "},
    {COLL_ALL_REDUCE, COLL_LOCAL_BW_AWARE, 2, "all-reduce:1:2400 "},
    {COLL_ALL_REDUCE, COLL_LOCAL_BW_AWARE, 0, ""},
    {COLL_REDUCE_SCATTER, COLL_LOCAL_BW_AWARE, 0xff,
     "reduce-scatter:0:2400 reduce-scatter:1:600 reduce-scatter:2:300 "},
    {COLL_ALL_GATHER, COLL_LOCAL_BW_AWARE, 0xff,
     "all-gather:2:2400 all-gather:1:7200 all-gather:0:14400 "},
    {COLL_ALL_TO_ALL, COLL_BASELINE, 5, "all-to-all:0:2400 all-to-all:2:2400 "},
};

START_TEST(phases_in_order)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_RING, 4, 1, 0);
    mini_dim(mini, NET_RING, 2, 1, 0);
    mini_dim(mini, NET_RING, 3, 1, 0);
    mini_algorithm(mini, ALG_RING, 0);
    mini->config.system.optimization = phases[_i].optimization;
    struct plan_book book;
    plan_book_init(&book, &mini->config);
    struct trace_node node = {
        .collective = (uint8_t)phases[_i].kind, .flags = NODE_HAS_DIMS, .dims = phases[_i].dims};
    const struct comm_group world = {.name = "world", .count = 24, .is_world = true};
    struct plan_key key = plan_key_of(&book, &node, 0, &world, 0, 2400);
    const struct chunk_plan *plan, *again;
    ck_assert_int_eq(plan_find(&book, &key, &plan, &mini->diag), STATUS_OK);
    char text[400] = "";
    for (uint32_t p = 0; p < plan->phase_count; p++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s:%u:%lu ",
                 collective_name(plan->phase[p].request.kind), plan->phase[p].level,
                 (unsigned long)plan->phase[p].request.bytes);
    ck_assert_str_eq(text, phases[_i].phases);
    ck_assert_int_eq(plan_find(&book, &key, &again, &mini->diag), STATUS_OK);
    ck_assert_ptr_eq(plan, again);
    plan_book_release(&book);
    mini_free(mini);
}
END_TEST

/* Round-robin turns the order by one per chunk; greedy gives the next chunk the idle dimension. */
START_TEST(dimension_orders)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_RING, 4, 1, 0);
    mini_dim(mini, NET_RING, 4, 1, 0);
    mini_algorithm(mini, ALG_RING, 0);
    mini->config.system.dim_order = _i == 0 ? DIMS_ROUND_ROBIN : DIMS_GREEDY;
    struct plan_book book;
    plan_book_init(&book, &mini->config);
    struct trace_node node = {.collective = COLL_ALL_REDUCE};
    struct plan_order order = {0};
    const struct comm_group world = {.name = "world", .count = 16, .is_world = true};
    for (uint8_t chunk = 0; chunk < 4; chunk++) {
        struct plan_key key = plan_key_of(&book, &node, 0, &world, 0, 1600);
        plan_choose_order(&mini->config, &order, &key);
        ck_assert_uint_eq(key.order[0], chunk % 2);
        ck_assert_uint_eq(key.order[1], 1 - chunk % 2);
    }
    plan_book_release(&book);
    mini_free(mini);
}
END_TEST

/* What is planned before a run has every dimension last once, and first once. */
START_TEST(orders_to_plan)
{
    struct mini *mini = mini_new();
    for (int d = 0; d < 3; d++)
        mini_dim(mini, NET_RING, 4, 1, 0);
    mini_algorithm(mini, ALG_RING, 0);
    struct plan_key key = {.kind = COLL_ALL_REDUCE};
    ck_assert_uint_eq(plan_order_count(&mini->config, &key), 1);
    mini->config.system.dim_order = DIMS_GREEDY;
    ck_assert_uint_eq(plan_order_count(&mini->config, &key), 3);
    uint32_t first = 0, last = 0;
    for (uint32_t turn = 0; turn < 3; turn++) {
        plan_turn_order(&mini->config, turn, &key);
        first |= 1u << key.order[0];
        last |= 1u << key.order[2];
    }
    ck_assert_uint_eq(first, 7);
    ck_assert_uint_eq(last, 7);
    key.group_size = 8; /* a group is one dimension */
    ck_assert_uint_eq(plan_order_count(&mini->config, &key), 1);
    mini_free(mini);
}
END_TEST

/* Three passes over 1 byte: 3 / 1900 ns = 1.58 ps, 3 / 2100 ns = 1.43 ps; cut to ns, nothing. */
START_TEST(reduction_is_rounded_once)
{
    struct system_config system = {.local_memory_Bps = 1900e9};
    ck_assert_uint_eq(plan_reduction_time(&system, 1), 2);
    system.local_memory_Bps = 2100e9;
    ck_assert_uint_eq(plan_reduction_time(&system, 1), 1);
    system.whole_ns = true;
    ck_assert_uint_eq(plan_reduction_time(&system, 1), 0);
    system.local_memory_Bps = 1e9; /* each pass is cut by itself */
    ck_assert_uint_eq(plan_reduction_time(&system, 10), 3 * 10 * PS_PER_NS);
}
END_TEST

START_TEST(what_cannot_be_planned)
{
    static const char *const says[] = {"power of two", "no algorithm is given", "absent"};
    struct mini *mini = mini_new();
    mini_dim(mini, NET_RING, 6, 1, 0);
    if (_i != 1)
        mini_algorithm(mini, _i == 0 ? ALG_HALVING_DOUBLING : ALG_RING, 0);
    if (_i == 2)
        mini->config.system.dataset_splits = 0;
    mini_trace_new(mini);
    mini_collective(mini, 0, -1, COLL_ALL_REDUCE, 4096);
    ck_assert_int_eq(mini_run(mini), STATUS_BAD_CONFIG);
    ck_assert_msg(strstr(mini->diag.message, says[_i]) != NULL, "%s", mini->diag.message);
    mini_free(mini);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("plan");
    TCase *cases = tcase_create("plan");
    tcase_add_loop_test(cases, chunks, 0, (int)(sizeof splits / sizeof splits[0]));
    tcase_add_loop_test(cases, phases_in_order, 0, (int)(sizeof phases / sizeof phases[0]));
    tcase_add_loop_test(cases, dimension_orders, 0, 2);
    tcase_add_test(cases, orders_to_plan);
    tcase_add_test(cases, reduction_is_rounded_once);
    tcase_add_loop_test(cases, what_cannot_be_planned, 0, 3);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
