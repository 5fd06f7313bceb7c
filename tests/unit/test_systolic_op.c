/* systolic_op, systolic_memory: times of TPUs and of arrays made for the test, by hand. */
#include <string.h>

#include "base/arena.h"
#include "base/mix.h"
#include "compute/model/systolic_op.h"
#include "tests/unit/unit.h"

/* Two cores of one 128 x 128 array at 1 GHz: 2 x 2 x 16384 x 1e9 = 65.536 TFLOP/s; 1 TB/s, 64 MiB.
   */
static struct device small_device(void)
{
    struct device device = {.kind = DEVICE_SYSTOLIC,
                            .generation = GENERATION_OTHER,
                            .cores = 2,
                            .matrix_rows = 128,
                            .matrix_columns = 128,
                            .matrix_units = 1,
                            .memory_Bps = 1e12,
                            .cache_bytes = 64 << 20};
    device.peak_flops[TYPE_BF16] = 65.536e12;
    device.peak_flops[TYPE_FP8] = 131.072e12;
    device.gemm.bandwidth_ratio = 1;
    device.gemm.start_ns = 0;
    for (int t = 0; t < DATA_TYPE_COUNT; t++)
        device.gemm.efficiency[t] = device.gemm.sustained[t] = 1;
    return device;
}

static struct op_shape gemm_shape(uint64_t m, uint64_t n, uint64_t k, enum data_type type)
{
    struct op_shape shape = {.class = OP_CLASS_GEMM, .m = m, .n = n, .k = k, .batch = 1};
    shape.type = (uint8_t)type;
    shape.out_type = (uint8_t)data_type_result(type);
    op_shape_finish(&shape);
    return shape;
}

START_TEST(passes_over_two_arrays)
{
    static const struct {
        uint64_t m, n, k;
        enum data_type type;
        uint64_t passes, parts, cycles; /* cycles with 2 x 128 + 128 - 2 = 382 of filling */
    } rows[] = {
        {1024, 256, 256, TYPE_BF16, 4, 1, 2 * 1024 + 382},
        {1024, 300, 256, TYPE_BF16, 6, 1, 3 * 1024 + 382}, /* 44 of 128 columns in use */
        {1024, 128, 128, TYPE_BF16, 1, 2, 512 + 382},      /* one pass: each array has half of m */
        {1024, 384, 128, TYPE_BF16, 3, 2, 3 * 512 + 382},  /* three passes on two arrays */
        {16, 256, 256, TYPE_BF16, 4, 1, 2 * 128 + 382},    /* loads of 128 cycles are not hidden */
        {1024, 256, 256, TYPE_FP8, 4, 1, 2 * 1024 + 382},  /* same cycles, of half the length */
    };
    struct device device = small_device();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct op_shape shape = gemm_shape(rows[i].m, rows[i].n, rows[i].k, rows[i].type);
        struct systolic_op op;
        const char *why;
        ck_assert(systolic_op(&op, &device, &shape, false, &why));
        ck_assert_uint_eq(op.passes, rows[i].passes);
        ck_assert_uint_eq(op.parts, rows[i].parts);
        ck_assert_uint_eq(op.cycles, rows[i].cycles);
        double clock_hz = rows[i].type == TYPE_FP8 ? 2e9 : 1e9;
        ck_assert_double_eq_tol(op.compute_ns, (double)rows[i].cycles / clock_hz * 1e9, 1e-6);
    }
}
END_TEST

