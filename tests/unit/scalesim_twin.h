/*
 * scalesim_twin - SCALE-Sim's buffers, walked cycle by cycle and word by word with explicit
 * matrices: no closed form, no event, no skip. For small layers; the oracle of test_scalesim.c.
 */
#ifndef ORRERY_TESTS_SCALESIM_TWIN_H
#define ORRERY_TESTS_SCALESIM_TWIN_H

#include <check.h>
#include <string.h>

#include "base/arena.h"
#include "compute/model/scalesim.h"

enum { NOTHING = -1, LINES_MOST = 1 << 15 };

struct table { /* of word addresses; NOTHING: no word */
    uint64_t height, width;
    int *cell;
};

static inline struct table table_of(struct arena *arena, uint64_t height, uint64_t width)
{
    struct table table = {height, width, arena_array(arena, height * width, sizeof(int))};
    for (uint64_t i = 0; i < height * width; i++)
        table.cell[i] = NOTHING;
    return table;
}

static inline int *at(const struct table *table, uint64_t row, uint64_t column)
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

static inline void twin_operands(struct twin *twin, const struct convolution *conv,
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
static inline void stack_block(struct table *stack, uint64_t *row, const struct table *table,
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
static inline void twin_fetch(struct twin *twin, struct twin_memory *memory,
                              const struct table *table, bool transposed, uint64_t side,
                              bool slanted)
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
static inline void ask_slanted(struct table *ask, uint64_t cycle, const struct table *table,
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
static inline void ask_loaded(struct table *ask, uint64_t cycle, const struct table *table,
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
static inline struct table part_of(struct arena *arena, const struct table *table, bool rows,
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

static inline void write_slanted(struct twin *twin, uint64_t cycle, uint64_t height, uint64_t width)
{
    for (uint64_t r = 0; r < height; r++) {
        for (uint64_t c = 0; c < width; c++)
            twin->written[cycle + r + c]++;
    }
}

static inline uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static inline void twin_fold(struct twin *twin, const struct scalesim_config *config,
                             const struct systolic_gemm *gemm, uint64_t cycle, uint64_t fr,
                             uint64_t fc)
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

static inline void twin_asks(struct twin *twin, const struct scalesim_config *config,
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

static inline void twin_memory_init(struct twin *twin, struct twin_memory *memory, uint64_t words,
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

static inline bool twin_has(const struct twin_memory *memory, int word)
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

static inline int64_t twin_read(struct twin_memory *memory, const struct table *ask, uint64_t cycle,
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

static inline void twin_drain(struct twin_writes *writes, int64_t time)
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

static inline int64_t twin_write(struct twin_writes *writes, uint64_t words, int64_t time)
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

static inline void twin_run(struct twin *twin, const struct scalesim_config *config)
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
static inline uint64_t twin_estimate(struct twin *twin, const struct table *ask, uint64_t words)
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

#endif
