/* systolic, convolution: vectors worked by hand, and a twin that moves every operand every cycle.
   */
#include <string.h>

#include "base/mix.h"
#include "compute/model/convolution.h"
#include "compute/model/systolic.h"
#include "tests/unit/unit.h"

/* -- vectors: compute_models.md, section 7 ----------------------------------------------------- */

START_TEST(cycles_of_the_published_vectors)
{
    static const struct {
        enum systolic_dataflow dataflow;
        uint64_t down, across, fold_cycles, cycles;
    } rows[] = {
        /* M, N, K = 256, 128, 256 on 32 x 32 */
        {SYSTOLIC_OUTPUT, 8, 4, 318, 10176}, /* 32 + 32 + 256 - 2 */
        {SYSTOLIC_WEIGHT, 8, 4, 350, 11200}, /* 64 + 32 + 256 - 2 */
        {SYSTOLIC_INPUT, 8, 8, 222, 14208},  /* 64 + 32 + 128 - 2 */
    };
    const struct systolic_gemm gemm = {256, 128, 256};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct systolic_array array = {.rows = 32, .columns = 32, .dataflow = rows[i].dataflow};
        struct systolic_folds folds;
        struct systolic_time time;
        systolic_fold(&folds, &array, &gemm);
        systolic_time(&time, &array, &gemm);
        ck_assert_uint_eq(folds.down, rows[i].down);
        ck_assert_uint_eq(folds.across, rows[i].across);
        ck_assert_uint_eq(folds.fold_cycles, rows[i].fold_cycles);
        ck_assert_uint_eq(time.cycles, rows[i].cycles);
        ck_assert_double_eq_tol(time.mapped_ratio, 1, 1e-12);
        /* 256 * 128 * 256 / (1024 * cycles) */
        ck_assert_double_eq_tol(time.busy_ratio, 8192.0 / (double)rows[i].cycles, 1e-12);
    }
}
END_TEST

START_TEST(partial_folds_and_several_arrays)
{
    /* 100 x 50 . 50 x 300 on 32 x 32, output stationary: 4 x 10 folds; the last of a column uses 4
     * rows, the last of a row 12 columns: 30,000 of 40,960 cells. */
    struct systolic_array array = {.rows = 32, .columns = 32, .dataflow = SYSTOLIC_OUTPUT};
    const struct systolic_gemm gemm = {100, 300, 50};
    struct systolic_folds folds;
    struct systolic_time time;
    systolic_fold(&folds, &array, &gemm);
    systolic_time(&time, &array, &gemm);
    ck_assert_uint_eq(folds.last_rows, 4);
    ck_assert_uint_eq(folds.last_columns, 12);
    ck_assert_uint_eq(time.folds, 40);
    ck_assert_uint_eq(time.cycles, 40 * 112);
    ck_assert_double_eq_tol(time.mapped_ratio, 30000.0 / 40960, 1e-12);
    array.arrays = 12; /* ceil(40 / 12) = 4 rounds */
    systolic_time(&time, &array, &gemm);
    ck_assert_uint_eq(time.cycles, 4 * 112);
    ck_assert_double_eq_tol(time.busy_ratio, 1.5e6 / (1024.0 * 12 * 448), 1e-12);
}
END_TEST

START_TEST(words_asked_for)
{
    /* 100 x 300 x 50 on 32 x 32: inputs of 5,000 words, filters of 15,000, results of 30,000. */
    static const struct {
        enum systolic_dataflow dataflow;
        uint64_t input, filter, output;
    } rows[] = {
        {SYSTOLIC_OUTPUT, 5000 * 10, 15000 * 4, 30000},
        {SYSTOLIC_WEIGHT, 5000 * 10, 15000, 30000 * 2},
        {SYSTOLIC_INPUT, 5000, 15000 * 4, 30000 * 2},
    };
    const struct systolic_gemm gemm = {100, 300, 50};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct systolic_array array = {.rows = 32, .columns = 32, .dataflow = rows[i].dataflow};
        struct systolic_reads reads;
        systolic_reads(&reads, &array, &gemm);
        ck_assert_uint_eq(reads.input, rows[i].input);
        ck_assert_uint_eq(reads.filter, rows[i].filter);
        ck_assert_uint_eq(reads.output, rows[i].output);
    }
}
END_TEST