START_TEST(dataflows_of_a_device)
{
    /* 1024 x 256 x 512: output stays: 8 x 2 passes of 512 on 2 arrays; input stays: 4 x 8 passes of
     * 256; weights stay: 4 x 2 passes of 1024. */
    struct device device = small_device();
    struct op_shape shape = gemm_shape(1024, 256, 512, TYPE_BF16);
    struct systolic_op op;
    const char *why;
    device.dataflow = DATAFLOW_OUTPUT;
    ck_assert(systolic_op(&op, &device, &shape, false, &why));
    ck_assert_uint_eq(op.cycles, 8 * 512 + 382);
    device.dataflow = DATAFLOW_INPUT;
    ck_assert(systolic_op(&op, &device, &shape, false, &why));
    ck_assert_uint_eq(op.cycles, 16 * 256 + 382);
    device.dataflow = DATAFLOW_WEIGHT;
    ck_assert(systolic_op(&op, &device, &shape, false, &why));
    ck_assert_uint_eq(op.cycles, 4 * 1024 + 382);
}
END_TEST

START_TEST(tpus_pad_what_they_stream)
{
    struct device device = small_device();
    struct systolic_op op;
    const char *why;
    struct op_shape shape = gemm_shape(1001, 256, 128, TYPE_BF16);
    ck_assert(systolic_op(&op, &device, &shape, false, &why));
    ck_assert_uint_eq(op.cycles, 1001 + 382);
    device.generation = GENERATION_TPU;
    ck_assert(systolic_op(&op, &device, &shape, false, &why)); /* 63 x 16 */
    ck_assert_uint_eq(op.cycles, 1008 + 382);
    shape = gemm_shape(1001, 256, 128, TYPE_FP8); /* 32 x 32 */
    ck_assert(systolic_op(&op, &device, &shape, false, &why));
    ck_assert_uint_eq(op.cycles, 1024 + 382);
}
END_TEST

START_TEST(small_products_wait_for_memory)
{
    /* 16 x 4096 x 4096 bf16: 1024 passes of 128 on 2 arrays: 65,536 + 382 cycles, 65.9 us; weights
     * 32 MiB, in and out 128 KiB each: 33.8 MB, 33.8 us; the first weights of both arrays 64 KiB:
     * 0.066 us. At a tenth of the bandwidth: 338 us. */
    struct device device = small_device();
    struct op_shape shape = gemm_shape(16, 4096, 4096, TYPE_BF16);
    struct op_time time;
    struct op_time_options options = {0};
    const char *why;
    ck_assert(op_model_systolic.time(&device, &shape, &options, &time, &why));
    ck_assert_double_eq_tol(time.ns, 65918 + 65.536, 0.01);
    ck_assert_ptr_nonnull(strstr(time.reason, "compute-bound"));
    device.memory_Bps = 1e11;
    ck_assert(op_model_systolic.time(&device, &shape, &options, &time, &why));
    double bytes = 4096.0 * 4096 * 2 + 2 * 16 * 4096 * 2;
    ck_assert_double_eq_tol(time.ns, bytes / 100 + 655.36, 0.01);
    ck_assert_ptr_nonnull(strstr(time.reason, "1024 passes on 2 arrays of 128x128, 65918 cycles"));
    ck_assert_ptr_nonnull(strstr(time.reason, "memory-bound"));
}
END_TEST

START_TEST(batches_groups_and_convolutions)
{
    struct device device = small_device();
    struct systolic_op op;
    const char *why;
    struct op_shape shape = gemm_shape(1024, 128, 128, TYPE_BF16);
    shape.batch = 8;
    ck_assert(systolic_op(&op, &device, &shape, false, &why));
    ck_assert_uint_eq(op.passes, 8);
    ck_assert_uint_eq(op.cycles, 4 * 1024 + 382);
    shape.class = OP_CLASS_GROUPED_GEMM; /* 8 groups share 1024 rows */
    ck_assert(systolic_op(&op, &device, &shape, false, &why));
    ck_assert_uint_eq(op.cycles, 4 * 128 + 382);
    shape = (struct op_shape){.class = OP_CLASS_CONV,
                              .type = TYPE_BF16,
                              .out_type = TYPE_BF16,
                              .batch = 1,
                              .m = 1024,
                              .n = 128,
                              .k = 1152,
                              .read_bytes = 500000,
                              .write_bytes = 262144};
    ck_assert(systolic_op(&op, &device, &shape, false, &why));
    ck_assert_double_eq_tol(op.bytes, 762144, 0.5);
}
END_TEST

