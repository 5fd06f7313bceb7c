/* job_shape: traces that differ in the ranks and groups that they name only are of one shape. */
#include "run/job_shape.h"

#include "tests/unit/mini.h"

enum difference { NOTHING, NAMES, PEERS, DURATION, TAG, SIZE, EDGE, SLOTS, DIFFERENCES };

/* compute; all-reduce in one group, all-gather in another; a send and a receive of one peer. */
static uint32_t make_trace(struct mini *mini, enum difference difference)
{
    uint32_t t = mini_trace_new(mini);
    bool is_named = difference == NAMES, is_peer = difference == PEERS;
    mini_compute(mini, t, -1, difference == DURATION ? 11 : 10);
    mini_collective(mini, t, 0, COLL_ALL_REDUCE, difference == SIZE ? 999 : 1000);
    mini_in_group(mini, t, is_named ? "tp7" : "tp0");
    mini_collective(mini, t, difference == EDGE ? 1 : 0, COLL_ALL_GATHER, 1000);
    mini_in_group(mini, t, difference == SLOTS ? "tp0" : is_named ? "dp7" : "dp0");
    mini_message(mini, t, 2, OP_SEND, is_peer ? 3 : 1, difference == TAG ? 6 : 5, 700);
    mini_message(mini, t, 2, OP_RECV, is_peer ? 3 : 1, 5, 600);
    return t;
}

static void build(struct mini *mini, struct graph *graphs, struct job_shape *job)
{
    struct workload workload = {2, mini->of_rank, mini->traces, mini->trace_count};
    for (uint32_t t = 0; t < mini->trace_count; t++)
        ck_assert_int_eq(graph_build(&graphs[t], mini->traces[t], &mini->config.workload,
                                     &mini->result.notices, &mini->diag),
                         STATUS_OK);
    job_shape_init(job, &workload, graphs, NULL);
}

START_TEST(shapes)
{
    struct mini *mini = mini_new();
    struct graph graphs[2];
    struct job_shape job;
    make_trace(mini, NOTHING);
    make_trace(mini, (enum difference)_i);
    build(mini, graphs, &job);
    bool is_alike = _i == NOTHING || _i == NAMES || _i == PEERS;
    ck_assert_uint_eq(job.shape_count, is_alike ? 1 : 2);
    ck_assert_uint_eq(job.of_trace[0].shape == job.of_trace[1].shape, is_alike);
    job_shape_release(&job);
    graph_release(&graphs[0]);
    graph_release(&graphs[1]);
    mini_free(mini);
}
END_TEST

START_TEST(slots)
{
    struct mini *mini = mini_new();
    struct graph graph;
    struct job_shape job;
    make_trace(mini, NOTHING);
    build(mini, &graph, &job);
    const struct trace_shape *shape = &job.of_trace[0];
    ck_assert_uint_eq(shape->group_count, 2);
    ck_assert_uint_eq(shape->peer_count, 1); /* both messages are with rank 1 */
    ck_assert_uint_eq(shape->slot_of[0], TRACE_NONE);
    ck_assert_uint_eq(shape->slot_of[1], 0);
    ck_assert_uint_eq(shape->slot_of[2], 1);
    ck_assert_uint_eq(shape->slot_of[3], 0);
    ck_assert_uint_eq(shape->peer[0].node, 3);
    ck_assert(shape->peer[0].sent && shape->peer[0].received);
    ck_assert(shape->peer[0].sent != shape->peer[0].received); /* another size */
    job_shape_release(&job);
    graph_release(&graph);
    mini_free(mini);
}
END_TEST

static Suite *job_shape_suite(void)
{
    Suite *suite = suite_create("job_shape");
    TCase *tcase = tcase_create("job_shape");
    tcase_add_loop_test(tcase, shapes, 0, DIFFERENCES);
    tcase_add_test(tcase, slots);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(job_shape_suite())
