/* dlrm: counts by hand and as published; the all-to-all of tables beside the bottom network. */
#include <string.h>

#include "tests/unit/made_job.h"
#include "tests/unit/temp_file.h"
#include "workloads/generate/dlrm.h"
#include "workloads/generate/memory_model.h"

/* Rows x width, and the sum over layers of (in + 1) out: rule 4 of the header, by hand. */
START_TEST(parameters_by_hand)
{
    make_job("dlrm-mlperf", 8, "micro-batch=256,global-batch=2048");
    uint64_t networks =
        14 * 512 + 513 * 256 + 257 * 128 + 480 * 1024 + 1025 * 1024 + 1025 * 512 + 513 * 256 + 257;
    ck_assert_uint_eq(networks, 2368897);
    ck_assert_uint_eq(model_spec_parameters(&spec.model), UINT64_C(187767399) * 128 + networks);
    release_job();
    make_job("dlrm-kaggle", 1, "micro-batch=128");
    ck_assert_double_eq_tol((double)model_spec_parameters(&spec.model) / 540e6, 1, 0.01);
    release_job();
}
END_TEST

/* Tables are spread evenly: 26 of them, 2 bytes a number. */
START_TEST(tables_are_held_in_shares)
{
    make_job("dlrm-mlperf", 8, "micro-batch=64,global-batch=512");
    struct stage_memory memory;
    const struct memory_input input = {&spec.model, &spec.plan, &spec.framework, &book};
    memory_of_stage(&memory, &input, 0);
    uint64_t share = UINT64_C(187767399) * 128 / 8 * 2;
    ck_assert_uint_eq(memory.bytes[MEMORY_WEIGHTS], share + 2368897 * 2);
    ck_assert_uint_ge(job.workload.traces[0]->fixed_bytes, share);
    release_job();
}
END_TEST

/* Products of a step: forward and two gradients, but none of the numeric features. */
START_TEST(products_of_a_step)
{
    make_job("dlrm-mlperf", 4, "micro-batch=512,global-batch=2048");
    const struct trace *trace = job.workload.traces[0];
    double flops = 0;
    for (uint32_t i = 0; i < trace->count; i++) {
        uint32_t shape = trace->node[i].shape;
        if (shape != TRACE_NONE && trace->shape[shape].class == OP_CLASS_GEMM)
            flops += (double)trace->node[i].flop_count;
    }
    double first = 2.0 * 13 * 512;
    ck_assert_double_eq_tol(4 * flops / (2048 * (model_spec_train_flops(&spec.model, 1) - first)),
                            1, 1e-12);
    release_job();
}
END_TEST

/* Columns of the busiest rank: 26 tables of 128. */
static const struct {
    uint32_t ranks, columns;
} shares[] = {{2, 13 * 128}, {8, 4 * 128}, {26, 128}, {52, 64}, {64, 43}};

START_TEST(tables_are_exchanged)
{
    char plan[64];
    snprintf(plan, sizeof plan, "micro-batch=64,global-batch=%u,gradient-type=fp32",
             64 * shares[_i].ranks);
    make_job("dlrm-mlperf", shares[_i].ranks, plan);
    const struct trace *trace = job.workload.traces[0];
    uint32_t exchanges = 0;
    uint64_t reduced = 0;
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct trace_node *node = &trace->node[i];
        if (node->type != OP_COLLECTIVE)
            continue;
        if (node->collective == COLL_ALL_TO_ALL)
            ck_assert_uint_eq(node->size_bytes,
                              (uint64_t)64 * shares[_i].ranks * shares[_i].columns * 2);
        exchanges += node->collective == COLL_ALL_TO_ALL;
        reduced += node->collective == COLL_ALL_REDUCE ? node->size_bytes : 0;
    }
    ck_assert_uint_eq(exchanges, 2);
    ck_assert_uint_eq(reduced, 2368897 * 4); /* tables are not reduced */
    release_job();
}
END_TEST

static const struct {
    const char *text, *field;
} bad[] = {
    {"family: dlrm\ndlrm: {dense: 13, dim: 8, rows: [10], bottom: [4], top: [1]}\n", "dlrm.bottom"},
    {"family: dlrm\ndlrm: {dense: 13, dim: 8, bottom: [8], top: [1]}\n", "dlrm.rows"},
    {"family: dlrm\ndlrm: {dense: 13, dim: 8, rows: [1.5], bottom: [8], top: [1]}\n", "dlrm.rows"},
    {"family: dlrm\ndlrm: {dense: 13, dim: 8, rows: [1, 0, 2], bottom: [8], top: [1]}\n",
     "dlrm.rows"},
    {"family: dlrm\ndlrm: {dim: 8, rows: [10], bottom: [8], top: [1]}\n", "dlrm.dense"},
};

START_TEST(bad_files_are_refused)
{
    char path[TEMP_PATH + 8];
    const char *file = temp_file(bad[_i].text);
    snprintf(path, sizeof path, "%s.yaml", file);
    ck_assert_int_eq(rename(file, path), 0);
    struct arena arena;
    struct model_spec model;
    diag = DIAG_NONE;
    arena_init(&arena);
    notices_init(&notices);
    ck_assert_int_eq(model_spec_load(&model, path, &arena, &notices, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, bad[_i].field);
    notices_release(&notices);
    arena_release(&arena);
    unlink(path);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("dlrm");
    TCase *cases = tcase_create("dlrm");
    tcase_add_test(cases, parameters_by_hand);
    tcase_add_test(cases, tables_are_held_in_shares);
    tcase_add_test(cases, products_of_a_step);
    tcase_add_loop_test(cases, tables_are_exchanged, 0, (int)(sizeof shares / sizeof *shares));
    tcase_add_loop_test(cases, bad_files_are_refused, 0, (int)(sizeof bad / sizeof *bad));
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
