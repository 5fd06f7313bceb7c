/*
 * Folded runs against unfolded ones over a grid of networks, algorithms and options: every figure
 * of every rank must be the same, and where folding would not be exact it must not be used.
 */
#include "base/mix.h"
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

/* -- random jobs: everything that can be concurrent or ordered by ties ---------------------------
 */

static void draw_network(struct mini *mini, uint64_t *state)
{
    static const uint32_t sizes[] = {2, 3, 4, 5, 8};
    bool is_aware = random_below(state, 3) == 0;
    mini->config.network.backend = is_aware ? NET_CONGESTION_AWARE : NET_CONGESTION_UNAWARE;
    uint32_t dims = is_aware ? 1 : 1 + random_below(state, 3);
    for (uint32_t d = 0; d < dims; d++)
        mini_dim(mini, (enum net_block)random_below(state, 3),
                 sizes[random_below(state, dims < 3 ? 5 : 3)], 1.0 + random_below(state, 3),
                 10.0 * random_below(state, 3));
}

static void draw_system(struct mini *mini, uint64_t *state)
{
    static const uint32_t splits[] = {1, 2, 3, 8}, powers[] = {1, 2, 4};
    struct system_config *system = &mini->config.system;
    for (int s = 0; s < SLOT_PER_DIM_COUNT; s++) {
        struct algorithm_list *list = &system->algorithm[s];
        list->count = mini->config.network.dim_count;
        for (uint32_t d = 0; d < list->count; d++) {
            list->choice[d].id =
                (enum algorithm_id)random_below(state, s == SLOT_ALL_TO_ALL ? 2 : 3);
            list->choice[d].window = random_below(state, 4);
        }
        if (random_below(state, 4) == 0) { /* ASTRA-sim's one*: one dimension over all ranks */
            list->choice[0].flat = true;
            list->count = 1;
        }
    }
    system->dataset_splits = splits[random_below(state, 4)];
    system->active_chunks_per_dim = powers[random_below(state, 3)];
    system->queues_per_dim = powers[random_below(state, 3)];
    system->policy = (enum sched_policy)random_below(state, 3);
    system->dim_order = (enum dim_order)random_below(state, 3);
    system->optimization = (enum collective_optimization)random_below(state, 2);
    system->endpoint_delay_ns = 10 * random_below(state, 3);
    system->comm_slots = powers[random_below(state, 3)];
    system->compute_slots = powers[random_below(state, 2)];
    system->local_memory_Bps = random_below(state, 2) ? 50e9 : 0;
    system->least_duration_ns = random_below(state, 2);
}

static void draw_nodes(struct mini *mini, uint64_t *state)
{
    static const enum collective_kind kinds[] = {COLL_ALL_REDUCE, COLL_ALL_GATHER,
                                                 COLL_REDUCE_SCATTER, COLL_ALL_TO_ALL};
    static const uint64_t sizes[] = {64, 1000, 4096, 10007};
    uint32_t t = mini_trace_new(mini);
    for (uint32_t i = 0, count = 2 + random_below(state, 8); i < count; i++) {
        int after = i ? (int)random_below(state, i + 1) - 1 : -1;
        if (random_below(state, 3)) {
            uint32_t node = mini_collective(mini, t, after, kinds[random_below(state, 4)],
                                            sizes[random_below(state, 4)]);
            mini->trace[t].node[node].priority = (int32_t)random_below(state, 3);
        } else {
            mini_compute(mini, t, after, 10 * random_below(state, 4));
        }
    }
}

static struct mini *draw_job(uint64_t seed, bool fold)
{
    uint64_t state = seed;
    struct mini *mini = mini_new();
    draw_network(mini, &state);
    draw_system(mini, &state);
    draw_nodes(mini, &state);
    mini->config.fold = fold;
    return mini;
}

enum { RANDOM_JOBS = 250 };

START_TEST(random_jobs_fold_exactly)
{
    uint32_t folded = 0;
    for (uint64_t i = 0; i < RANDOM_JOBS; i++) {
        uint64_t seed = 1000000 * (uint64_t)_i + i;
        struct mini *unfolded = draw_job(seed, false), *fold = draw_job(seed, true);
        enum status status = mini_run(unfolded);
        ck_assert_msg(mini_run(fold) == status, "seed %lu: another end", (unsigned long)seed);
        if (status == STATUS_OK) {
            compare_ranks(&unfolded->result, &fold->result, (uint32_t)seed);
            folded += fold->result.class_count == 1;
        }
        mini_free(unfolded);
        mini_free(fold);
    }
    ck_assert_uint_gt(folded, RANDOM_JOBS / 8);
}
END_TEST

