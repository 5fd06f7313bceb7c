/* scalesim: rows worked by hand, and the twin of scalesim_twin.h on random layers. */
#include "base/mix.h"
#include "compute/model/diagonal.h"
#include "tests/unit/scalesim_twin.h"
#include "tests/unit/unit.h"

static void compare(const struct scalesim_config *config, const struct convolution *conv)
{
    struct twin twin = {0};
    struct convolution_gemm shape;
    struct diag diag = DIAG_NONE;
    struct scalesim_report report;
    arena_init(&twin.arena);
    ck_assert_int_eq(scalesim_run(&report, config, conv, &diag), STATUS_OK);
    ck_assert_int_eq(convolution_gemm(&shape, conv, CONVOLUTION_SCALESIM, &diag), STATUS_OK);
    twin_operands(&twin, conv, &shape);
    twin_asks(&twin, config, &shape.gemm);
    enum systolic_dataflow flow = config->dataflow;
    uint64_t rows = config->rows, columns = config->columns;
    twin_fetch(&twin, &twin.memory[0], &twin.input, flow != SYSTOLIC_WEIGHT,
               flow == SYSTOLIC_INPUT ? columns : rows, flow != SYSTOLIC_INPUT);
    twin_fetch(&twin, &twin.memory[1], &twin.filter, flow == SYSTOLIC_INPUT,
               flow == SYSTOLIC_INPUT ? rows : columns, flow != SYSTOLIC_WEIGHT);
    uint64_t bandwidth = config->words_per_cycle > 0 ? config->words_per_cycle : 1;
    twin_memory_init(&twin, &twin.memory[0], config->input_words, bandwidth);
    twin_memory_init(&twin, &twin.memory[1], config->filter_words, bandwidth);
    twin_run(&twin, config);
    ck_assert_uint_eq(report.cycles, twin.report.cycles);
    ck_assert_int_eq(report.stall_cycles, twin.report.stall_cycles);
    ck_assert_uint_eq(report.dram.output, twin.report.dram.output);
    if (config->words_per_cycle == 0) {
        ck_assert_uint_eq(report.dram.input,
                          twin_estimate(&twin, &twin.ask_input, config->input_words));
        ck_assert_uint_eq(report.dram.filter,
                          twin_estimate(&twin, &twin.ask_filter, config->filter_words));
    }
    arena_release(&twin.arena);
}

static struct scalesim_config random_config(uint64_t *state)
{
    struct scalesim_config config = {
        .rows = 1 + random_below(state, 7),
        .columns = 1 + random_below(state, 7),
        .dataflow = (enum systolic_dataflow)random_below(state, SYSTOLIC_DATAFLOWS),
        .input_words = 2 + random_below(state, 300),
        .filter_words = 2 + random_below(state, 300),
        .output_words = 2 + random_below(state, 100),
        .words_per_cycle = random_below(state, 9),
    };
    return config;
}

START_TEST(products_as_the_twin_says)
{
    uint64_t state = 7;
    for (int round = 0; round < 600; round++) {
        struct scalesim_config config = random_config(&state);
        struct convolution layer =
            scalesim_gemm(1 + random_below(&state, 24), 1 + random_below(&state, 24),
                          1 + random_below(&state, 24));
        compare(&config, &layer);
    }
}
END_TEST

START_TEST(convolutions_as_the_twin_says)
{
    uint64_t state = 11;
    for (int round = 0; round < 300; round++) {
        struct scalesim_config config = random_config(&state);
        uint64_t high = 1 + random_below(&state, 8), wide = 1 + random_below(&state, 8);
        struct convolution layer = {
            .input_height = high,
            .input_width = wide,
            .channels = 1 + random_below(&state, 3),
            .filter_height = 1 + random_below(&state, (uint32_t)(high < 3 ? high : 3)),
            .filter_width = 1 + random_below(&state, (uint32_t)(wide < 3 ? wide : 3)),
            .filters = 1 + random_below(&state, 12),
            .stride_height = 1 + random_below(&state, 3),
            .stride_width = 1 + random_below(&state, 3),
        };
        compare(&config, &layer);
    }
}
END_TEST

/* -- by hand ----------------------------------------------------------------------------------- */

static struct scalesim_report run(struct scalesim_config config, struct convolution layer)
{
    struct scalesim_report report;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(scalesim_run(&report, &config, &layer, &diag), STATUS_OK);
    return report;
}

