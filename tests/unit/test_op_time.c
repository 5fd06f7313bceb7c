/* op_time: the chain, single models, roofline by hand, and a cache that says the same. */
#include <string.h>

#include "compute/op_time_cache.h"
#include "tests/unit/unit.h"

static struct arena arena;
static struct notices notices;
static struct device h100, tpu;

static void set_up(void)
{
    struct diag diag = DIAG_NONE;
    arena_init(&arena);
    notices_init(&notices);
    ck_assert_int_eq(device_load(&h100, "h100-sxm", &arena, &notices, &diag), STATUS_OK);
    ck_assert_int_eq(device_load(&tpu, "tpu-v4", &arena, &notices, &diag), STATUS_OK);
}

static void tear_down(void)
{
    notices_release(&notices);
    arena_release(&arena);
}

static struct op_shape shape_of(const char *text)
{
    struct op_shape shape;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(op_shape_parse(&shape, text, &diag), STATUS_OK);
    return shape;
}

static const struct {
    const char *text;
    enum op_model model;
} chain[] = {
    {"gemm 4096x4096x4096", OP_MODEL_GEMM},
    {"conv 4096x64x576", OP_MODEL_GEMM},
    {"attention 1x4096 heads=8 dim=128 causal", OP_MODEL_ATTENTION},
    {"norm 4096x4096", OP_MODEL_MEMORY_BOUND},
    {"none fp32 flops=1000000000 read=1000", OP_MODEL_ROOFLINE},
};

START_TEST(chain_by_class)
{
    struct op_shape shape = shape_of(chain[_i].text);
    struct op_time_options options = {0};
    struct op_time time;
    const char *why;
    ck_assert(op_time(&h100, &shape, &options, &time, &why));
    ck_assert_int_eq(time.model, chain[_i].model);
    ck_assert_double_gt(time.ns, 0);
    ck_assert_uint_gt(strlen(time.reason), 10);
}
END_TEST

/* A tile model declines a TPU and says so; someone else answers. */
START_TEST(declined_with_reason)
{
    struct op_shape shape = shape_of("gemm 4096x4096x4096");
    struct op_time_options options = {.model = OP_MODEL_GEMM};
    struct op_time time;
    const char *why;
    ck_assert(!op_time(&tpu, &shape, &options, &time, &why));
    ck_assert_str_eq(why, "the device is no GPU");
    options.model = OP_MODEL_AUTO;
    ck_assert(op_time(&tpu, &shape, &options, &time, &why));
    ck_assert_int_ne(time.model, OP_MODEL_GEMM);
}
END_TEST

/* start + flops / (efficiency x peak), and start + bytes / (ratio x bandwidth). */
START_TEST(roofline_by_hand)
{
    struct op_time_options options = {.model = OP_MODEL_ROOFLINE};
    struct op_time time;
    const char *why;
    struct op_shape shape = shape_of("gemm 4096x4096x4096");
    ck_assert(op_time(&h100, &shape, &options, &time, &why));
    double compute_ns = 2.0 * 4096 * 4096 * 4096 /
                        (h100.peak_flops[TYPE_BF16] * h100.gemm.efficiency[TYPE_BF16]) * 1e9;
    ck_assert_double_eq_tol(time.ns, h100.gemm.start_ns + compute_ns, 1);
    shape = shape_of("elementwise 1000000000 bf16");
    ck_assert(op_time(&h100, &shape, &options, &time, &why));
    double memory_ns = 4e9 / (h100.gemm.bandwidth_ratio * h100.memory_Bps) * 1e9;
    ck_assert_double_eq_tol(time.ns, h100.gemm.start_ns + memory_ns, 1);
}
END_TEST

START_TEST(names_of_models)
{
    for (int model = OP_MODEL_ROOFLINE; model < OP_MODEL_COUNT; model++) {
        if (op_models[model])
            ck_assert_int_eq(op_model_find(op_model_name(model)), model);
    }
    ck_assert_int_eq(op_model_find("auto"), OP_MODEL_AUTO);
    ck_assert_int_eq(op_model_find("gem"), OP_MODEL_COUNT);
}
END_TEST

START_TEST(cache_says_the_same)
{
    struct op_time_options options = {0};
    struct op_time_cache cache;
    op_time_cache_init(&cache, &h100, &options);
    for (int turn = 0; turn < 2; turn++) {
        for (uint64_t i = 1; i <= 3000; i++) {
            struct op_shape shape = {.class = OP_CLASS_GEMM,
                                     .type = TYPE_BF16,
                                     .out_type = TYPE_BF16,
                                     .m = i,
                                     .n = 4096,
                                     .k = 4096};
            op_shape_finish(&shape);
            struct op_time time;
            const char *why;
            op_time(&h100, &shape, &options, &time, &why);
            const struct op_time *cached = op_time_cache_get(&cache, &shape);
            ck_assert_double_eq(cached->ns, time.ns);
            ck_assert_str_eq(cached->reason, time.reason);
        }
    }
    ck_assert_uint_eq(cache.count, 3000);
    op_time_cache_release(&cache);
}
END_TEST

/* A model that declines gives way to roofline, with the reason kept. */
START_TEST(cache_of_one_model)
{
    struct op_time_options options = {.model = OP_MODEL_GEMM};
    struct op_time_cache cache;
    op_time_cache_init(&cache, &tpu, &options);
    struct op_shape shape = shape_of("gemm 512x512x512");
    const struct op_time *time = op_time_cache_get(&cache, &shape);
    ck_assert_int_eq(time->model, OP_MODEL_ROOFLINE);
    ck_assert_str_eq(time->note, "the device is no GPU");
    op_time_cache_release(&cache);
}
END_TEST

static Suite *op_time_suite(void)
{
    Suite *suite = suite_create("op_time");
    TCase *tests = tcase_create("all");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, chain_by_class, 0, sizeof chain / sizeof chain[0]);
    tcase_add_test(tests, declined_with_reason);
    tcase_add_test(tests, roofline_by_hand);
    tcase_add_test(tests, names_of_models);
    tcase_add_test(tests, cache_says_the_same);
    tcase_add_test(tests, cache_of_one_model);
    suite_add_tcase(suite, tests);
    return suite;
}

RUN_SUITE(op_time_suite())