/*
 * A window of 3 over 5 x 8 ranks: offsets that are multiples of 5 take 25 ns, the others 15 ns, a
 * reduction 15 ns, so hand-overs and arrivals meet at the gate, in an order that only the ranks'
 * numbers decide.
 */
static struct mini *gate_job(bool fold)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, 5, 50.0, 10.0);
    mini_dim(mini, NET_SWITCH, 8, 50.0, 10.0);
    struct algorithm_list *list = &mini->config.system.algorithm[SLOT_ALL_REDUCE];
    *list = (struct algorithm_list){.count = 1, .choice = {{ALG_DIRECT, 3, .flat = true}}};
    mini->config.fold = fold;
    mini->config.system.endpoint_delay_ns = 0;
    mini->config.system.dataset_splits = 1;
    mini->config.system.local_memory_Bps = 50e9;
    mini_collective(mini, mini_trace_new(mini), -1, COLL_ALL_REDUCE, 10007);
    return mini;
}

START_TEST(meeting_at_the_gate)
{
    struct mini *unfolded = gate_job(false), *fold = gate_job(true);
    ck_assert_int_eq(mini_run(unfolded), STATUS_OK);
    ck_assert_int_eq(mini_run(fold), STATUS_OK);
    compare_ranks(&unfolded->result, &fold->result, 0);
    mini_free(unfolded);
    mini_free(fold);
}
END_TEST

/* -- where it may not be used ---------------------------------------------------------------- */

/* Jobs on one trace that break one condition of run/fold.h each, and what the note says. */
enum obstacle { SMALL_GROUP, SHARED_LINKS, TREE, RENDEZVOUS, BOTH_WAYS, OBSTACLES };

static struct mini *obstacle_job(enum obstacle obstacle)
{
    struct mini *mini = mini_new();
    mini_dim(mini, obstacle == BOTH_WAYS ? NET_SWITCH : NET_RING, 4, 1.0, 100.0);
    mini_algorithm(mini,
                   obstacle == TREE        ? ALG_DOUBLE_BINARY_TREE
                   : obstacle == BOTH_WAYS ? ALG_RING
                                           : ALG_DIRECT,
                   0);
    mini->config.fold = true;
    mini_collective(mini, mini_trace_new(mini), -1, COLL_ALL_REDUCE, 4096);
    if (obstacle == SHARED_LINKS || obstacle == BOTH_WAYS)
        mini->config.network.backend = NET_CONGESTION_AWARE;
    if (obstacle == BOTH_WAYS)
        mini->config.system.queues_per_dim = 2;
    mini->config.system.rendezvous = obstacle == RENDEZVOUS;
    if (obstacle == SMALL_GROUP) { /* every rank names its own group alike: one trace */
        mini->config.network.dim[0].npus = mini->config.network.npu_count = 2;
        mini_in_group(mini, 0, "me");
        mini_group(mini, "me", (const uint32_t[]){1, 0}, 2);
    }
    return mini;
}

START_TEST(not_folded_where_it_would_not_be_exact)
{
    static const char *const says[] = {
        [SMALL_GROUP] = NULL, /* of all ranks: it is folded */
        [SHARED_LINKS] = "share links", [TREE] = "different parts",
        [RENDEZVOUS] = "rendezvous",    [BOTH_WAYS] = "both directions",
    };
    struct mini *mini = obstacle_job((enum obstacle)_i);
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s", mini->diag.message);
    if (says[_i]) {
        ck_assert_uint_ne(mini->result.class_count, 1);
        ck_assert_ptr_nonnull(strstr(mini->result.fold_note, says[_i]));
    } else {
        ck_assert_uint_eq(mini->result.class_count, 1);
    }
    mini_free(mini);
}
END_TEST

START_TEST(different_traces_are_not_folded)
{
    struct mini *mini = obstacle_job(RENDEZVOUS);
    mini->config.system.rendezvous = false;
    mini_collective(mini, mini_trace_new(mini), -1, COLL_ALL_REDUCE, 4096);
    mini->of_rank[1] = 1;
    ck_assert_int_eq(mini_run(mini), STATUS_OK);
    ck_assert_ptr_nonnull(strstr(mini->result.fold_note, "different traces"));
    mini_free(mini);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("fold");
    TCase *cases = tcase_create("fold");
    tcase_set_timeout(cases, 60);
    tcase_add_loop_test(cases, folded_equals_unfolded, 0, BATCHES);
    tcase_add_loop_test(cases, random_jobs_fold_exactly, 0, 20);
    tcase_add_test(cases, meeting_at_the_gate);
    tcase_add_loop_test(cases, not_folded_where_it_would_not_be_exact, 0, OBSTACLES);
    tcase_add_test(cases, different_traces_are_not_folded);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