START_TEST(no_stall_if_everything_is_held)
{
    /* 8 x 8 x 8 on 4 x 4, output stationary, 200-word memories: 4 folds of 4 + 4 + 8 - 2 = 14; the
     * number of the last cycle is 55. 64 words of each operand fit in half, are fetched before the
     * start. */
    struct scalesim_report report = run((struct scalesim_config){.rows = 4,
                                                                 .columns = 4,
                                                                 .dataflow = SYSTOLIC_OUTPUT,
                                                                 .input_words = 200,
                                                                 .filter_words = 200,
                                                                 .output_words = 200,
                                                                 .words_per_cycle = 4},
                                        scalesim_gemm(8, 8, 8));
    ck_assert_uint_eq(report.cycles, 55);
    ck_assert_int_eq(report.stall_cycles, 0);
    ck_assert_uint_eq(report.dram.input, 64);
    ck_assert_uint_eq(report.dram.output, 64);
    ck_assert_uint_eq(report.sram.input, 128);
    ck_assert_uint_eq(report.sram.output, 64 + 4 * 8); /* 8 too many per fold */
    ck_assert_double_eq_tol(report.input_bandwidth, 4, 1e-12);
    ck_assert_double_eq_tol(report.use_percent, 100 * 512.0 / (16 * 55), 1e-9);
    ck_assert_double_eq_tol(report.busy_percent, 100 * 512.0 / (16 * 56), 1e-9);
}
END_TEST

START_TEST(moves_of_the_window)
{
    /* One cell, 150 words, a memory of 200: lines of 2 words, 76 of them (the last empty), 50 held.
     * Word 100 (line 50) is not: the window moves by the 26 lines left, to 26..75. The prefetch of
     * 100 words at one a cycle ends in -1 + 101 = 100; word 100 is asked for in cycle 100, read in
     * 101: no wait. */
    struct scalesim_config config = {.rows = 1,
                                     .columns = 1,
                                     .dataflow = SYSTOLIC_OUTPUT,
                                     .input_words = 200,
                                     .filter_words = 4000,
                                     .output_words = 200,
                                     .words_per_cycle = 1};
    struct scalesim_report report = run(config, scalesim_gemm(1, 1, 150));
    ck_assert_uint_eq(report.cycles, 149);
    ck_assert_int_eq(report.stall_cycles, 0);
    ck_assert_uint_eq(report.dram.input, 200); /* 100 before the start, 100 by the move */
    /* Two results ask for the words twice. Cycle 150, line 0: window to 52..75 and 0..25, fetched
     * in 201, read in 151: 50. Cycle 202, line 26: 2..51, fetched in 302, read in 202 + 50 + 1: 49.
     * Cycle 254, line 52: to 28..75 and 0..1, fetched in 403, read in 254 + 99 + 1: 49. */
    report = run(config, scalesim_gemm(1, 2, 150));
    ck_assert_int_eq(report.stall_cycles, 50 + 49 + 49);
    ck_assert_uint_eq(report.cycles, 299 + 148);
    ck_assert_uint_eq(report.dram.input, 500);
}
END_TEST

START_TEST(impossible_layers_are_refused)
{
    struct scalesim_config config = {
        .rows = 4, .columns = 4, .input_words = 64, .filter_words = 64, .output_words = 64};
    struct convolution layer = scalesim_gemm(4, 4, 4);
    struct scalesim_report report;
    struct diag diag = DIAG_NONE;
    layer.filter_width = 5;
    ck_assert_int_eq(scalesim_run(&report, &config, &layer, &diag), STATUS_BAD_INPUT);
    diag = DIAG_NONE;
    layer = scalesim_gemm(UINT32_MAX, UINT32_MAX, UINT32_MAX);
    ck_assert_int_eq(scalesim_run(&report, &config, &layer, &diag), STATUS_NO_MEMORY);
    diag = DIAG_NONE;
    config.output_words = 1;
    layer = scalesim_gemm(4, 4, 4);
    ck_assert_int_eq(scalesim_run(&report, &config, &layer, &diag), STATUS_BAD_CONFIG);
}
END_TEST

START_TEST(diagonals_are_counted)
{
    for (uint64_t height = 1; height < 7; height++) {
        for (uint64_t width = 1; width < 7; width++) {
            uint64_t before = 0;
            for (uint64_t d = 0; d < height + width; d++) {
                ck_assert_uint_eq(diagonal_cells_before(height, width, (int64_t)d), before);
                for (uint64_t c = 0; c < width; c++) {
                    if (d < c || d - c >= height)
                        continue;
                    ck_assert_uint_eq(diagonal_of(height, width, before), d);
                    ck_assert(c >= diagonal_first_column(height, d));
                    ck_assert(c < diagonal_end_column(width, d));
                    before++;
                }
            }
            ck_assert_uint_eq(before, height * width);
        }
    }
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("scalesim");
    TCase *cases = tcase_create("all");
    tcase_add_test(cases, products_as_the_twin_says);
    tcase_add_test(cases, convolutions_as_the_twin_says);
    tcase_add_test(cases, no_stall_if_everything_is_held);
    tcase_add_test(cases, moves_of_the_window);
    tcase_add_test(cases, impossible_layers_are_refused);
    tcase_add_test(cases, diagonals_are_counted);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
