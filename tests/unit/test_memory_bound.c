#include "compute/model/memory_bound.h"
#include "tests/unit/unit.h"

#include <string.h>

/* H100 by hand, with round parameters. */
static struct device device_h100(void)
{
    struct device device = {.name = "by hand",
                            .memory_Bps = 3.35e12,
                            .cache_bytes = 50e6,
                            .vector_flops = 67e12,
                            .cores = 132,
                            .clock_hz = 1.98e9};
    device.memory_bound.start_ns = 2000;
    device.memory_bound.ratio[OP_CLASS_ELEMENTWISE] = 0.92;
    device.memory_bound.ratio[OP_CLASS_NORM] = 0.5;
    device.memory_bound.cache_speedup = 1.5;
    return device;
}

static struct op_shape shape_of(enum op_class class, uint64_t m, uint64_t n)
{
    return (struct op_shape){
        .class = (uint8_t) class, .type = TYPE_BF16, .out_type = TYPE_BF16, .m = m, .n = n};
}

static double ns_with(const struct device *device, struct op_shape shape, bool is_scalar)
{
    struct op_time time = {0};
    const char *why = NULL;
    struct op_time_options options = {.is_scalar = is_scalar};
    op_shape_finish(&shape);
    ck_assert(op_model_memory_bound.time(device, &shape, &options, &time, &why));
    return time.ns;
}

static double ns_of(const struct device *device, struct op_shape shape)
{
    return ns_with(device, shape, false);
}

/* The header's: two inputs and a result of 4096 x 8192 bf16, 201.3 MB / 3.082 TB/s + 2 us = 67.3
 * us. */
START_TEST(the_worked_number)
{
    struct device device = device_h100();
    struct op_shape add = shape_of(OP_CLASS_ELEMENTWISE, 4096 * 8192, 0);
    add.read_bytes = 2 * 67108864;
    ck_assert_double_eq_tol(ns_of(&device, add), 67322, 10);
}
END_TEST

/* A norm has its own ratio: 134.2 MB / (0.5 x 3.35 TB/s) + 2 us; a loss has none and takes
 * element-wise's. */
START_TEST(classes_have_their_ratios)
{
    struct device device = device_h100();
    ck_assert_double_eq_tol(ns_of(&device, shape_of(OP_CLASS_NORM, 4096, 8192)), 2000 + 80130, 10);
    ck_assert_double_eq_tol(ns_of(&device, shape_of(OP_CLASS_LOSS, 4096, 8192)), 2000 + 43549, 10);
    ck_assert_double_eq(memory_bound_ratio(&device, OP_CLASS_NORM), 0.5);
    ck_assert_double_eq(memory_bound_ratio(&device, OP_CLASS_SOFTMAX), 0.92);
    device.memory_bound.ratio[OP_CLASS_ELEMENTWISE] = 0;
    ck_assert_double_eq(memory_bound_ratio(&device, OP_CLASS_SOFTMAX), 0.8);
}
END_TEST

/* 20 MB fits half of 50 MB: 1.5 times as fast. 40 MB: share 2 - 80/50 = 0.4, time x (1 - 0.4 /
 * 3). 50 MB: plain. */
START_TEST(the_cache_speeds_up_what_fits)
{
    struct device device = device_h100();
    const double Bps = 0.92 * 3.35e12;
    static const double bytes[] = {20e6, 40e6, 50e6, 80e6};
    const double factor[] = {1 / 1.5, 1 - 0.4 / 3, 1, 1};
    for (int i = 0; i < 4; i++) {
        struct op_shape copy = shape_of(OP_CLASS_ELEMENTWISE, (uint64_t)bytes[i] / 4, 0);
        ck_assert_double_eq_tol(ns_of(&device, copy), 2000 + bytes[i] / Bps * 1e9 * factor[i], 1);
    }
    device.memory_bound.cache_speedup = 0;
    struct op_shape copy = shape_of(OP_CLASS_ELEMENTWISE, 5000000, 0);
    ck_assert_double_eq_tol(ns_of(&device, copy), 2000 + 20e6 / Bps * 1e9, 1);
}
END_TEST

