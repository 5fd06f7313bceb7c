/*
 * scalesim: rows worked by hand, and a twin that walks every cycle and every word with explicit
 * matrices: no closed form, no event, no skip.
 */
#include <string.h>

#include "base/arena.h"
#include "base/mix.h"
#include "compute/model/diagonal.h"
#include "compute/model/scalesim.h"
#include "tests/unit/unit.h"

/* -- twin ----------------------------------------------------------------------------------------- */

enum { NOTHING = -1, LINES_MOST = 1 << 15 };

struct table { /* of word addresses; NOTHING: no word */
    uint64_t height, width;
    int *cell;
};

static struct table table_of(struct arena *arena, uint64_t height, uint64_t width)
{
    struct table table = {height, width, arena_array(arena, height * width, sizeof(int))};
    for (uint64_t i = 0; i < height * width; i++)
        table.cell[i] = NOTHING;
    return table;
}

static int *at(const struct table *table, uint64_t row, uint64_t column)
{
    return &table->cell[row * table->width + column];
}

struct twin_memory {
    int *fetched; /* words in fetch order, with NOTHING */
    uint64_t places;
    uint64_t line_words, lines, held, step, start;
    int *line_of; /* of each place; NOTHING for NOTHING */
    int64_t last;
    uint64_t move_cycles, moves;
};

struct twin {
    struct arena arena;
    struct table input, filter;         /* m x k, k x n */
    struct table ask_input, ask_filter; /* cycle x array side */
    uint64_t *written;                  /* words of a cycle */
    uint64_t cycles;
    struct twin_memory memory[2];
    struct scalesim_report report;
};

static void twin_operands(struct twin *twin, const struct convolution *conv,
                          const struct convolution_gemm *shape)
{
    const struct systolic_gemm *gemm = &shape->gemm;
    uint64_t down = conv->stride_height ? conv->stride_height : 1;
    uint64_t right = conv->stride_width ? conv->stride_width : 1;
    twin->input = table_of(&twin->arena, gemm->m, gemm->k);
    twin->filter = table_of(&twin->arena, gemm->k, gemm->n);
    for (uint64_t i = 0; i < gemm->m; i++) {
        for (uint64_t j = 0; j < gemm->k; j++) {
            uint64_t c = j % conv->channels, x = j / conv->channels % conv->filter_width;
            uint64_t y = j / conv->channels / conv->filter_width;
            y += i / shape->output_width * down;
            x += i % shape->output_width * right;
            if (y < conv->input_height && x < conv->input_width)
                *at(&twin->input, i, j) = (int)((y * conv->input_width + x) * conv->channels + c);
        }
    }
    for (uint64_t i = 0; i < gemm->k; i++) {
        for (uint64_t j = 0; j < gemm->n; j++)
            *at(&twin->filter, i, j) = (int)(j * gemm->k + i);
    }
}

/* Appends columns [from, from + side) of `table` (transposed if asked) below `stack`. */
static void stack_block(struct table *stack, uint64_t *row, const struct table *table,
                        bool transposed, uint64_t from)
{
    uint64_t height = transposed ? table->width : table->height;
    uint64_t width = transposed ? table->height : table->width;
    for (uint64_t r = 0; r < height; r++, ++*row) {
        for (uint64_t c = from; c < width && c < from + stack->width; c++)
            *at(stack, *row, c - from) = transposed ? *at(table, c, r) : *at(table, r, c);
    }
}

/* The stack in fetch order. */
static void twin_fetch(struct twin *twin, struct twin_memory *memory, const struct table *table,
                       bool transposed, uint64_t side, bool slanted)
{
    uint64_t height = transposed ? table->width : table->height;
    uint64_t width = transposed ? table->height : table->width;
    uint64_t blocks = (width + side - 1) / side, row = 0, place = 0;
    struct table stack = table_of(&twin->arena, blocks * height, side);
    for (uint64_t b = 0; b < blocks; b++)
        stack_block(&stack, &row, table, transposed, b * side);
    memory->places = stack.height * side;
    memory->fetched = arena_array(&twin->arena, memory->places, sizeof(int));
    if (!slanted) {
        memcpy(memory->fetched, stack.cell, memory->places * sizeof(int));
        return;
    }
    for (uint64_t d = 0; d < stack.height + side; d++) {
        for (uint64_t c = 0; c < side; c++) {
            if (d >= c && d - c < stack.height)
                memory->fetched[place++] = *at(&stack, d - c, c);
        }
    }
}

