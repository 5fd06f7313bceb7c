/* gemm: tiles and waves by hand, bounds on random shapes, what declines. */
#include <math.h>
#include <string.h>

#include "base/mix.h"
#include "compute/model/gemm.h"
#include "tests/unit/unit.h"

/* 100 cores of 1 TFLOP/s, no overheads, no cache to speak of, memory that never matters. */
static struct device plain(void)
{
    struct device device = {.kind = DEVICE_GPU, .cores = 100, .memory_Bps = 1e30};
    device.peak_flops[TYPE_BF16] = 1e14;
    device.gemm = (struct device_gemm){.wave_ratio = 1, .bandwidth_ratio = 1};
    device.gemm.efficiency[TYPE_BF16] = device.gemm.sustained[TYPE_BF16] = 1;
    return device;
}

static struct op_shape shape_of(const char *text)
{
    struct op_shape shape;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(op_shape_parse(&shape, text, &diag), STATUS_OK);
    return shape;
}

static struct op_time timed(const struct device *device, const char *text)
{
    struct op_shape shape = shape_of(text);
    struct op_time_options options = {0};
    struct op_time time = {0};
    const char *why = NULL;
    ck_assert(op_model_gemm.time(device, &shape, &options, &time, &why));
    return time;
}

static void near(double found, double wanted)
{
    ck_assert_double_eq_tol(found, wanted, wanted * 1e-4);
}

/* One tile a core: 2 x 128 x 256 x 6400 flop at 1 TFLOP/s. */
static const double tile_ns = 2.0 * 128 * 256 * 6400 / 1e12 * 1e9;

/* Too shallow to split. */
static const double shallow_ns = 2.0 * 128 * 256 * 128 / 1e12 * 1e9;

START_TEST(waves)
{
    struct device device = plain();
    near(timed(&device, "gemm 1280x2560x128").ns, shallow_ns); /* 10 x 10 tiles */
    near(timed(&device, "gemm 1280x5120x128").ns, 2 * shallow_ns);
    /* 110 tiles: a second wave. A quarter of a tile more would do, were smaller tiles as fast. */
    device.gemm.tile_loss = 1e6;
    near(timed(&device, "gemm 1408x2560x128").ns, 2 * shallow_ns);
    /* ... of which half is lost: 1.1 + 0.45 */
    device.gemm.wave_ratio = 0.5;
    near(timed(&device, "gemm 1408x2560x128").ns, 1.55 * shallow_ns);
    near(timed(&device, "gemm 1280x2560x128").ns, shallow_ns);
}
END_TEST

START_TEST(overheads_add)
{
    struct device device = plain();
    device.gemm.start_ns = 3000;
    device.gemm.tile_ns = 500;
    device.gemm.efficiency[TYPE_BF16] = 0.5;
    near(timed(&device, "gemm 1280x5120x6400").ns, 3000 + 2 * (2 * tile_ns + 500));
}
END_TEST

/* 64 x 64 x 65536 is one tile, or with K split 16 parts: a sixteenth of the time, and a sum. */
START_TEST(split_k)
{
    struct device device = plain();
    device.gemm.start_ns = 100;
    double one_ns = 2.0 * 64 * 64 * 65536 / 1e12 * 1e9;
    near(timed(&device, "gemm 64x64x65536").ns, 100 + 50 + one_ns / 16);
    ck_assert_ptr_nonnull(strstr(timed(&device, "gemm 64x64x65536").reason, "split K"));
}
END_TEST

/* Parts are written and read in fp32: 8 bytes of each result and part go through the cache
 * besides. */
START_TEST(parts_of_a_split_go_through_the_cache)
{
    struct device device = plain();
    device.gemm.cache_ratio = 1;
    device.cache_Bps = 1e11;
    double one_ns = 2.0 * 64 * 64 * 65536 / 1e12 * 1e9;
    double operands = 2.0 * (64 + 64) * 65536, parts = 8.0 * 8 * 64 * 64;
    double compute_ns = one_ns / 8, cache_ns = (operands + parts) / 1e11 * 1e9;
    near(timed(&device, "gemm 64x64x65536").ns,
         pow(pow(compute_ns, 6) + pow(cache_ns, 6), 1.0 / 6));
}
END_TEST

/* Memory alone: bytes at ratio x bandwidth, and the ramp. */
START_TEST(memory_bound)
{
    struct device device = plain();
    device.memory_Bps = 1e9;
    device.gemm.bandwidth_ratio = 0.8;
    device.gemm.ramp_ns = 700;
    struct op_shape shape = shape_of("gemm 64x8192x8192");
    double bytes = (double)(shape.read_bytes + shape.write_bytes);
    struct op_time time = timed(&device, "gemm 64x8192x8192");
    near(time.ns, bytes / 0.8 + 700);
    ck_assert_ptr_nonnull(strstr(time.reason, "memory-bound"));
}
END_TEST

