/* Launches by the host, and the times of op shapes on a device. */
#include "run/op_times.h"

#include "compute/resolve.h"
#include "tests/unit/mini.h"
#include "tests/unit/temp_file.h"

/* Ten kernels in a chain; ns of the whole, and of it what the rank waits for its host. */
static void expect_chain(uint64_t kernel_ns, double launch_ns, uint64_t whole_ns, uint64_t host_ns)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, 1, 1.0, 100.0);
    mini_trace_new(mini);
    mini->config.system.launch_overhead_ns = launch_ns;
    mini->config.system.step_overhead_ns = 1000;
    int last = -1;
    for (int i = 0; i < 10; i++)
        last = (int)mini_compute(mini, 0, last, kernel_ns);
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s", mini->diag.message);
    ck_assert_uint_eq(mini_finish_ns(mini, 0), whole_ns);
    ck_assert_uint_eq(result_rank(&mini->result, 0)->host_ps, host_ns * PS_PER_NS);
    ck_assert_uint_eq(result_rank(&mini->result, 0)->nodes[OP_COMPUTE], 10);
    mini_free(mini);
}

START_TEST(short_kernels_wait_for_the_host_and_long_ones_hide_it)
{
    expect_chain(2000, 5000, 1000 + 10 * 5000 + 2000, 1000 + 5000 + 9 * 3000);
    expect_chain(8000, 5000, 1000 + 5000 + 10 * 8000, 1000 + 5000);
    expect_chain(8000, 0, 1000 + 10 * 8000, 1000);
}
END_TEST

/* A long kernel first: the host runs ahead of it, so the short ones behind it do not wait. */
/* A node of four kernels is launched when the last of them is. */
START_TEST(a_node_of_several_kernels)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, 1, 1.0, 100.0);
    mini_trace_new(mini);
    mini->config.system.launch_overhead_ns = 5000;
    mini_node(mini, 0, -1,
              (struct trace_node){.type = OP_COMPUTE, .duration_ns = 2000, .kernels = 4});
    ck_assert_int_eq(mini_run(mini), STATUS_OK);
    ck_assert_uint_eq(mini_finish_ns(mini, 0), 4 * 5000 + 2000);
    mini_free(mini);
}
END_TEST

/* Messages take the launch of collectives, not that of kernels. */
START_TEST(launches_of_messages)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, 2, 1.0, 100.0);
    mini_trace_new(mini);
    mini_trace_new(mini);
    mini->config.system.launch_overhead_ns = 5000;
    mini->config.system.collective_launch_ns = 20000;
    mini_message(mini, 0, -1, OP_SEND, 1, 0, 1000);
    mini_message(mini, 1, -1, OP_RECV, 0, 0, 1000);
    mini->of_rank[1] = 1;
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s", mini->diag.message);
    ck_assert_uint_ge(mini_finish_ns(mini, 0), 20000);
    ck_assert_uint_ge(mini_finish_ns(mini, 1), 21000);
    ck_assert_uint_lt(mini_finish_ns(mini, 1), 25000);
    mini_free(mini);
}
END_TEST

START_TEST(the_host_runs_ahead)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, 1, 1.0, 100.0);
    mini_trace_new(mini);
    mini->config.system.launch_overhead_ns = 5000;
    int last = (int)mini_compute(mini, 0, -1, 100000);
    for (int i = 0; i < 5; i++)
        last = (int)mini_compute(mini, 0, last, 1000);
    ck_assert_int_eq(mini_run(mini), STATUS_OK);
    ck_assert_uint_eq(mini_finish_ns(mini, 0), 5000 + 100000 + 5 * 1000);
    mini_free(mini);
}
END_TEST

/* The same shape on two traces of 1 and 3 ranks: a row says what timed it, and how often. */
START_TEST(rows_say_which_model_timed_what)
{
    struct mini *mini = mini_new();
    mini_dim(mini, NET_FULLY_CONNECTED, 4, 1.0, 100.0);
    struct op_shape shape = {.class = OP_CLASS_GEMM,
                             .type = TYPE_BF16,
                             .out_type = TYPE_BF16,
                             .m = 4096,
                             .n = 4096,
                             .k = 4096};
    op_shape_finish(&shape);
    for (uint32_t t = 0; t < 2; t++) {
        mini_trace_new(mini);
        mini->trace[t].trace.shape = &shape;
        mini->trace[t].trace.shape_count = 1;
        uint32_t node = mini_compute(mini, t, -1, 0);
        mini->trace[t].node[node].shape = 0;
    }
    mini->of_rank[1] = mini->of_rank[2] = mini->of_rank[3] = 1;
    mini->config.system.device_name = "h100-sxm";
    ck_assert_int_eq(compute_resolve(&mini->config, &mini->result.notices, &mini->diag), STATUS_OK);
    ck_assert_msg(mini_run(mini) == STATUS_OK, "%s", mini->diag.message);
    ck_assert_uint_eq(mini->result.compute_count, 1);
    const struct compute_row *row = &mini->result.compute[0];
    ck_assert_str_eq(row->model, "gemm");
    ck_assert_uint_eq(row->nodes, 4);
    ck_assert_double_eq_tol(row->flops, 4 * 2.0 * 4096 * 4096 * 4096, 1);
    ck_assert_double_eq_tol(row->time_ns / 4 * 1e3, (double)mini->result.end_ps, 1e3);
    mini->config.system.matrix_ratio = 0.5; /* twice as long */
    time_ps before = mini->result.end_ps;
    result_release(&mini->result);
    result_init(&mini->result);
    ck_assert_int_eq(mini_run(mini), STATUS_OK);
    ck_assert_double_eq_tol((double)mini->result.end_ps, 2.0 * (double)before, 2e3);
    /* A measured time comes first, and is not made slower. */
    const char *path = temp_file("op,time_us\ngemm 4096x4096x4096,123\n");
    mini->config.system.profile_path = path;
    ck_assert_int_eq(compute_resolve(&mini->config, &mini->result.notices, &mini->diag), STATUS_OK);
    unlink(path);
    result_release(&mini->result);
    result_init(&mini->result);
    ck_assert_int_eq(mini_run(mini), STATUS_OK);
    ck_assert_uint_eq(mini->result.end_ps, 123000 * PS_PER_NS);
    ck_assert_str_eq(mini->result.compute[0].model, "profile");
    mini_free(mini);
}
END_TEST

START_TEST(a_profile_needs_a_device)
{
    struct mini *mini = mini_new();
    mini->config.system.profile_path = "measured.csv";
    ck_assert_int_eq(compute_resolve(&mini->config, &mini->result.notices, &mini->diag),
                     STATUS_BAD_CONFIG);
    ck_assert_str_eq(mini->diag.field, "system.profile");
    mini_free(mini);
}
END_TEST

static Suite *op_times_suite(void)
{
    Suite *suite = suite_create("op_times");
    TCase *tcase = tcase_create("op_times");
    tcase_add_test(tcase, short_kernels_wait_for_the_host_and_long_ones_hide_it);
    tcase_add_test(tcase, a_node_of_several_kernels);
    tcase_add_test(tcase, launches_of_messages);
    tcase_add_test(tcase, the_host_runs_ahead);
    tcase_add_test(tcase, rows_say_which_model_timed_what);
    tcase_add_test(tcase, a_profile_needs_a_device);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(op_times_suite())