START_TEST(time_grows_with_size)
{
    struct device device = device_h100();
    for (int class = OP_CLASS_NORM; class <= OP_CLASS_PERMUTE; class ++) {
        double before = 0;
        for (uint64_t m = 1; m < 100000; m += m / 16 + 1) {
            double ns = ns_of(&device, shape_of((enum op_class) class, m, 4096));
            ck_assert(ns >= before);
            before = ns;
        }
        before = 0;
        for (uint64_t n = 1; n < 100000; n += n / 16 + 1) {
            double ns = ns_of(&device, shape_of((enum op_class) class, 4096, n));
            ck_assert(ns >= before);
            before = ns;
        }
    }
}
END_TEST

/* Gated activation, 4096 x 14336: 117.4e6 numbers read at 2.3 x 132 x 1.98 GHz = 601.1e9 /s:
 * 195.4 us; its 352.3 MB take 114.3 us by themselves. With 8 loads per clock memory bounds it. */
START_TEST(scalar_kernels_are_bound_by_loads)
{
    struct device device = device_h100();
    struct op_shape gated = shape_of(OP_CLASS_ELEMENTWISE, 4096 * 14336, 0);
    gated.read_bytes = 4 * gated.m;
    ck_assert_double_eq_tol(ns_with(&device, gated, true), 2000 + 195370, 100);
    ck_assert_double_eq_tol(ns_with(&device, gated, false), 2000 + 114310, 100);
    device.memory_bound.scalar_loads = 8;
    ck_assert_double_eq(ns_with(&device, gated, true), ns_with(&device, gated, false));
}
END_TEST

START_TEST(arithmetic_bounds_where_memory_does_not)
{
    struct device device = device_h100();
    struct op_shape shape = shape_of(OP_CLASS_ELEMENTWISE, 1 << 20, 0);
    shape.flops = 67000000000; /* 1 ms */
    ck_assert_double_eq_tol(ns_of(&device, shape), 1002000, 1);
}
END_TEST

START_TEST(what_it_does_not_know_it_declines)
{
    struct device device = device_h100();
    struct op_time time = {0};
    struct op_time_options options = {0};
    const char *why = NULL;
    struct op_shape gemm = shape_of(OP_CLASS_GEMM, 64, 64);
    ck_assert(!op_model_memory_bound.time(&device, &gemm, &options, &time, &why));
    ck_assert_ptr_null(why);
    struct op_shape norm = shape_of(OP_CLASS_NORM, 64, 64);
    device.memory_Bps = 0;
    ck_assert(!op_model_memory_bound.time(&device, &norm, &options, &time, &why));
    ck_assert(strstr(why, "bandwidth is not known"));
    struct device bare = {.memory_Bps = 1e12};
    op_shape_finish(&norm);
    ck_assert(op_model_memory_bound.time(&bare, &norm, &options, &time, &why));
    ck_assert(time.is_extrapolated);
    ck_assert(strstr(time.reason, "assumed"));
}
END_TEST

static Suite *memory_bound_suite(void)
{
    Suite *suite = suite_create("memory_bound");
    TCase *tests = tcase_create("model");
    tcase_add_test(tests, the_worked_number);
    tcase_add_test(tests, classes_have_their_ratios);
    tcase_add_test(tests, the_cache_speeds_up_what_fits);
    tcase_add_test(tests, time_grows_with_size);
    tcase_add_test(tests, scalar_kernels_are_bound_by_loads);
    tcase_add_test(tests, arithmetic_bounds_where_memory_does_not);
    tcase_add_test(tests, what_it_does_not_know_it_declines);
    suite_add_tcase(suite, tests);
    return suite;
}

RUN_SUITE(memory_bound_suite())