/* Cache alone: 2 tiles of 128 x 256 load 384 rows of 128 numbers of 2 bytes. */
START_TEST(cache_bound)
{
    struct device device = plain();
    device.cache_Bps = 1e6;
    device.gemm.cache_ratio = 1;
    struct op_time time = timed(&device, "gemm 128x512x128");
    near(time.ns, 2 * 384 * 128 * 2 * 1e3);
    ck_assert_ptr_nonnull(strstr(time.reason, "cache-bound"));
}
END_TEST

START_TEST(kinds_of_products)
{
    struct device device = plain();
    double one = timed(&device, "gemm 1280x2560x6400").ns;
    near(timed(&device, "gemm 128x2560x6400 batch=10").ns, one);
    near(timed(&device, "grouped-gemm 1280x2560x6400 groups=10").ns, one);
    near(timed(&device, "conv 1280x2560x6400").ns, one / 0.75);
    /* A group of 1 row still takes a tile: 40 groups x 100 columns of tiles. */
    device.gemm.tile_loss = 1;
    ck_assert_double_gt(timed(&device, "grouped-gemm 40x2560x6400 groups=40").ns, one * 1.5);
    /* no fp8 here: bf16's rate, its own bytes */
    near(timed(&device, "gemm 1280x2560x6400 fp8").ns, one);
}
END_TEST

START_TEST(bursts_end)
{
    struct device device = plain();
    device.gemm.sustained[TYPE_BF16] = 0.5;
    device.gemm.burst_ns = tile_ns; /* a kernel of this length runs at 0.75 */
    near(timed(&device, "gemm 1280x2560x6400").ns, tile_ns / 0.75);
    struct op_shape shape = shape_of("gemm 1280x2560x6400");
    struct op_time_options options = {.is_sustained = true};
    struct op_time time;
    const char *why = NULL;
    ck_assert(op_model_gemm.time(&device, &shape, &options, &time, &why));
    near(time.ns, tile_ns / 0.5);
}
END_TEST

START_TEST(declines)
{
    struct device device = plain();
    struct op_time_options options = {0};
    struct op_time time;
    const char *why = NULL;
    struct op_shape shape = shape_of("norm 8x8");
    ck_assert(!op_model_gemm.time(&device, &shape, &options, &time, &why));
    ck_assert_ptr_null(why);
    shape = shape_of("gemm 8x8x8 fp64");
    ck_assert(!op_model_gemm.time(&device, &shape, &options, &time, &why));
    ck_assert_str_eq(why, "the device has no matrix rate for this type");
    device.kind = DEVICE_SYSTOLIC;
    shape = shape_of("gemm 8x8x8");
    ck_assert(!op_model_gemm.time(&device, &shape, &options, &time, &why));
    ck_assert_str_eq(why, "the device is no GPU");
}
END_TEST

/* Never faster than the peak or than memory; and double the depth is never faster. */
START_TEST(bounds_on_every_device)
{
    struct arena arena;
    struct notices notices;
    struct diag diag = DIAG_NONE;
    uint64_t state = 7;
    arena_init(&arena);
    notices_init(&notices);
    for (const char *const *name = device_names(&arena); *name; name++) {
        struct device device;
        ck_assert_int_eq(device_load(&device, *name, &arena, &notices, &diag), STATUS_OK);
        for (int i = 0; device.kind == DEVICE_GPU && i < 200; i++) {
            struct op_shape shape = {
                .class = OP_CLASS_GEMM, .type = TYPE_FP16, .out_type = TYPE_FP16};
            shape.m = 1 + random_below(&state, 20000);
            shape.n = 1 + random_below(&state, 20000);
            shape.k = 1 + random_below(&state, 20000);
            op_shape_finish(&shape);
            struct op_shape deeper = shape;
            deeper.k *= 2;
            deeper.flops = deeper.read_bytes = 0;
            op_shape_finish(&deeper);
            struct op_time_options options = {.is_sustained = i % 2};
            struct op_time time, more;
            const char *why;
            ck_assert(op_model_gemm.time(&device, &shape, &options, &time, &why));
            ck_assert(op_model_gemm.time(&device, &deeper, &options, &more, &why));
            ck_assert_double_gt(time.ns, (double)shape.flops / device.peak_flops[TYPE_FP16] * 1e9);
            ck_assert(isfinite(time.ns) && more.ns >= time.ns * 0.999);
        }
    }
    notices_release(&notices);
    arena_release(&arena);
}
END_TEST

static Suite *gemm_suite(void)
{
    Suite *suite = suite_create("gemm");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, waves);
    tcase_add_test(tests, overheads_add);
    tcase_add_test(tests, split_k);
    tcase_add_test(tests, parts_of_a_split_go_through_the_cache);
    tcase_add_test(tests, memory_bound);
    tcase_add_test(tests, cache_bound);
    tcase_add_test(tests, kinds_of_products);
    tcase_add_test(tests, bursts_end);
    tcase_add_test(tests, declines);
    tcase_add_test(tests, bounds_on_every_device);
    suite_add_tcase(suite, tests);
    return suite;
}

RUN_SUITE(gemm_suite())
