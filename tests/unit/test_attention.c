#include "compute/model/attention.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <string.h>

/* H100 by hand: its sheet, and round parameters. */
static struct device device_h100(void)
{
    struct device device = {.name = "by hand",
                            .cores = 132,
                            .special_flops = 4.18e12,
                            .memory_Bps = 3.35e12,
                            .peak_flops = {[TYPE_BF16] = 989.4e12, [TYPE_FP8] = 1978.9e12}};
    device.attention[ATTENTION_FUSED] = (struct device_attention){.start_ns = 3000,
                                                                  .forward = {[TYPE_BF16] = 0.8},
                                                                  .backward = {[TYPE_BF16] = 0.6},
                                                                  .exposed_exp_ratio = 1,
                                                                  .tile_q = 128,
                                                                  .tile_kv = 128};
    return device;
}

static struct op_shape shape_of(uint64_t batch, uint64_t length, uint32_t heads, uint32_t kv_heads,
                                uint32_t head_dim)
{
    return (struct op_shape){.class = OP_CLASS_ATTENTION,
                             .type = TYPE_BF16,
                             .out_type = TYPE_BF16,
                             .is_causal = true,
                             .batch = batch,
                             .heads = heads,
                             .kv_heads = kv_heads,
                             .head_dim = head_dim,
                             .q_len = length,
                             .kv_len = length};
}

static double ns_with(const struct device *device, struct op_shape shape,
                      const struct op_time_options *options)
{
    struct op_time time = {0};
    const char *why = NULL;
    shape.flops = shape.read_bytes = shape.write_bytes = 0;
    op_shape_finish(&shape);
    ck_assert(op_model_attention.time(device, &shape, options, &time, &why));
    ck_assert(time.ns > 0);
    return time.ns;
}

static double ns_of(const struct device *device, struct op_shape shape)
{
    return ns_with(device, shape, &(struct op_time_options){0});
}

/* The header's: work = 32 x 2080 pairs x 1.916 us / 132 = 966 us, no tail, start 3 us. */
START_TEST(the_worked_number)
{
    struct device device = device_h100();
    double ns = ns_of(&device, shape_of(1, 8192, 32, 32, 128));
    ck_assert_double_eq_tol(ns, 966300 + 3000, 200);
}
END_TEST

/* Backward: 10 in place of 4 at 0.6: 20.97 MFLOP / 4.497 TFLOP/s = 4.663 us + 0.517 = 5.180 us a
 * pair: 2612 us; passes of 2 x 2 + 8 + 2 = 14 B for 1 x 32 x 8192 x 128 numbers: 469.8 MB at
 * 0.85 x 3.35 TB/s = 165 us. */
START_TEST(backward_has_five_products_and_two_passes)
{
    struct device device = device_h100();
    struct op_shape shape = shape_of(1, 8192, 32, 32, 128);
    shape.class = OP_CLASS_ATTENTION_BACKWARD;
    ck_assert_double_eq_tol(ns_of(&device, shape), 2612000 + 165000 + 3000, 1500);
}
END_TEST

/* One wave: 8 heads x 4 tiles on 132 cores take as long as the longest tile, 4 pairs = 7.67 us;
 * start 3 us. */
START_TEST(short_sequences_take_their_longest_tile)
{
    struct device device = device_h100();
    ck_assert_double_eq_tol(ns_of(&device, shape_of(1, 512, 8, 8, 128)), 3000 + 7665, 20);
    device.attention[ATTENTION_FUSED].tile_ns = 5000;
    ck_assert_double_eq_tol(ns_of(&device, shape_of(1, 512, 8, 8, 128)), 3000 + 5000 + 7665, 20);
}
END_TEST

/* Decoding: one query of 64 heads in groups of 8, 32768 keys, D = 128: bytes of K and V, 8 heads
 * x 32768 x 128 x 2 x 2 B = 134.2 MB at 2.8475 TB/s = 47.1 us. 8 tiles of 256 key tiles each,
 * split 16 ways: 16 x 1.916 = 30.7 us. */