START_TEST(declines_with_a_reason)
{
    struct device device = small_device();
    struct op_shape shape = gemm_shape(64, 64, 64, TYPE_BF16);
    struct op_time time;
    struct op_time_options options = {0};
    const char *why = NULL;
    shape.class = OP_CLASS_NORM;
    ck_assert(!op_model_systolic.time(&device, &shape, &options, &time, &why));
    ck_assert_ptr_null(why);
    shape.class = OP_CLASS_GEMM;
    device.kind = DEVICE_GPU;
    ck_assert(!op_model_systolic.time(&device, &shape, &options, &time, &why));
    ck_assert_ptr_null(why);
    options.model = OP_MODEL_SYSTOLIC;
    ck_assert(!op_model_systolic.time(&device, &shape, &options, &time, &why));
    ck_assert_str_eq(why, "not a systolic device");
    device.kind = DEVICE_SYSTOLIC;
    device.matrix_rows = 0;
    ck_assert(!op_model_systolic.time(&device, &shape, &options, &time, &why));
    ck_assert_ptr_nonnull(strstr(why, "matrix-rows"));
}
END_TEST

START_TEST(a_tpu_of_the_catalogue)
{
    /* The worked number of systolic_op.h. */
    struct arena arena;
    struct notices notices;
    struct diag diag = DIAG_NONE;
    struct device device;
    arena_init(&arena);
    notices_init(&notices);
    ck_assert_int_eq(device_load(&device, "tpu-v6e", &arena, &notices, &diag), STATUS_OK);
    struct op_shape shape = gemm_shape(8192, 8192, 8192, TYPE_BF16);
    struct systolic_op op;
    const char *why;
    ck_assert(systolic_op(&op, &device, &shape, false, &why));
    ck_assert_uint_eq(op.passes, 1024);
    ck_assert_uint_eq(op.cycles, 4195070);
    ck_assert_double_eq_tol(op.clock_hz, 3.5019e9, 1e5);
    shape = gemm_shape(8192, 8192, 8192, TYPE_FP32); /* one pass of bf16 */
    struct systolic_op wide;
    ck_assert(systolic_op(&wide, &device, &shape, false, &why));
    ck_assert_uint_eq(wide.cycles, op.cycles);
    struct op_time time;
    struct op_time_options options = {0};
    ck_assert(op_time(&device, &shape, &options, &time, &why));
    ck_assert_int_eq(time.model, OP_MODEL_SYSTOLIC);
    notices_release(&notices);
    arena_release(&arena);
}
END_TEST

/* -- memory on chip ---------------------------------------------------------------------------- */

START_TEST(blocks_of_results)
{
    /* The worked number of systolic_memory.h: 5 x 128 MiB. */
    struct systolic_memory memory = {.held_bytes = 128 << 20,
                                     .input_bytes = 2,
                                     .filter_bytes = 2,
                                     .output_bytes = 2,
                                     .sum_bytes = 4};
    struct systolic_array array = {.rows = 128, .columns = 128, .dataflow = SYSTOLIC_WEIGHT};
    struct systolic_gemm gemm = {8192, 8192, 8192};
    struct systolic_traffic traffic;
    systolic_traffic(&traffic, &memory, &array, &gemm, 0);
    ck_assert_uint_eq(traffic.block_m, 4096);
    ck_assert_uint_eq(traffic.block_n, 4096);
    ck_assert_double_eq(traffic.bytes, 5.0 * (128 << 20));
    ck_assert_double_eq(traffic.stall_cycles, 0); /* no rate, no wait */
    /* 100 bytes a cycle and 6,000,000 cycles of computing: 6,710,886.4 of fetching, 327.68 for the
       first weights. */
    memory.bytes_per_cycle = 100;
    systolic_traffic(&traffic, &memory, &array, &gemm, 6e6);
    ck_assert_double_eq_tol(traffic.first_cycles, 327.68, 1e-9);
    ck_assert_double_eq_tol(traffic.stall_cycles, 710886.4 + 327.68, 1e-6);
    gemm.m = 64; /* all inputs stay */
    systolic_traffic(&traffic, &memory, &array, &gemm, 0);
    ck_assert_double_eq(traffic.bytes, 2.0 * (64 * 8192 + 8192.0 * 8192 + 64 * 8192));
}
END_TEST

