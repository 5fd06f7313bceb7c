/*
 * Closed forms against whole runs: each algorithm on a fully connected network without contention
 * takes exactly latency_terms a + path_bytes b of its own closed form (collective_ops.cost), for
 * powers of two and others, and moves the bytes that it says; all-reduce moves 2 (n-1) S where the
 * algorithm is optimal in bandwidth.
 *
 * 1 B/ns and 1000 ns: a message of m bytes takes 1000 + m ns. Endpoint delay and reductions free.
 */
#include "tests/unit/mini.h"

#include "model/collective.h"

static const uint32_t shapes[][3] = {{2},    {3},    {4},    {5},    {6},       {7},      {8},
                                     {12},   {16},   {17},   {32},   {2, 4},    {4, 2},   {3, 5},
                                     {4, 4}, {8, 4}, {6, 4}, {1, 3}, {2, 2, 2}, {4, 3, 2}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static enum algorithm_slot slot_of(enum collective_kind kind)
{
    switch (kind) {
    case COLL_ALL_REDUCE:
        return SLOT_ALL_REDUCE;
    case COLL_ALL_GATHER:
        return SLOT_ALL_GATHER;
    case COLL_REDUCE_SCATTER:
        return SLOT_REDUCE_SCATTER;
    case COLL_ALL_TO_ALL:
        return SLOT_ALL_TO_ALL;
    case COLL_BROADCAST:
        return SLOT_BROADCAST;
    case COLL_REDUCE:
        return SLOT_REDUCE;
    case COLL_GATHER:
        return SLOT_GATHER;
    case COLL_SCATTER:
        return SLOT_SCATTER;
    default:
        return SLOT_BARRIER;
    }
}

static struct schedule_request request_for(int shape, enum collective_kind kind)
{
    struct schedule_request request = {.kind = kind, .n = 1};
    for (int d = 0; d < 3 && shapes[shape][d]; d++) {
        request.dim[request.dim_count++] = shapes[shape][d];
        request.n *= shapes[shape][d];
    }
    request.bytes = kind == COLL_BARRIER ? 0 : (uint64_t)request.n * 16 * 9 * 5 * 7;
    return request;
}

static bool uses_switches(enum algorithm_id id)
{
    return id == ALG_NVLS || id == ALG_NVLS_TREE || id == ALG_SHARP;
}

static struct mini *job_for(const struct schedule_request *request, enum algorithm_id id)
{
    struct mini *mini = mini_new();
    for (uint32_t d = 0; d < request->dim_count; d++)
        mini_dim(mini, NET_FULLY_CONNECTED, request->dim[d], 1.0, 1000.0);
    mini->config.system.broadcast_replayed = false;
    mini->config.system.endpoint_delay_ns = 0;
    mini->config.system.small_group_delay_ns = 0;
    struct algorithm_list *list = &mini->config.system.algorithm[slot_of(request->kind)];
    list->count = 1;
    list->choice[0] = (struct algorithm_choice){.id = id,
                                                .flat = slot_of(request->kind) < SLOT_PER_DIM_COUNT,
                                                .window = request->window,
                                                .chunks = request->chunks,
                                                .channels = request->channels,
                                                .radix = request->radix};
    mini_trace_new(mini);
    uint32_t node = mini_collective(mini, 0, -1, request->kind, request->bytes);
    mini->trace[0].node[node].flags |= NODE_HAS_PEER;
    mini->trace[0].node[node].peer = request->root;
    return mini;
}

/* Does every message stay in one dimension, so that it has one hop? */
static bool moves_along_dims(const struct schedule_request *request, enum algorithm_id id)
{
    if (id == ALG_TORUS_BUCKET || id == ALG_TORUS_BUCKET_MULTIPORT || id == ALG_SWING ||
        id == ALG_SWING_LATENCY)
        return true;
    return request->dim_count == 2 &&
           (id == ALG_HIERARCHICAL || id == ALG_TWO_STEP || id == ALG_RAIL);
}

static void expect_time(const struct collective_ops *ops, const struct schedule_request *request,
                        enum algorithm_id id)
{
    struct collective_cost cost;
    ops->cost(request, &cost);
    struct mini *mini = job_for(request, id);
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s: %s", ops->name, mini->diag.message);
    ck_assert_msg(mini->result.bytes_sent == (double)cost.total_bytes,
                  "%s %s n %u: %.0f B, not %lu", ops->name, collective_name(request->kind),
                  request->n, mini->result.bytes_sent, cost.total_bytes);
    if (request->dim_count == 1 || moves_along_dims(request, id)) {
        uint64_t ns = cost.latency_terms * 1000 + cost.path_bytes;
        ck_assert_msg(mini->result.end_ps == ns * PS_PER_NS, "%s %s n %u: %.3f ns, not %lu",
                      ops->name, collective_name(request->kind), request->n,
                      (double)mini->result.end_ps / 1000, ns);
    }
    mini_free(mini);
}

START_TEST(runs_take_the_time_of_the_closed_form)
{
    enum algorithm_id id = (enum algorithm_id)_i;
    const struct collective_ops *ops = collective_algorithms[id];
    for (int shape = 0; shape < SHAPES && !uses_switches(id); shape++) {
        for (int kind = 0; kind < COLL_KIND_COUNT; kind++) {
            struct schedule_request request = request_for(shape, (enum collective_kind)kind);
            struct diag diag = DIAG_NONE;
            if (!(ops->kinds & KIND_BIT(kind)) || ops->check(&request, &diag))
                continue;
            expect_time(ops, &request, id);
            request.chunks = id == ALG_CHAIN || id == ALG_BINARY_TREES || id == ALG_PAT ? 5 : 0;
            if (request.chunks)
                expect_time(ops, &request, id);
            for (request.window = 1; id == ALG_DIRECT && request.window < 5; request.window++)
                expect_time(ops, &request, id);
            request.window = request.chunks = 0;
            request.channels = id == ALG_MULTI_RING ? 1 : 0;
            request.radix = id == ALG_BRUCK ? 3 : 0;
            if (request.channels || request.radix)
                expect_time(ops, &request, id);
        }
    }
}
END_TEST

/* With rendezvous and hand-overs every algorithm ends too, and moves the same bytes. */
START_TEST(runs_end_with_rendezvous)
{
    enum algorithm_id id = (enum algorithm_id)_i;
    const struct collective_ops *ops = collective_algorithms[id];
    for (int shape = 0; shape < SHAPES && !uses_switches(id); shape++) {
        for (int kind = 0; kind < COLL_KIND_COUNT; kind++) {
            struct schedule_request request = request_for(shape, (enum collective_kind)kind);
            struct diag diag = DIAG_NONE;
            if (!(ops->kinds & KIND_BIT(kind)) || ops->check(&request, &diag))
                continue;
            struct collective_cost cost;
            ops->cost(&request, &cost);
            struct mini *mini = job_for(&request, id);
            mini->config.system.rendezvous = true;
            mini->config.system.endpoint_delay_ns = 7;
            ck_assert_msg(mini_run(mini) == STATUS_OK, "%s %s n %u: %s", ops->name,
                          collective_name(request.kind), request.n, mini->diag.message);
            ck_assert_double_eq(mini->result.bytes_sent, (double)cost.total_bytes);
            ck_assert_uint_gt(mini->result.end_ps, cost.latency_terms * 1000 * PS_PER_NS);
            mini_free(mini);
        }
    }
}
END_TEST

/* Reduce-scatter and all-gather of every block: (n-1) S each, whatever the algorithm. */
static const enum algorithm_id optimal[] = {ALG_RING,
                                            ALG_DIRECT,
                                            ALG_BIDIRECTIONAL_RING,
                                            ALG_BIDIRECTIONAL_RING_FULL,
                                            ALG_MULTI_RING,
                                            ALG_HIERARCHICAL,
                                            ALG_TORUS_BUCKET,
                                            ALG_TORUS_BUCKET_MULTIPORT,
                                            ALG_SWING,
                                            ALG_TWO_SHOT,
                                            ALG_BINARY_TREES,
                                            ALG_HALVING_DOUBLING,
                                            ALG_RABENSEIFNER,
                                            ALG_DOUBLE_BINARY_TREE};

START_TEST(all_reduce_moves_2_n_minus_1_times_s)
{
    const struct collective_ops *ops = collective_algorithms[optimal[_i]];
    uint32_t runs = 0;
    for (int shape = 0; shape < SHAPES; shape++) {
        struct schedule_request request = request_for(shape, COLL_ALL_REDUCE);
        struct diag diag = DIAG_NONE;
        bool is_folded = optimal[_i] == ALG_RABENSEIFNER && request.n & (request.n - 1);
        if (ops->check(&request, &diag) || is_folded)
            continue;
        struct mini *mini = job_for(&request, optimal[_i]);
        ck_assert_int_eq(mini_run(mini), STATUS_OK);
        ck_assert_double_eq(mini->result.bytes_sent, 2.0 * (request.n - 1) * request.bytes);
        ck_assert_double_eq(mini->result.bytes_delivered, mini->result.bytes_sent);
        mini_free(mini);
        runs++;
    }
    ck_assert_uint_gt(runs, 3);
}
END_TEST

static Suite *times_suite(void)
{
    Suite *suite = suite_create("collective_times");
    TCase *tcase = tcase_create("times");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, runs_take_the_time_of_the_closed_form, 0, ALG_COUNT);
    tcase_add_loop_test(tcase, runs_end_with_rendezvous, 0, ALG_COUNT);
    tcase_add_loop_test(tcase, all_reduce_moves_2_n_minus_1_times_s, 0,
                        sizeof optimal / sizeof *optimal);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(times_suite())
