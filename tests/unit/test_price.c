/* price: the device's time, as far as a framework's kernels fall short of it. */
#include "tests/unit/estimate_case.h"

START_TEST(ratios_go_by_sort)
{
    struct estimate_case c;
    case_open(&c);
    static const struct {
        const char *shape;
        double ratio;
    } rows[] = {{"gemm 4096x4096x4096 bf16", 2},
                {"attention 1x4096 heads=32/32 dim=128 causal bf16", 4},
                {"attention-backward 1x4096 heads=32/32 dim=128 causal bf16", 4},
                {"norm 4096x4096 bf16", 3},
                {"elementwise 16777216 bf16", 3}};
    struct framework slow = c.framework;
    slow.matrix_ratio = 0.5;
    slow.attention_ratio = 0.25;
    slow.memory_ratio = 3;
    struct prices prices;
    prices_init(&prices, &c.device, &slow);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct op_shape shape;
        ck_assert_int_eq(op_shape_parse(&shape, rows[i].shape, &c.diag), STATUS_OK);
        double plain = price_ns(&c.prices, &shape);
        ck_assert_double_gt(plain, 0);
        ck_assert_double_eq_tol(price_ns(&prices, &shape), rows[i].ratio * plain, 1e-9 * plain);
        struct op_time_options options = {.is_sustained = true};
        struct op_time time;
        const char *why;
        op_time(&c.device, &shape, &options, &time, &why);
        ck_assert_double_eq(plain, time.ns);
    }
    prices_release(&prices);
    case_close(&c);
}
END_TEST

static Suite *price_suite(void)
{
    Suite *suite = suite_create("price");
    TCase *all = tcase_create("all");
    tcase_add_test(all, ratios_go_by_sort);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(price_suite())