START_TEST(no_block_is_larger_than_half_the_memory)
{
    uint64_t state = 3;
    for (int round = 0; round < 2000; round++) {
        struct systolic_gemm gemm = {1 + random_below(&state, 3000), 1 + random_below(&state, 3000),
                                     1 + random_below(&state, 3000)};
        struct systolic_memory memory = {.held_bytes = random_below(&state, 1 << 22),
                                         .input_bytes = 2,
                                         .filter_bytes = 2,
                                         .output_bytes = 2,
                                         .sum_bytes = 4};
        struct systolic_array array = {.rows = 8, .columns = 8};
        struct systolic_traffic traffic;
        systolic_traffic(&traffic, &memory, &array, &gemm, 0);
        double m = (double)gemm.m, n = (double)gemm.n, k = (double)gemm.k;
        double words = (double)traffic.block_m * (double)traffic.block_n;
        ck_assert(words == 1 || 4 * words <= memory.held_bytes / 2);
        ck_assert(traffic.block_m <= gemm.m && traffic.block_n <= gemm.n);
        /* never less than once each, never more than a word per multiply-add and side */
        ck_assert(traffic.bytes >= 2 * (m * k + k * n + m * n));
        ck_assert(traffic.bytes <= 2 * (2 * m * n * k + m * n));
    }
}
END_TEST

START_TEST(time_grows_with_every_dimension)
{
    uint64_t state = 5;
    for (int round = 0; round < 20000; round++) {
        struct device device = small_device();
        device.cache_bytes = 1 << (14 + random_below(&state, 12));
        device.generation = round % 2 ? GENERATION_TPU : GENERATION_OTHER;
        uint64_t side[3];
        for (int d = 0; d < 3; d++)
            side[d] = 1 + random_below(&state, 1u << (4 + random_below(&state, 10)));
        struct op_shape small = gemm_shape(side[0], side[1], side[2], TYPE_BF16);
        side[random_below(&state, 3)] += 1 + random_below(&state, 1000);
        struct op_shape large = gemm_shape(side[0], side[1], side[2], TYPE_BF16);
        struct op_time before, after;
        struct op_time_options options = {0};
        const char *why;
        ck_assert(op_model_systolic.time(&device, &small, &options, &before, &why));
        ck_assert(op_model_systolic.time(&device, &large, &options, &after, &why));
        ck_assert_msg(after.ns >= before.ns * (1 - 1e-9), "%llux%llux%llu",
                      (unsigned long long)small.m, (unsigned long long)small.n,
                      (unsigned long long)small.k);
    }
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("systolic_op");
    TCase *cases = tcase_create("all");
    tcase_add_test(cases, passes_over_two_arrays);
    tcase_add_test(cases, dataflows_of_a_device);
    tcase_add_test(cases, tpus_pad_what_they_stream);
    tcase_add_test(cases, small_products_wait_for_memory);
    tcase_add_test(cases, batches_groups_and_convolutions);
    tcase_add_test(cases, declines_with_a_reason);
    tcase_add_test(cases, a_tpu_of_the_catalogue);
    tcase_add_test(cases, blocks_of_results);
    tcase_add_test(cases, no_block_is_larger_than_half_the_memory);
    tcase_add_test(cases, time_grows_with_every_dimension);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
