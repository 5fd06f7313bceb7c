/*
 * Folded runs against unfolded ones over a grid of networks, algorithms and options: every figure
 * of every rank must be the same, and where folding would not be exact it must not be used.
 */
#include "tests/unit/mini.h"

struct grid_point {
    uint32_t dims, algorithm, window, splits, active, queues, backend, block, optimization, kinds;
};

/* Mixed-radix digits of a number: one point of the grid. */
static struct grid_point point_of(uint32_t index)
{
    struct grid_point point;
    uint32_t *digit[] = {&point.dims,   &point.algorithm,    &point.splits,
                         &point.active, &point.queues,       &point.backend,
                         &point.block,  &point.optimization, &point.kinds};
    const uint32_t radix[] = {3, 4, 3, 2, 3, 2, 3, 2, 4};
    for (int i = 0; i < 9; i++) {
        *digit[i] = index % radix[i];
        index /= radix[i];
    }
    point.window = point.algorithm == 3 ? 2 : 0;
    return point;
}

static struct mini *make_job(const struct grid_point *point, bool fold)
{
    static const enum algorithm_id algorithms[] = {ALG_RING, ALG_DIRECT, ALG_HALVING_DOUBLING,
                                                   ALG_DIRECT};
    static const uint32_t splits[] = {1, 3, 8}, queues[] = {1, 2, 4};
    struct mini *mini = mini_new();
    uint32_t dims = point->backend == NET_CONGESTION_AWARE ? 1 : point->dims + 1;
    for (uint32_t d = 0; d < dims; d++)
        mini_dim(mini, (enum net_block)((point->block + d) % 3), d == 1 ? 2 : 4, 1.0 + 0.3 * d,
                 100.5 * (d + 1));
    mini_algorithm(mini, algorithms[point->algorithm], point->window);
    struct system_config *system = &mini->config.system;
    mini->config.network.backend = (enum net_backend)point->backend;
    mini->config.fold = fold;
    system->dataset_splits = splits[point->splits];
    system->active_chunks_per_dim = 1 + 3 * point->active;
    system->queues_per_dim = queues[point->queues];
    system->optimization = (enum collective_optimization)point->optimization;
    system->local_memory_Bps = 50e9;
    static const enum collective_kind kinds[] = {COLL_ALL_REDUCE, COLL_REDUCE_SCATTER,
                                                 COLL_ALL_GATHER, COLL_ALL_REDUCE};
    uint32_t t = mini_trace_new(mini);
    uint32_t first = mini_compute(mini, t, -1, 10); /* 10 ns: ties with the hand-over */
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t collective =
            mini_collective(mini, t, (int)first, kinds[(point->kinds + i) % 4], 10007 + 64 * i);
        first = mini_compute(mini, t, i == 1 ? (int)collective : (int)first, 500);
    }
    return mini;
}

static void compare_ranks(const struct run_result *a, const struct run_result *b, uint32_t index)
{
    ck_assert_uint_eq(a->end_ps, b->end_ps);
    for (uint32_t r = 0; r < a->rank_count; r++) {
        const struct rank_result *one = result_rank(a, r), *other = result_rank(b, r);
        ck_assert_msg(memcmp(one, other, sizeof *one) == 0,
                      "point %u rank %u: finish %lu and %lu ps", index, r,
                      (unsigned long)one->finish_ps, (unsigned long)other->finish_ps);
    }
    ck_assert_uint_eq(a->messages, b->messages);
    ck_assert_double_eq(a->bytes_sent, b->bytes_sent);
    ck_assert_uint_eq(a->node_done, b->node_done);
    ck_assert_uint_eq(a->collective_count, b->collective_count);
    for (uint32_t i = 0; i < a->collective_count; i++) {
        ck_assert_uint_eq(a->collective[i].count, b->collective[i].count);
        ck_assert_uint_eq(a->collective[i].time_ps, b->collective[i].time_ps);
    }
}

enum { GRID = 3 * 4 * 3 * 2 * 3 * 2 * 3 * 2 * 4, BATCHES = 24 };

START_TEST(folded_equals_unfolded)
{
    uint32_t folded = 0, run = 0;
    for (uint32_t index = (uint32_t)_i; index < GRID; index += BATCHES) {
        struct grid_point point = point_of(index);
        struct mini *unfolded = make_job(&point, false), *fold = make_job(&point, true);
        enum status status = mini_run(unfolded);
        ck_assert_int_eq(mini_run(fold), status);
        if (status == STATUS_OK) {
            compare_ranks(&unfolded->result, &fold->result, index);
            folded += fold->result.class_count == 1;
            run++;
        }
        mini_free(unfolded);
        mini_free(fold);
    }
    /* The test would prove nothing if folding were never used. */
    ck_assert_uint_gt(folded, run / 4);
}
END_TEST

/* Each row breaks one condition of run/fold.h. */
START_TEST(not_folded_where_it_would_not_be_exact)
{
    static const char *const expected[] = {"point-to-point", "different traces", "smaller than",
                                           "share links",    "different parts",  "rendezvous"};
    struct mini *mini = mini_new();
    mini_dim(mini, NET_RING, 4, 1.0, 100.0);
    mini_algorithm(mini, _i == 4 ? ALG_DOUBLE_BINARY_TREE : ALG_DIRECT, 0);
    mini->config.fold = true;
    mini_trace_new(mini);
    mini_collective(mini, 0, -1, COLL_ALL_REDUCE, 4096);
    if (_i == 0) { /* every rank sends to 1 and receives from it: rank 1 itself cannot */
        mini_compute(mini, mini_trace_new(mini), -1, 1);
        mini->of_rank[1] = 1;
    } else if (_i == 1) {
        mini_collective(mini, mini_trace_new(mini), -1, COLL_ALL_REDUCE, 4096);
        mini->of_rank[1] = 1;
    } else if (_i == 2) {
        mini_in_group(mini, 0, "two");
        mini_compute(mini, mini_trace_new(mini), -1, 1);
        mini_group(mini, "two", (const uint32_t[]){0, 1}, 2);
        mini->of_rank[2] = mini->of_rank[3] = 1;
    } else if (_i == 3) {
        mini->config.network.backend = NET_CONGESTION_AWARE;
    } else if (_i == 5) {
        mini->config.system.rendezvous = true;
    }
    mini_run(mini);
    ck_assert_uint_ne(mini->result.class_count, 1);
    if (_i >= 3) /* with several traces that reason comes first */
        ck_assert_ptr_nonnull(strstr(mini->result.fold_note, expected[_i]));
    mini_free(mini);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("fold");
    TCase *cases = tcase_create("fold");
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, folded_equals_unfolded, 0, BATCHES);
    tcase_add_loop_test(cases, not_folded_where_it_would_not_be_exact, 0, 6);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
