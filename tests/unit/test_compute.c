/* Compute models and remote memory against their formulas. */
#include "tests/unit/unit.h"

#include <string.h>

#include "compute/remote_memory.h"
#include "model/compute.h"

/* user_needs T15: 100 TFLOP/s, 1000 GB/s. Rows: operations, bytes, ns, ASTRA-sim's zero rule. */
static const struct {
    uint64_t flop, bytes, ps;
    bool zero_is_free, free;
} rooflines[] = {
    {1000000000000u, 1000000000u, 10000000000, false, false}, /* compute bound: 10 ms */
    {1000000000u, 1000000000u, 1000000000, false, false},     /* memory bound: 1 ms */
    {0, 1000000000u, 1000000000, false, false},               /* bytes alone: 1 ms */
    {1000000000000u, 0, 10000000000, false, false},           /* operations alone: 10 ms */
    {1000000000000u, 0, 0, true, true},                       /* skipped, as ASTRA-sim does */
    {10, 10, 10, true, false}, /* 0.01 ns, cut to 0 on ASTRA's grid */
};

START_TEST(roofline_times)
{
    struct system_config system = {.compute = COMPUTE_ROOFLINE,
                                   .local_memory_Bps = 1000e9,
                                   .peak_flop_per_s = 100e12,
                                   .zero_bytes_is_free = rooflines[_i].zero_is_free};
    struct trace_node node = {.type = OP_COMPUTE,
                              .flop_count = rooflines[_i].flop,
                              .size_bytes = rooflines[_i].bytes,
                              .flags = NODE_HAS_FLOPS | NODE_HAS_SIZE};
    struct diag diag = DIAG_NONE;
    const struct compute_ops *model = compute_model_for(&system, &node);
    bool is_free;
    ck_assert_str_eq(model->name, "roofline");
    ck_assert_int_eq(model->check(&system, &node, &diag), STATUS_OK);
    ck_assert_uint_eq(model->duration(&system, &node, &is_free), rooflines[_i].ps);
    system.whole_ns = true;
    ck_assert_uint_eq(model->duration(&system, &node, &is_free),
                      rooflines[_i].ps / PS_PER_NS * PS_PER_NS);
    ck_assert_int_eq(is_free, rooflines[_i].free);
}
END_TEST

START_TEST(roofline_says_what_is_missing)
{
    static const char *const fields[] = {"num_ops", "tensor_size", "local-mem-bw", "peak-perf"};
    struct system_config system = {.compute = COMPUTE_ROOFLINE,
                                   .local_memory_Bps = _i == 2 ? 0 : 1,
                                   .peak_flop_per_s = _i == 3 ? 0 : 1};
    struct trace_node node = {.type = OP_COMPUTE, .id = 42};
    node.flags = (uint16_t)((_i == 0 ? 0 : NODE_HAS_FLOPS) | (_i == 1 ? 0 : NODE_HAS_SIZE));
    struct diag diag = DIAG_NONE;
    ck_assert_int_ne(compute_model_for(&system, &node)->check(&system, &node, &diag), STATUS_OK);
    ck_assert_str_eq(diag.field, fields[_i]);
}
END_TEST

START_TEST(host_nodes_and_replay)
{
    struct system_config system = {.compute = COMPUTE_ROOFLINE, .least_duration_ns = 1};
    struct trace_node node = {.type = OP_COMPUTE, .duration_ns = 5000, .flags = NODE_IS_HOST};
    const struct compute_ops *model = compute_model_for(&system, &node);
    bool is_free;
    ck_assert_str_eq(model->name, "replay");
    ck_assert_uint_eq(model->duration(&system, &node, &is_free), 5000 * PS_PER_NS);
    node.duration_ns = 0;
    ck_assert_uint_eq(model->duration(&system, &node, &is_free), 1 * PS_PER_NS);
}
END_TEST

/* 100 ns + 1000 B / 50 B/ns = 120 ns; per node of 2 NPUs one at a time, first come first served. */
START_TEST(remote_memory_queues)
{
    static const uint32_t expected_starts[] = {3, 2, 1}; /* of three accesses by ranks 0, 1, 2 */
    struct memory_config config = {.type = (enum memory_type)(MEMORY_PER_NPU + _i),
                                   .latency_ns = 100,
                                   .bandwidth_B_per_ns = 50,
                                   .node_count = 2,
                                   .npus_per_node = 2};
    struct remote_memory memory;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(remote_memory_init(&memory, &config, 4, &diag), STATUS_OK);
    uint32_t started = 0;
    for (uint32_t r = 0; r < 3; r++) {
        struct memory_access access = {r, 10 + r, 1000};
        uint64_t ns = 0;
        bool now = remote_memory_start(&memory, &access, &ns);
        started += now;
        ck_assert_uint_eq(ns, now ? 120 : 0);
    }
    ck_assert_uint_eq(started, expected_starts[_i]);
    struct memory_access next;
    uint64_t ns;
    for (uint32_t waiting = started; waiting < 3; waiting++) {
        ck_assert(remote_memory_end(&memory, 0, &next, &ns));
        ck_assert_uint_eq(ns, 120);
        ck_assert_uint_eq(next.token, 10 + (_i == 1 ? 1 : waiting));
    }
    if (remote_memory_is_shared(&memory))
        ck_assert(!remote_memory_end(&memory, 0, &next, &ns));
    remote_memory_release(&memory);
}
END_TEST

START_TEST(nodes_must_cover_the_system)
{
    struct memory_config config = {.type = MEMORY_PER_NODE, .node_count = 2, .npus_per_node = 2};
    struct remote_memory memory;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(remote_memory_init(&memory, &config, 5, &diag), STATUS_BAD_CONFIG);
    ck_assert_ptr_nonnull(strstr(diag.message, "5 NPUs"));
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("compute");
    TCase *cases = tcase_create("compute");
    tcase_add_loop_test(cases, roofline_times, 0, (int)(sizeof rooflines / sizeof rooflines[0]));
    tcase_add_loop_test(cases, roofline_says_what_is_missing, 0, 4);
    tcase_add_test(cases, host_nodes_and_replay);
    tcase_add_loop_test(cases, remote_memory_queues, 0, 3);
    tcase_add_test(cases, nodes_must_cover_the_system);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