START_TEST(decoding_reads_keys_by_their_own_heads)
{
    struct device device = device_h100();
    struct op_shape shape = shape_of(1, 32768, 64, 8, 128);
    shape.q_len = 1;
    ck_assert_double_eq_tol(ns_of(&device, shape), 3000 + 47140, 60);
    device.memory_Bps = 1e15;
    ck_assert_double_eq_tol(ns_of(&device, shape), 3000 + 30660, 200);
}
END_TEST

/* Brute force over query tiles and key tiles. */
static struct attention_tiles count_tiles(const struct op_shape *shape, int64_t tile_q,
                                          int64_t tile_kv)
{
    struct attention_tiles tiles = {0};
    int64_t q_len = (int64_t)shape->q_len, kv_len = (int64_t)shape->kv_len;
    int64_t window = shape->window ? (int64_t)shape->window : kv_len + q_len;
    for (int64_t q = 0; q < q_len; q += tile_q) {
        int64_t q_end = q + tile_q < q_len ? q + tile_q : q_len;
        int64_t first = kv_len - q_len + q - window + 1, end = kv_len - q_len + q_end;
        uint64_t count = 0;
        for (int64_t k = 0; k < kv_len; k += tile_kv)
            count += k < end && k + tile_kv > first;
        tiles.query_tiles++;
        tiles.pairs += count;
        if (count > tiles.longest)
            tiles.longest = count;
    }
    return tiles;
}

START_TEST(tiles_are_those_of_a_count)
{
    static const uint64_t tiles_of[][2] = {{128, 128}, {128, 64}, {64, 128}, {128, 176}, {1, 1}};
    uint64_t seed = 12345;
    for (int i = 0; i < 4000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t q_len = 1 + (seed >> 33) % 900, kv_len = 1 + (seed >> 43) % 1500;
        uint64_t window = seed >> 62 ? 0 : 1 + (seed >> 21) % 600;
        struct op_shape shape = shape_of(1, q_len, 1, 1, 64);
        shape.kv_len = kv_len;
        shape.window = window < kv_len ? window : 0;
        const uint64_t *tile = tiles_of[i % 5];
        struct attention_tiles got = attention_tiles(&shape, tile[0], tile[1]);
        struct attention_tiles expected = count_tiles(&shape, (int64_t)tile[0], (int64_t)tile[1]);
        ck_assert_uint_eq(got.query_tiles, expected.query_tiles);
        ck_assert_uint_eq(got.pairs, expected.pairs);
        if (shape.window == 0)
            ck_assert_uint_eq(got.longest, expected.longest);
        else /* a tile more or less, by where windows begin */
            ck_assert(got.longest <= expected.longest && got.longest + 1 >= expected.longest);
    }
}
END_TEST

enum dimension { BATCH, HEADS, HEAD_DIM, LENGTH, QUERIES, KEYS, WINDOW, DIMENSION_COUNT };

static void grow(struct op_shape *shape, enum dimension dimension, uint64_t by)
{
    switch (dimension) {
    case BATCH:
        shape->batch += by;
        break;
    case HEADS:
        shape->heads += (uint32_t)by * shape->kv_heads;
        break;
    case HEAD_DIM:
        shape->head_dim += (uint32_t)by * 8;
        break;
    case LENGTH:
        shape->q_len += by * 37;
        shape->kv_len += by * 37;
        break;
    case QUERIES: /* whole tiles: a part of one shifts the diagonal of all */
        shape->q_len += by * 128;
        break;
    case KEYS:
        shape->kv_len += by * 37;
        break;
    default:
        shape->window += by * 37;
    }
}

START_TEST(time_grows_with_every_dimension)
{
    struct device device = device_h100();
    device.attention[ATTENTION_FUSED].tile_ns = 1500;
    device.attention[ATTENTION_FUSED].tail_ratio = 0.5;
    for (int i = 0; i < 4 * DIMENSION_COUNT; i++) {
        enum dimension dimension = (enum dimension)(i / 4);
        struct op_shape shape = shape_of(2, 1000, 8, 4, 64);
        shape.kv_len = dimension == QUERIES ? 6000 : 1000;
        shape.is_causal = i % 2 || dimension == WINDOW;
        shape.window = dimension == WINDOW ? 100 : 0;
        shape.class = i % 4 < 2 ? OP_CLASS_ATTENTION : OP_CLASS_ATTENTION_BACKWARD;
        double before = 0;
        for (int step = 0; step < 40; step++) {
            double ns = ns_of(&device, shape);
            ck_assert_msg(ns >= before * (1 - 1e-12), "dimension %d step %d: %g after %g",
                          dimension, step, ns, before);
            before = ns;
            grow(&shape, dimension, 1);
        }
    }
}
END_TEST