START_TEST(huge_dimensions_saturate)
{
    struct systolic_array array = {.rows = 1, .columns = 1, .dataflow = SYSTOLIC_WEIGHT};
    const struct systolic_gemm gemm = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
    struct systolic_time time;
    systolic_time(&time, &array, &gemm);
    ck_assert_uint_eq(time.folds, UINT64_MAX);
    ck_assert_uint_eq(time.cycles, UINT64_MAX);
}
END_TEST

START_TEST(names)
{
    for (int d = 0; d < SYSTOLIC_DATAFLOWS; d++)
        ck_assert_int_eq(systolic_dataflow_find(systolic_dataflow_name(d)), d);
    ck_assert_int_eq(systolic_dataflow_find("ws"), SYSTOLIC_WEIGHT);
    ck_assert_int_eq(systolic_dataflow_find("row"), SYSTOLIC_DATAFLOWS);
}
END_TEST

/* -- twin: one fold, every register of the array, every cycle ---------------------------------- */

enum { SIDE = 7, LONG = 12 };

struct twin {
    uint64_t rows, columns, m, n, k; /* m <= rows etc., as the dataflow maps them */
    int a[LONG][LONG], b[LONG][LONG], c[LONG][LONG];
    uint64_t done_cycle; /* last in which a result is made or leaves */
};

/* Output stationary: inputs move right, filters down; a cell adds what passes. */
static void twin_output(struct twin *twin)
{
    int right[SIDE][SIDE] = {{0}}, down[SIDE][SIDE] = {{0}};
    bool real[SIDE][SIDE] = {{0}};
    memset(twin->c, 0, sizeof twin->c);
    for (uint64_t cycle = 0; cycle < 100; cycle++) {
        for (uint64_t r = twin->rows; r-- > 0;) {
            for (uint64_t c = twin->columns; c-- > 0;) {
                uint64_t t = cycle - r - c; /* which k is here: at the edges only */
                bool is_fed = cycle >= r + c && t < twin->k;
                right[r][c] = c > 0 ? right[r][c - 1] : is_fed ? twin->a[r][t] : 0;
                down[r][c] = r > 0 ? down[r - 1][c] : is_fed ? twin->b[t][c] : 0;
                real[r][c] = c > 0 ? real[r][c - 1] : is_fed;
                twin->c[r][c] += right[r][c] * down[r][c];
                if (real[r][c])
                    twin->done_cycle = cycle;
            }
        }
    }
}

/*
 * Stationary operand loaded in `rows` cycles from the top (last row first); the other moves right,
 * partial sums down. A result leaves the lowest row. Input stationary is the same with the operands
 * exchanged.
 */
static void twin_stationary(struct twin *twin)
{
    int held[SIDE][SIDE] = {{0}}, right[SIDE][SIDE] = {{0}}, sum[SIDE][SIDE] = {{0}};
    memset(twin->c, 0, sizeof twin->c);
    for (uint64_t cycle = 0; cycle < twin->rows; cycle++) {
        for (uint64_t c = 0; c < twin->columns; c++) {
            for (uint64_t r = twin->rows; r-- > 1;)
                held[r][c] = held[r - 1][c];
            held[0][c] = twin->b[twin->rows - 1 - cycle][c];
        }
    }
    for (uint64_t cycle = twin->rows; cycle < 100; cycle++) {
        for (uint64_t r = twin->rows; r-- > 0;) {
            for (uint64_t c = twin->columns; c-- > 0;) {
                uint64_t t = cycle - twin->rows - r;
                bool is_fed = cycle >= twin->rows + r && t < twin->m;
                right[r][c] = c > 0 ? right[r][c - 1] : is_fed ? twin->a[t][r] : 0;
                sum[r][c] = (r > 0 ? sum[r - 1][c] : 0) + right[r][c] * held[r][c];
                uint64_t leaves = cycle - twin->rows - (twin->rows - 1) - c;
                if (r == twin->rows - 1 && cycle >= 2 * twin->rows - 1 + c && leaves < twin->m) {
                    twin->c[leaves][c] = sum[r][c];
                    twin->done_cycle = cycle;
                }
            }
        }
    }
}