/* Puts `table` (transposed if asked), columns from `from`, slanted, into the rows of `ask`. */
static void ask_slanted(struct table *ask, uint64_t cycle, const struct table *table,
                        bool transposed, uint64_t from)
{
    uint64_t height = transposed ? table->width : table->height;
    uint64_t width = transposed ? table->height : table->width;
    for (uint64_t r = 0; r < height; r++) {
        for (uint64_t c = from; c < width && c < from + ask->width; c++)
            *at(ask, cycle + r + c - from, c - from) =
                transposed ? *at(table, c, r) : *at(table, r, c);
    }
}

/* Loads rows [top, top + rows) x columns of `table`, last row first. */
static void ask_loaded(struct table *ask, uint64_t cycle, const struct table *table,
                       bool transposed, uint64_t top, uint64_t rows, uint64_t from)
{
    uint64_t height = transposed ? table->width : table->height;
    uint64_t width = transposed ? table->height : table->width;
    for (uint64_t r = 0; r < rows; r++) {
        for (uint64_t c = from; c < width && c < from + ask->width; c++) {
            uint64_t row = top + rows - 1 - r;
            if (row < height)
                *at(ask, cycle + r, c - from) =
                    transposed ? *at(table, c, row) : *at(table, row, c);
        }
    }
}

/* The part of `table` whose columns (rows if `rows`) are [from, from + side). */
static struct table part_of(struct arena *arena, const struct table *table, bool rows,
                            uint64_t from, uint64_t side)
{
    uint64_t end = rows ? table->height : table->width;
    end = end < from + side ? end : from + side;
    struct table part =
        table_of(arena, rows ? end - from : table->height, rows ? table->width : end - from);
    for (uint64_t r = 0; r < part.height; r++) {
        for (uint64_t c = 0; c < part.width; c++)
            *at(&part, r, c) = rows ? *at(table, r + from, c) : *at(table, r, c + from);
    }
    return part;
}