START_TEST(causal_is_no_slower_and_backward_no_faster)
{
    struct device device = device_h100();
    device.attention[ATTENTION_FUSED].tail_ratio = 0.5;
    for (uint64_t length = 1; length <= 70000; length = length * 3 / 2 + 1) {
        for (uint32_t kv_heads = 1; kv_heads <= 16; kv_heads *= 4) {
            struct op_shape causal = shape_of(1, length, 16, kv_heads, 128), full = causal;
            full.is_causal = false;
            ck_assert(ns_of(&device, causal) <= ns_of(&device, full));
            struct op_shape local = causal;
            local.window = 4096;
            ck_assert(ns_of(&device, local) <= ns_of(&device, causal) * (1 + 1e-12));
            struct op_shape backward = causal;
            backward.class = OP_CLASS_ATTENTION_BACKWARD;
            ck_assert(ns_of(&device, backward) >= ns_of(&device, causal));
        }
    }
}
END_TEST

/* What every preset's parameters must keep: order of masks, directions, kernels' times. */
START_TEST(presets_keep_the_order)
{
    struct arena arena;
    arena_init(&arena);
    const char *const *name = device_names(&arena);
    for (; *name; name++) {
        struct device device;
        struct diag diag = DIAG_NONE;
        ck_assert(device_load(&device, *name, &arena, NULL, &diag) == STATUS_OK);
        if (!(device.peak_flops[TYPE_BF16] > 0))
            continue;
        double before = 0;
        for (uint64_t length = 128; length <= 65536; length *= 2) {
            struct op_shape causal = shape_of(2, length, 32, 8, 128), full = causal,
                            backward = causal;
            full.is_causal = false;
            backward.class = OP_CLASS_ATTENTION_BACKWARD;
            double ns = ns_of(&device, causal);
            ck_assert_msg(ns <= ns_of(&device, full), "%s: %lu", *name, (unsigned long)length);
            ck_assert_msg(ns <= ns_of(&device, backward), "%s: %lu", *name, (unsigned long)length);
            ck_assert_msg(ns >= before, "%s: %lu", *name, (unsigned long)length);
            before = ns;
        }
    }
    arena_release(&arena);
}
END_TEST

/* 8192 tokens of four documents of 2048 that do not see each other: four times 2048 x 2049 / 2
 * pairs in place of 8192 x 8193 / 2, near a quarter. Equal documents must come out near the
 * batch that they are (the diagonal's tiles: 6 %). */
START_TEST(flops_say_how_sequences_are_packed)
{
    struct device device = device_h100();
    struct op_shape packed = shape_of(1, 8192, 32, 32, 128);
    struct op_time time = {0};
    const char *why = NULL;
    packed.flops = 4 * 4 * 32 * (2048ULL * 2049 / 2) * 128;
    op_shape_finish(&packed);
    ck_assert(op_model_attention.time(&device, &packed, &(struct op_time_options){0}, &time, &why));
    double batch = ns_of(&device, shape_of(4, 2048, 32, 32, 128));
    ck_assert_double_eq_tol(time.ns, batch, 0.06 * batch);
    double quarter = (ns_of(&device, shape_of(1, 8192, 32, 32, 128)) - 3000) / 4;
    ck_assert_double_eq_tol(time.ns - 3000, quarter, 0.001 * quarter);
}
END_TEST

/* Sizes up to what it takes, in all combinations: finite times, no overflow on the way (asan
 * checks). */