static void check_product(const struct twin *twin, uint64_t m, uint64_t n, uint64_t k)
{
    for (uint64_t i = 0; i < m; i++) {
        for (uint64_t j = 0; j < n; j++) {
            int sum = 0;
            for (uint64_t t = 0; t < k; t++)
                sum += twin->a[i][t] * twin->b[t][j];
            ck_assert_int_eq(twin->c[i][j], sum);
        }
    }
}

static void fill(struct twin *twin, uint64_t *state)
{
    for (int i = 0; i < LONG; i++) {
        for (int j = 0; j < LONG; j++) {
            twin->a[i][j] = (int)random_below(state, 200) - 100;
            twin->b[i][j] = (int)random_below(state, 200) - 100;
        }
    }
}

START_TEST(a_fold_takes_as_long_as_its_registers_say)
{
    uint64_t state = 1;
    for (int round = 0; round < 300; round++) {
        struct twin twin = {.rows = 1 + random_below(&state, SIDE),
                            .columns = 1 + random_below(&state, SIDE)};
        uint64_t stream = 1 + random_below(&state, LONG);
        struct systolic_array array = {.rows = twin.rows, .columns = twin.columns};
        struct systolic_time time;
        fill(&twin, &state);
        twin.k = stream;
        array.dataflow = SYSTOLIC_OUTPUT;
        struct systolic_gemm gemm = {twin.rows, twin.columns, stream};
        twin_output(&twin);
        check_product(&twin, twin.rows, twin.columns, stream);
        systolic_time(&time, &array, &gemm);
        ck_assert_uint_eq(time.cycles, twin.done_cycle + 1);
        twin.m = stream;
        array.dataflow = SYSTOLIC_WEIGHT;
        gemm = (struct systolic_gemm){stream, twin.columns, twin.rows};
        twin_stationary(&twin);
        check_product(&twin, stream, twin.columns, twin.rows);
        systolic_time(&time, &array, &gemm);
        ck_assert_uint_eq(time.cycles, twin.done_cycle + 1);
        array.dataflow = SYSTOLIC_INPUT; /* the transposed product */
        gemm = (struct systolic_gemm){twin.columns, stream, twin.rows};
        systolic_time(&time, &array, &gemm);
        ck_assert_uint_eq(time.cycles, twin.done_cycle + 1);
    }
}
END_TEST

/* -- convolution ------------------------------------------------------------------------------- */

/* Positions by trying them. */
static uint64_t count_positions(uint64_t input, uint64_t filter, uint64_t stride, uint64_t pad,
                                uint64_t dilation)
{
    uint64_t count = 0;
    for (uint64_t at = 0; at + dilation * (filter - 1) < input + 2 * pad; at += stride)
        count++;
    return count;
}