static void write_slanted(struct twin *twin, uint64_t cycle, uint64_t height, uint64_t width)
{
    for (uint64_t r = 0; r < height; r++) {
        for (uint64_t c = 0; c < width; c++)
            twin->written[cycle + r + c]++;
    }
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void twin_fold(struct twin *twin, const struct scalesim_config *config,
                      const struct systolic_gemm *gemm, uint64_t cycle, uint64_t fr, uint64_t fc)
{
    uint64_t rows = config->rows, columns = config->columns, top = fr * rows, left = fc * columns;
    struct arena *arena = &twin->arena;
    if (config->dataflow == SYSTOLIC_OUTPUT) {
        ask_slanted(&twin->ask_input, cycle, &twin->input, true, top);
        ask_slanted(&twin->ask_filter, cycle, &twin->filter, false, left);
        uint64_t high = least(rows, gemm->m - top);
        write_slanted(twin, cycle + gemm->k - 1 + rows - high, high,
                      least(columns, gemm->n - left));
    } else if (config->dataflow == SYSTOLIC_WEIGHT) {
        struct table part = part_of(arena, &twin->input, false, top, rows);
        ask_slanted(&twin->ask_input, cycle + rows, &part, false, 0);
        ask_loaded(&twin->ask_filter, cycle, &twin->filter, false, top, rows, left);
        write_slanted(twin, cycle + 2 * rows - 1, gemm->m, least(columns, gemm->n - left));
    } else {
        struct table part = part_of(arena, &twin->filter, true, top, rows);
        ask_slanted(&twin->ask_filter, cycle + rows, &part, true, 0);
        ask_loaded(&twin->ask_input, cycle, &twin->input, true, top, rows, left);
        write_slanted(twin, cycle + 2 * rows - 1, gemm->n, least(columns, gemm->m - left));
    }
}

static void twin_asks(struct twin *twin, const struct scalesim_config *config,
                      const struct systolic_gemm *gemm)
{
    struct systolic_array array = {
        .rows = config->rows, .columns = config->columns, .dataflow = config->dataflow};
    struct systolic_folds folds;
    systolic_fold(&folds, &array, gemm);
    twin->cycles = folds.down * folds.across * folds.fold_cycles;
    bool input_loaded = config->dataflow == SYSTOLIC_INPUT;
    bool filter_by_rows = config->dataflow == SYSTOLIC_INPUT;
    twin->ask_input =
        table_of(&twin->arena, twin->cycles, input_loaded ? config->columns : config->rows);
    twin->ask_filter =
        table_of(&twin->arena, twin->cycles, filter_by_rows ? config->rows : config->columns);
    twin->written = arena_array(&twin->arena, twin->cycles, sizeof *twin->written);
    for (uint64_t fc = 0; fc < folds.across; fc++) {
        for (uint64_t fr = 0; fr < folds.down; fr++)
            twin_fold(twin, config, gemm, (fc * folds.down + fr) * folds.fold_cycles, fr, fc);
    }
}

static void twin_memory_init(struct twin *twin, struct twin_memory *memory, uint64_t words,
                             uint64_t bandwidth)
{
    uint64_t active = (words + 1) / 2, filled = 0;
    memory->line_words = (words + 99) / 100;
    memory->line_of = arena_array(&twin->arena, memory->places, sizeof(int));
    for (uint64_t p = 0; p < memory->places; p++) {
        bool is_word = memory->fetched[p] != NOTHING;
        memory->line_of[p] = is_word ? (int)memory->lines : NOTHING;
        filled += is_word;
        if (filled == memory->line_words) {
            memory->lines++;
            filled = 0;
        }
    }
    memory->lines++;
    memory->held = least((active + memory->line_words - 1) / memory->line_words, memory->lines);
    memory->step = least((words - active + memory->line_words - 1) / memory->line_words,
                         memory->lines - memory->held);
    memory->last = -1;
    memory->move_cycles = (words - active + bandwidth - 1) / bandwidth + 1;
}

static bool twin_has(const struct twin_memory *memory, int word)
{
    for (uint64_t p = 0; p < memory->places; p++) {
        if (memory->fetched[p] != word)
            continue;
        for (uint64_t h = 0; h < memory->held; h++) {
            if ((memory->start + h) % memory->lines == (uint64_t)memory->line_of[p])
                return true;
        }
    }
    return false;
}

static int64_t twin_read(struct twin_memory *memory, const struct table *ask, uint64_t cycle,
                         int64_t time)
{
    bool missed = false;
    for (uint64_t c = 0; c < ask->width; c++) {
        int word = *at(ask, cycle, c);
        while (word != NOTHING && !twin_has(memory, word)) {
            memory->start = (memory->start + memory->step) % memory->lines;
            memory->last += (int64_t)memory->move_cycles;
            memory->moves++;
            missed = true;
        }
    }
    return missed && memory->last > time + 1 ? memory->last - time - 1 : 0;
}

struct twin_writes {
    uint64_t line[LINES_MOST]; /* words of each line */
    uint64_t lines, drained, bandwidth, half, keep, words;
    int64_t free, end;
    bool is_open; /* the last line takes more */
};

static void twin_drain(struct twin_writes *writes, int64_t time)
{
    uint64_t most = (writes->half + writes->bandwidth - 1) / writes->bandwidth;
    uint64_t lines = least(most, writes->lines - writes->drained);
    uint64_t words = (lines - 1) * writes->bandwidth + writes->line[writes->drained + lines - 1];
    writes->is_open = false;
    writes->drained += lines;
    writes->words += words;
    writes->free += (int64_t)words;
    writes->end = time + (int64_t)lines - 1;
}

static int64_t twin_write(struct twin_writes *writes, uint64_t words, int64_t time)
{
    int64_t start = time;
    for (uint64_t w = 0; w < words; w++) {
        if (!writes->is_open)
            writes->line[writes->lines++] = 0;
        ck_assert_uint_lt(writes->lines, LINES_MOST);
        writes->is_open = ++writes->line[writes->lines - 1] < writes->bandwidth;
        writes->free--;
        if (time < writes->end)
            time = writes->free <= 0 ? writes->end : time;
        else if (writes->free < (int64_t)writes->keep)
            twin_drain(writes, time);
    }
    return time - start;
}

static void twin_run(struct twin *twin, const struct scalesim_config *config)
{
    bool limited = config->words_per_cycle > 0;
    struct twin_writes writes = {.bandwidth = limited ? config->words_per_cycle : config->columns,
                                 .half = config->output_words / 2,
                                 .keep = (config->output_words + 1) / 2,
                                 .free = (int64_t)config->output_words};
    int64_t stall = 0, time = 0;
    for (uint64_t cycle = 0; cycle < twin->cycles; cycle++) {
        time = (int64_t)cycle + stall;
        int64_t input = 0, filter = 0;
        if (limited) {
            input = twin_read(&twin->memory[0], &twin->ask_input, cycle, time);
            filter = twin_read(&twin->memory[1], &twin->ask_filter, cycle, time);
        }
        int64_t written = twin_write(&writes, twin->written[cycle], time);
        int64_t longest = input > filter ? input : filter;
        stall += longest > written ? longest : written;
        time += written;
    }
    twin->report.cycles = (uint64_t)time;
    twin->report.stall_cycles = stall;
    writes.is_open = false;
    while (writes.drained < writes.lines) {
        twin_drain(&writes, time);
        time = writes.end + 1;
    }
    twin->report.dram.output = writes.words;
}

/* Words read from DRAM in the stall-free mode. */
static uint64_t twin_estimate(struct twin *twin, const struct table *ask, uint64_t words)
{
    uint64_t capacity = words / 100 * 50, kept = 0, reads = 0;
    int most = 0;
    for (uint64_t i = 0; i < ask->height * ask->width; i++)
        most = ask->cell[i] > most ? ask->cell[i] : most;
    bool *has = arena_array(&twin->arena, (size_t)most + 1, sizeof *has);
    for (uint64_t i = 0; i < ask->height * ask->width; i++) {
        int word = ask->cell[i];
        if (word == NOTHING || has[word])
            continue;
        has[word] = true;
        reads++;
        if (++kept == capacity) {
            memset(has, 0, ((size_t)most + 1) * sizeof *has);
            kept = 0;
        }
    }
    return reads;
}

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

/* -- by hand -------------------------------------------------------------------------------------- */

static struct scalesim_report run(struct scalesim_config config, struct convolution layer)
{
    struct scalesim_report report;
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(scalesim_run(&report, &config, &layer, &diag), STATUS_OK);
    return report;
}

START_TEST(no_stall_if_everything_is_held)
{
    /* 8 x 8 x 8 on 4 x 4, output stationary, 200-word memories: 4 folds of 4 + 4 + 8 - 2 = 14; the number
       of the last cycle is 55. 64 words of each operand fit in half, are fetched before the start. */
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
    /* One cell, 150 words, a memory of 200: lines of 2 words, 76 of them (the last empty), 50 held. Word
       100 (line 50) is not: the window moves by the 26 lines left, to 26..75. The prefetch of 100 words at one
       a cycle ends in -1 + 101 = 100; word 100 is asked for in cycle 100, read in 101: no wait. */
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
    /* Two results ask for the words twice. Cycle 150, line 0: window to 52..75 and 0..25, fetched in 201, read
       in 151: 50. Cycle 202, line 26: 2..51, fetched in 302, read in 202 + 50 + 1: 49. Cycle 254, line 52: to
       28..75 and 0..1, fetched in 403, read in 254 + 99 + 1: 49. */
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
