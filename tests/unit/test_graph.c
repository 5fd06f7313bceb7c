/* Which edges count, and what is wrong with a graph, on tiny traces. */
#include "base/mix.h"
#include "tests/unit/mini.h"

#include "feed/graph.h"

struct fixture {
    struct mini *mini;
    struct notices notices;
    struct diag diag;
    struct graph graph;
    struct workload_config config;
};

static void setup(struct fixture *f)
{
    f->mini = mini_new();
    f->diag = DIAG_NONE;
    f->config = (struct workload_config){.deps = DEPS_AUTO};
    notices_init(&f->notices);
    mini_trace_new(f->mini);
}

static void teardown(struct fixture *f)
{
    notices_release(&f->notices);
    mini_free(f->mini);
}

static enum status build(struct fixture *f)
{
    return graph_build(&f->graph, &f->mini->trace[0].trace, &f->config, &f->notices, &f->diag);
}

/* Adds parent edges to the node added last. */
static void add_parent(struct fixture *f, uint32_t parent)
{
    mini_also_after(f->mini, 0, parent);
}

START_TEST(duplicates_count_once)
{
    struct fixture f;
    setup(&f);
    mini_compute(f.mini, 0, -1, 1);
    mini_compute(f.mini, 0, 0, 1);
    add_parent(&f, 0);
    add_parent(&f, 0 | PARENT_IS_CONTROL);
    ck_assert_int_eq(build(&f), STATUS_OK);
    ck_assert_uint_eq(f.graph.parent_count[1], 1);
    ck_assert_uint_eq(f.graph.child_begin[1], 1);
    ck_assert_uint_eq(f.graph.child[0], 1);
    graph_release(&f.graph);
    teardown(&f);
}
END_TEST

/* Node 1 has a data parent 0, node 2 a control parent 0. Rows: mode, producer, parents of 1 and 2.
 */
static const struct {
    enum deps_mode mode;
    enum trace_producer producer;
    uint32_t of_1, of_2;
} modes[] = {
    {DEPS_AUTO, PRODUCER_UNKNOWN, 1, 1},           {DEPS_AUTO, PRODUCER_PYTORCH_CONVERTER, 1, 0},
    {DEPS_DATA, PRODUCER_UNKNOWN, 1, 0},           {DEPS_CONTROL, PRODUCER_UNKNOWN, 0, 1},
    {DEPS_BOTH, PRODUCER_PYTORCH_CONVERTER, 1, 1},
};

START_TEST(mode_chooses_edges)
{
    struct fixture f;
    setup(&f);
    mini_compute(f.mini, 0, -1, 1);
    mini_compute(f.mini, 0, 0, 1);
    mini_compute(f.mini, 0, -1, 1);
    add_parent(&f, 0 | PARENT_IS_CONTROL);
    f.mini->trace[0].trace.producer = modes[_i].producer;
    f.config.deps = modes[_i].mode;
    ck_assert_int_eq(build(&f), STATUS_OK);
    ck_assert_uint_eq(f.graph.parent_count[1], modes[_i].of_1);
    ck_assert_uint_eq(f.graph.parent_count[2], modes[_i].of_2);
    graph_release(&f.graph);
    teardown(&f);
}
END_TEST

/* user_needs T08: a control edge to nowhere is counted, a data edge is an error unless dropped. */
START_TEST(missing_parents)
{
    struct fixture f;
    setup(&f);
    mini_compute(f.mini, 0, -1, 1);
    f.mini->trace[0].missing[0] = (struct missing_parent){0, _i == 0, 777};
    f.mini->trace[0].trace.missing_count = 1;
    f.config.drop_missing_parents = _i == 2;
    ck_assert_int_eq(build(&f), _i == 1 ? STATUS_BAD_INPUT : STATUS_OK);
    if (_i == 1) {
        ck_assert_uint_eq(f.diag.at, 10);
        ck_assert_ptr_nonnull(strstr(f.diag.message, "777"));
    } else {
        ck_assert_uint_eq(f.notices.count, 1);
        graph_release(&f.graph);
    }
    teardown(&f);
}
END_TEST

/* user_needs T09: six nodes, three in a ring; the error names all three. T08 (e): a self-loop. */
START_TEST(cycles_are_named_or_broken)
{
    struct fixture f;
    setup(&f);
    mini_compute(f.mini, 0, -1, 1);
    mini_compute(f.mini, 0, 0, 1); /* 1 <- 0 */
    add_parent(&f, 3);             /* 1 <- 3: closes the ring, goes back in start time */
    mini_compute(f.mini, 0, 1, 1); /* 2 <- 1 */
    mini_compute(f.mini, 0, 2, 1); /* 3 <- 2 */
    mini_compute(f.mini, 0, 3, 1);
    mini_compute(f.mini, 0, -1, 1);
    for (uint32_t i = 0; i < 6; i++)
        f.mini->trace[0].node[i].start_ns = 100 * (i + 1);
    ck_assert_int_eq(build(&f), STATUS_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(f.diag.message, "cycle of 3 nodes"));
    ck_assert_ptr_nonnull(strstr(f.diag.message, "20 (mini)"));
    ck_assert_ptr_nonnull(strstr(f.diag.message, "40 (mini)"));
    f.config.break_cycles = true;
    f.diag = DIAG_NONE;
    ck_assert_int_eq(build(&f), STATUS_OK);
    ck_assert_uint_eq(f.graph.parent_count[1], 1);
    ck_assert_str_eq(f.notices.row[0].key, "dependency dropped to break a cycle");
    ck_assert_ptr_nonnull(strstr(f.notices.row[0].example, "node 20 on 40"));
    graph_release(&f.graph);
    teardown(&f);
}
END_TEST

START_TEST(a_self_loop_is_a_cycle_of_one)
{
    struct fixture f;
    setup(&f);
    mini_compute(f.mini, 0, -1, 1);
    add_parent(&f, 0);
    ck_assert_int_eq(build(&f), STATUS_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(f.diag.message, "depends on itself"));
    teardown(&f);
}
END_TEST

/* Children against a dumb twin: random edges from lower to higher index. */
START_TEST(children_match_the_dumb_twin)
{
    struct fixture f;
    setup(&f);
    bool edge[24][24] = {{false}};
    uint64_t state = 12345;
    for (uint32_t i = 0; i < 24; i++) {
        mini_compute(f.mini, 0, -1, 1);
        for (uint32_t p = 0; p < i; p++) {
            uint64_t random = random_next(&state);
            if (random >> 61 == 0) {
                add_parent(&f, p);
                edge[p][i] = true;
            }
        }
    }
    ck_assert_int_eq(build(&f), STATUS_OK);
    for (uint32_t p = 0; p < 24; p++) {
        uint64_t at = f.graph.child_begin[p];
        for (uint32_t c = 0; c < 24; c++) {
            if (edge[p][c])
                ck_assert_uint_eq(f.graph.child[at++], c);
        }
        ck_assert_uint_eq(at, f.graph.child_begin[p + 1]);
    }
    graph_release(&f.graph);
    teardown(&f);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("graph");
    TCase *cases = tcase_create("graph");
    tcase_add_test(cases, duplicates_count_once);
    tcase_add_loop_test(cases, mode_chooses_edges, 0, (int)(sizeof modes / sizeof modes[0]));
    tcase_add_loop_test(cases, missing_parents, 0, 3);
    tcase_add_test(cases, cycles_are_named_or_broken);
    tcase_add_test(cases, a_self_loop_is_a_cycle_of_one);
    tcase_add_test(cases, children_match_the_dumb_twin);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