START_TEST(convolutions_by_both_countings)
{
    struct convolution conv = {.input_height = 230,
                               .input_width = 230,
                               .channels = 3,
                               .filter_height = 7,
                               .filter_width = 7,
                               .filters = 64,
                               .stride_height = 2,
                               .stride_width = 2};
    struct convolution_gemm result;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(convolution_gemm(&result, &conv, CONVOLUTION_TRUE, &diag), STATUS_OK);
    ck_assert_uint_eq(result.gemm.m, 112 * 112);
    ck_assert_uint_eq(result.gemm.k, 147);
    ck_assert_int_eq(convolution_gemm(&result, &conv, CONVOLUTION_SCALESIM, &diag), STATUS_OK);
    ck_assert_uint_eq(result.gemm.m, 113 * 113);
    conv.input_height = conv.input_width = 224;
    conv.pad_height = conv.pad_width = 3;
    ck_assert_int_eq(convolution_gemm(&result, &conv, CONVOLUTION_TRUE, &diag), STATUS_OK);
    ck_assert_uint_eq(result.output_height, 112);
    for (uint64_t i = 1; i < 9; i++) {
        for (uint64_t f = 1; f <= i; f++) {
            for (uint64_t s = 1; s < 4; s++) {
                for (uint64_t extra = 0; extra < 6; extra++) {
                    uint64_t pad = extra / 2, dilation = 1 + extra % 2;
                    conv = (struct convolution){i, 1, i, i, 2, f, f, 4, s, s, pad, pad, dilation};
                    conv.batch = 3;
                    uint64_t side = count_positions(i, f, s, pad, dilation);
                    diag = DIAG_NONE;
                    enum status status = convolution_gemm(&result, &conv, CONVOLUTION_TRUE, &diag);
                    ck_assert_int_eq(status, side ? STATUS_OK : STATUS_BAD_INPUT);
                    if (side)
                        ck_assert_uint_eq(result.gemm.m, 3 * side * side);
                }
            }
        }
    }
}
END_TEST

START_TEST(alexnet_first_layer)
{
    /* 224 wide, filter 11, stride 4: SCALE-Sim's odd 55 (true: 54). 3 x 11 x 11 = 363 rows: 12
     * folds of 32, 96 filters: 3; 36 x (96 - 2 + 3025) = 112,284: it prints 112,283. */
    struct convolution conv = {.input_height = 224,
                               .input_width = 224,
                               .channels = 3,
                               .filter_height = 11,
                               .filter_width = 11,
                               .filters = 96,
                               .stride_height = 4,
                               .stride_width = 4};
    struct convolution_gemm result;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(convolution_gemm(&result, &conv, CONVOLUTION_TRUE, &diag), STATUS_OK);
    ck_assert_uint_eq(result.output_height, 54);
    ck_assert_int_eq(convolution_gemm(&result, &conv, CONVOLUTION_SCALESIM, &diag), STATUS_OK);
    ck_assert_uint_eq(result.output_height, 55);
    struct systolic_array array = {.rows = 32, .columns = 32, .dataflow = SYSTOLIC_WEIGHT};
    struct systolic_time time;
    systolic_time(&time, &array, &result.gemm);
    ck_assert_uint_eq(time.cycles, 112284);
}
END_TEST

START_TEST(groups_divide_the_work)
{
    /* Depthwise: 32 channels, as many groups: 32 products of k = 9, n = 1. */
    struct convolution conv = {.groups = 32,
                               .input_height = 10,
                               .input_width = 10,
                               .channels = 32,
                               .filter_height = 3,
                               .filter_width = 3,
                               .filters = 32};
    struct convolution_gemm result;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(convolution_gemm(&result, &conv, CONVOLUTION_TRUE, &diag), STATUS_OK);
    ck_assert_uint_eq(result.count, 32);
    ck_assert_uint_eq(result.gemm.m, 64);
    ck_assert_uint_eq(result.gemm.n, 1);
    ck_assert_uint_eq(result.gemm.k, 9);
    conv.groups = 5;
    ck_assert_int_eq(convolution_gemm(&result, &conv, CONVOLUTION_TRUE, &diag), STATUS_BAD_INPUT);
    ck_assert_ptr_nonnull(strstr(diag.message, "5 groups"));
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("systolic");
    TCase *cases = tcase_create("all");
    tcase_add_test(cases, cycles_of_the_published_vectors);
    tcase_add_test(cases, partial_folds_and_several_arrays);
    tcase_add_test(cases, words_asked_for);
    tcase_add_test(cases, huge_dimensions_saturate);
    tcase_add_test(cases, names);
    tcase_add_test(cases, a_fold_takes_as_long_as_its_registers_say);
    tcase_add_test(cases, convolutions_by_both_countings);
    tcase_add_test(cases, alexnet_first_layer);
    tcase_add_test(cases, groups_divide_the_work);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
