/* resnet: parameters and multiply-adds as published; a training step's convolutions by the closed
 * form. */
#include <string.h>

#include "tests/unit/temp_file.h"
#include "tests/unit/unit.h"
#include "workloads/generate/job_graph.h"
#include "workloads/generate/job_spec.h"
#include "workloads/generate/resnet.h"

static struct arena arena;
static struct notices notices;
static struct diag diag;

static struct model_spec load(const char *name)
{
    struct model_spec spec;
    diag = DIAG_NONE;
    arena_init(&arena);
    notices_init(&notices);
    model_spec_load(&spec, name, &arena, &notices, &diag);
    return spec;
}

static void release(void)
{
    arena_release(&arena);
    notices_release(&notices);
}

/* torchvision's models: number of parameters, GFLOPS (multiply-adds) at 224. */
static const struct {
    const char *name;
    uint64_t parameters;
    double products;
} published[] = {
    {"resnet18", 11689512, 1.814e9},   {"resnet34", 21797672, 3.664e9},
    {"resnet50", 25557032, 4.089e9},   {"resnet101", 44549160, 7.801e9},
    {"resnet152", 60192808, 11.514e9},
};

START_TEST(counts_are_the_published_ones)
{
    struct model_spec spec = load(published[_i].name);
    ck_assert_msg(diag.status == STATUS_OK, "%s: %s", diag.field, diag.message);
    ck_assert_uint_eq(model_spec_parameters(&spec), published[_i].parameters);
    ck_assert_double_eq_tol(family_of(&spec)->products(&spec) / published[_i].products, 1, 2e-4);
    ck_assert_double_eq(model_spec_train_flops(&spec, 1), 6 * family_of(&spec)->products(&spec));
    release();
}
END_TEST

/* Of all ranks: forward, two gradients; but none of the image (stem, 118,013,952 multiply-adds a
 * sample). */
START_TEST(a_step_computes_three_forwards_but_for_the_stems_input)
{
    struct job_spec spec;
    struct job_graph job;
    struct layer_book book;
    diag = DIAG_NONE;
    notices_init(&notices);
    job_spec_init(&spec);
    ck_assert_int_eq(job_spec_load(&spec, "resnet50", &notices, &diag), STATUS_OK);
    ck_assert_int_eq(
        job_spec_override(&spec, "micro-batch=32,global-batch=256,gradient-type=fp32", &diag),
        STATUS_OK);
    ck_assert_msg(job_spec_finish(&spec, 4, &notices, &diag) == STATUS_OK, "%s", diag.message);
    layer_book_make(&book, &spec.model, &spec.plan, &spec.framework, &spec.arena);
    const struct job_input input = {&spec.model, &spec.plan, &spec.framework, &book};
    ck_assert_int_eq(job_graph_make(&job, &input, &diag), STATUS_OK);
    const struct trace *trace = job.workload.traces[0];
    double flops = 0;
    uint64_t reduced = 0;
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct trace_node *node = &trace->node[i];
        uint8_t class = node->shape == TRACE_NONE ? OP_CLASS_NONE : trace->shape[node->shape].class;
        flops += class == OP_CLASS_CONV || class == OP_CLASS_GEMM ? (double)node->flop_count : 0;
        reduced += node->type == OP_COLLECTIVE ? node->size_bytes : 0;
    }
    double stem = 2.0 * 112 * 112 * 7 * 7 * 3 * 64;
    ck_assert_double_eq_tol(4 * flops / (256 * (model_spec_train_flops(&spec.model, 1) - stem)), 1,
                            1e-12);
    ck_assert_uint_eq(reduced, 25557032 * 4); /* gradients in fp32, once a step */
    ck_assert_uint_eq(job.workload.trace_count, 1);
    job_graph_release(&job);
    job_spec_release(&spec);
    notices_release(&notices);
}
END_TEST

/* The book has the same items, as one piece. */
START_TEST(pieces_add_up_to_the_book)
{
    struct model_spec spec = load("resnet18");
    struct framework framework = {.name = "plain"};
    struct train_plan plan;
    struct layer_book book;
    train_plan_defaults(&plan);
    ck_assert_int_eq(train_plan_check(&plan, &spec, &notices, &diag), STATUS_OK);
    layer_book_make(&book, &spec, &plan, &framework, &arena);
    struct layer_piece *piece;
    uint32_t count = family_of(&spec)->pieces(&spec, &plan, &framework, &arena, &piece);
    ck_assert_uint_eq(count, 2 + 8);
    uint64_t items = 0, parameters = 0;
    for (uint32_t i = 0; i < count; i++) {
        items += piece[i].backward.count;
        parameters += piece[i].parameters;
    }
    ck_assert_uint_eq(book.piece[PIECE_HEAD].backward.count, items);
    ck_assert_uint_eq(parameters, 11689512);
    ck_assert_uint_eq(book.piece[PIECE_HEAD].parameters, parameters);
    release();
}
END_TEST

static const struct {
    const char *text, *field;
} bad[] = {
    {"family: resnet\nresnet: {depth: 51}\n", "resnet.depth"},
    {"family: resnet\nresnet: {depth: 50, image: 225}\n", "resnet.image"},
    {"family: resnet\nresnet: {depth: 50, colours: 3}\n", "resnet.colours"},
};

START_TEST(bad_files_are_refused)
{
    char path[TEMP_PATH + 8];
    const char *file = temp_file(bad[_i].text);
    snprintf(path, sizeof path, "%s.yaml", file);
    ck_assert_int_eq(rename(file, path), 0);
    load(path);
    ck_assert_int_eq(diag.status, STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, bad[_i].field);
    unlink(path);
    release();
}
END_TEST

START_TEST(plans_are_data_parallel)
{
    struct model_spec spec = load("resnet50");
    struct train_plan plan;
    train_plan_defaults(&plan);
    plan.tp = 2;
    plan.ranks = 8;
    ck_assert_int_eq(train_plan_check(&plan, &spec, &notices, &diag), STATUS_BAD_CONFIG);
    ck_assert_str_eq(diag.field, "plan.tp");
    ck_assert_str_eq(diag.hint, "nearest: tp 1");
    release();
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("resnet");
    TCase *cases = tcase_create("resnet");
    tcase_add_loop_test(cases, counts_are_the_published_ones, 0,
                        (int)(sizeof published / sizeof *published));
    tcase_add_test(cases, a_step_computes_three_forwards_but_for_the_stems_input);
    tcase_add_test(cases, pieces_add_up_to_the_book);
    tcase_add_loop_test(cases, bad_files_are_refused, 0, (int)(sizeof bad / sizeof *bad));
    tcase_add_test(cases, plans_are_data_parallel);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