START_TEST(extreme_sizes_have_finite_times)
{
    static const uint64_t length[] = {1, 127, 129, 1000003, (uint64_t)1 << 31};
    static const uint32_t heads[] = {1, 7, 1 << 20};
    struct device device = device_h100();
    for (int i = 0; i < 5 * 5 * 3 * 5 * 4; i++) {
        struct op_shape shape =
            shape_of((uint64_t)1 << i % 3 * 20, length[i % 5], heads[i / 25 % 3], 1, 1 + i % 300);
        shape.kv_len = length[i / 5 % 5];
        shape.window = i / 75 % 5 ? length[i / 75 % 5] - 1 : 0;
        shape.is_causal = i / 375 % 2;
        shape.class = i / 750 ? OP_CLASS_ATTENTION_BACKWARD : OP_CLASS_ATTENTION;
        ck_assert(isfinite(ns_of(&device, shape)));
    }
}
END_TEST

START_TEST(fewer_key_heads_are_no_slower)
{
    struct device device = device_h100();
    ck_assert(ns_of(&device, shape_of(8, 4096, 64, 8, 128)) <=
              ns_of(&device, shape_of(8, 4096, 64, 64, 128)));
}
END_TEST

START_TEST(kernels_fall_back_and_say_so)
{
    struct device device = device_h100();
    struct op_shape shape = shape_of(1, 4096, 32, 32, 128);
    struct op_time_options flash2 = {.attention = ATTENTION_FLASH2};
    double fused = ns_of(&device, shape);
    ck_assert_double_eq(ns_with(&device, shape, &flash2), fused); /* it has only the one */
    device.attention[ATTENTION_FLASH2] = device.attention[ATTENTION_FUSED];
    device.attention[ATTENTION_FLASH2].forward[TYPE_BF16] = 0.4;
    ck_assert(ns_with(&device, shape, &flash2) > fused);

    memset(device.attention, 0, sizeof device.attention);
    struct op_time time = {0};
    const char *why = NULL;
    op_shape_finish(&shape);
    ck_assert(op_model_attention.time(&device, &shape, &(struct op_time_options){0}, &time, &why));
    ck_assert(time.is_extrapolated);
    ck_assert(strstr(time.reason, "assumed"));
}
END_TEST

START_TEST(what_it_does_not_know_it_declines)
{
    struct device device = device_h100();
    struct op_time time = {0};
    struct op_time_options options = {0};
    const char *why = NULL;
    struct op_shape gemm = {.class = OP_CLASS_GEMM, .type = TYPE_BF16, .m = 64, .n = 64, .k = 64};
    ck_assert(!op_model_attention.time(&device, &gemm, &options, &time, &why));
    ck_assert_ptr_null(why);
    struct op_shape fp4 = shape_of(1, 4096, 32, 32, 128);
    fp4.type = TYPE_FP4;
    ck_assert(!op_model_attention.time(&device, &fp4, &options, &time, &why));
    ck_assert(strstr(why, "no matrix rate"));
    struct op_shape endless = shape_of(1, (uint64_t)1 << 33, 32, 32, 128);
    ck_assert(!op_model_attention.time(&device, &endless, &options, &time, &why));
    ck_assert(strstr(why, "2^31"));
}
END_TEST

static Suite *attention_suite(void)
{
    Suite *suite = suite_create("attention");
    TCase *tests = tcase_create("model");
    tcase_add_test(tests, the_worked_number);
    tcase_add_test(tests, backward_has_five_products_and_two_passes);
    tcase_add_test(tests, short_sequences_take_their_longest_tile);
    tcase_add_test(tests, decoding_reads_keys_by_their_own_heads);
    tcase_add_test(tests, tiles_are_those_of_a_count);
    tcase_add_test(tests, time_grows_with_every_dimension);
    tcase_add_test(tests, causal_is_no_slower_and_backward_no_faster);
    tcase_add_test(tests, presets_keep_the_order);
    tcase_add_test(tests, flops_say_how_sequences_are_packed);
    tcase_add_test(tests, extreme_sizes_have_finite_times);
    tcase_add_test(tests, fewer_key_heads_are_no_slower);
    tcase_add_test(tests, kernels_fall_back_and_say_so);
    tcase_add_test(tests, what_it_does_not_know_it_declines);
    suite_add_tcase(suite, tests);
    return suite;
}

RUN_SUITE(attention_suite())
