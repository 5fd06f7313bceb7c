#include "compute/model/scalesim_windows.h"

#include <inttypes.h>

#include "compute/model/diagonal.h"

#define WORDS_MOST (UINT64_C(1) << 30)

static uint64_t stride_of(uint64_t stride)
{
    return stride > 0 ? stride : 1;
}

/* One side: positions x stride + filter stays inside. */
static bool stays_inside(uint64_t input, uint64_t filter, uint64_t stride)
{
    return (input - filter) % stride == 0;
}

bool scalesim_windows_are_plain(const struct convolution *conv)
{
    uint64_t down = stride_of(conv->stride_height), right = stride_of(conv->stride_width);
    bool is_one_row = conv->filter_height == conv->input_height;
    bool is_one_column = conv->filter_width == conv->input_width;
    return (is_one_row || conv->filter_height <= down) &&
           (is_one_column || conv->filter_width <= right) &&
           stays_inside(conv->input_height, conv->filter_height, down) &&
           stays_inside(conv->input_width, conv->filter_width, right);
}

/* Rows (or columns) of the input that are in some window. */
static uint64_t side_in_use(uint64_t input, uint64_t filter, uint64_t stride)
{
    uint64_t last = (systolic_ceil_div(input - filter + stride, stride) - 1) * stride;
    uint64_t in_last = input - last < filter ? input - last : filter;
    if (last >= input)
        in_last = 0;
    return last / stride * (filter < stride ? filter : stride) + in_last;
}

uint64_t scalesim_windows_distinct(const struct convolution *conv)
{
    return side_in_use(conv->input_height, conv->filter_height, stride_of(conv->stride_height)) *
           side_in_use(conv->input_width, conv->filter_width, stride_of(conv->stride_width)) *
           conv->channels;
}

void scalesim_words_init(struct scalesim_words *words, const struct convolution *conv,
                         uint64_t output_width, enum systolic_dataflow dataflow)
{
    *words = (struct scalesim_words){
        .dataflow = dataflow,
        .input_height = conv->input_height,
        .input_width = conv->input_width,
        .channels = conv->channels,
        .filter_width = conv->filter_width,
        .output_width = output_width,
        .stride_height = stride_of(conv->stride_height),
        .stride_width = stride_of(conv->stride_width),
    };
}

/* Word of the input at `row`, `column` of `block` of the stack, or SCALESIM_NO_WORD. */
static uint32_t word_of_block(const struct scalesim_words *words,
                              const struct scalesim_order *order, uint64_t block, uint64_t row,
                              uint64_t column)
{
    uint64_t across = block * order->side + column;
    bool streams_positions = words->dataflow == SYSTOLIC_WEIGHT;
    uint64_t position = streams_positions ? row : across; /* m */
    uint64_t tap = streams_positions ? across : row;      /* k */
    uint64_t channel = tap % words->channels, place = tap / words->channels;
    uint64_t y =
        position / words->output_width * words->stride_height + place / words->filter_width;
    uint64_t x = position % words->output_width * words->stride_width + place % words->filter_width;
    if (y >= words->input_height || x >= words->input_width)
        return SCALESIM_NO_WORD;
    return (uint32_t)((y * words->input_width + x) * words->channels + channel);
}

/* Word at a place of the whole stack; none where the last block is not in use. */
static uint32_t word_of_stack(const struct scalesim_windows *windows, uint64_t row, uint64_t column)
{
    const struct scalesim_order *order = &windows->order;
    uint64_t block = row / order->span;
    if (column >= scalesim_order_used(order, block))
        return SCALESIM_NO_WORD;
    return word_of_block(&windows->words, order, block, row % order->span, column);
}

/* Calls for each word in fetch order: counts it, or enters its line. */
static uint64_t walk_stack(struct scalesim_windows *windows, bool is_entered)
{
    const struct scalesim_order *order = &windows->order;
    uint64_t height = order->span * order->blocks, side = order->side, count = 0;
    uint64_t rounds = order->is_slanted ? height + side - 1 : height;
    for (uint64_t round = 0; round < rounds; round++) {
        uint64_t from = order->is_slanted ? diagonal_first_column(height, round) : 0;
        uint64_t end = order->is_slanted ? diagonal_end_column(side, round) : side;
        for (uint64_t column = from; column < end; column++) {
            uint64_t row = order->is_slanted ? round - column : round;
            uint32_t word = word_of_stack(windows, row, column);
            if (word == SCALESIM_NO_WORD)
                continue;
            if (is_entered)
                windows->line[windows->first[word + 1]++] =
                    (uint32_t)(count / windows->window.line_words);
            else
                windows->first[word + 2]++;
            count++;
        }
    }
    return count;
}

static enum status check_size(const struct scalesim_order *order,
                              const struct scalesim_words *words, uint64_t *input,
                              struct diag *diag)
{
    uint64_t most = scalesim_order_words(order);
    *input =
        systolic_times(systolic_times(words->input_height, words->input_width), words->channels);
    if (most >= WORDS_MOST || *input >= WORDS_MOST)
        return diag_fail(diag, STATUS_NO_MEMORY,
                         "a convolution whose windows overlap is replayed word by word: its matrix "
                         "of %" PRIu64 " words has more than %" PRIu64,
                         most, WORDS_MOST);
    return STATUS_OK;
}

enum status scalesim_windows_init(struct scalesim_windows *windows,
                                  const struct scalesim_order *order,
                                  const struct scalesim_words *words, uint64_t memory_words,
                                  struct arena *arena, struct diag *diag)
{
    uint64_t input;
    enum status status = check_size(order, words, &input, diag);
    if (status != STATUS_OK)
        return status;
    *windows = (struct scalesim_windows){.order = *order, .words = *words};
    /* first[w + 2] counts the lines of w; summed, first[w + 1] is where they begin, and after all
       are entered, where they end. */
    windows->first = arena_array(arena, input + 2, sizeof *windows->first);
    uint64_t count = walk_stack(windows, false);
    for (uint64_t w = 2; w < input + 2; w++)
        windows->first[w] += windows->first[w - 1];
    windows->line = arena_array(arena, count, sizeof *windows->line);
    scalesim_window_init(&windows->window, count, memory_words);
    walk_stack(windows, true);
    return STATUS_OK;
}

/* Moves the window until it has the word; returns how often. */
static uint64_t fetch_word(struct scalesim_windows *windows, uint32_t word)
{
    for (uint64_t moves = 0;; moves++) {
        for (uint32_t i = windows->first[word]; i < windows->first[word + 1]; i++) {
            if (scalesim_window_has(&windows->window, windows->line[i]))
                return moves;
        }
        scalesim_window_move(&windows->window);
    }
}

/* -- what the array asks for ------------------------------------------------------------------- */

struct ask {
    uint64_t cycle; /* of the array */
    uint32_t word;
};

/* Rounds of the fold that ask for something, and its columns in the round of the cursor. */
static void columns_of_round(const struct scalesim_windows *windows, uint64_t *rounds,
                             uint64_t *from, uint64_t *end)
{
    const struct scalesim_order *order = &windows->order;
    uint64_t block =
        order->follows_columns ? windows->fold / order->down : windows->fold % order->down;
    uint64_t used = scalesim_order_used(order, block);
    bool is_low = windows->fold % order->down + 1 == order->down;
    *rounds = order->is_slanted ? order->span + used - 1 : is_low ? order->last_rows : order->rows;
    *from = order->is_slanted ? diagonal_first_column(order->span, windows->diagonal) : 0;
    *end = order->is_slanted ? diagonal_end_column(used, windows->diagonal) : used;
}

static struct ask ask_at(const struct scalesim_windows *windows, uint64_t rounds)
{
    const struct scalesim_order *order = &windows->order;
    uint64_t down = windows->fold % order->down, across = windows->fold / order->down;
    uint64_t row, lead;
    if (order->is_slanted) {
        row = windows->diagonal - windows->column;
        lead = order->first_cycle;
    } else {
        row = down * order->rows + rounds - 1 - windows->diagonal;
        lead = order->rows - rounds;
    }
    uint64_t block = order->follows_columns ? across : down;
    return (struct ask){
        .cycle = windows->fold * order->fold_cycles + lead + windows->diagonal,
        .word = word_of_block(&windows->words, order, block, row, windows->column),
    };
}

/* The next word asked for; false at the end. */
static bool next_ask(struct scalesim_windows *windows, struct ask *ask)
{
    uint64_t folds = windows->order.down * windows->order.across;
    while (windows->fold < folds) {
        uint64_t rounds, from, end;
        columns_of_round(windows, &rounds, &from, &end);
        if (windows->diagonal >= rounds) {
            windows->fold++;
            windows->diagonal = windows->column = 0;
        } else if (windows->column >= end) {
            windows->diagonal++;
            windows->column = 0;
        } else {
            if (windows->column < from)
                windows->column = from;
            *ask = ask_at(windows, rounds);
            windows->column++;
            if (ask->word != SCALESIM_NO_WORD)
                return true;
        }
    }
    return false;
}

bool scalesim_windows_next(struct scalesim_windows *windows, uint64_t *cycle, uint64_t *moves)
{
    struct ask ask;
    *moves = 0;
    if (windows->window.step == 0)
        return false;
    struct scalesim_windows mark = *windows;
    while (next_ask(windows, &ask)) {
        if (*moves > 0 && ask.cycle != *cycle) {
            windows->fold = mark.fold;
            windows->diagonal = mark.diagonal;
            windows->column = mark.column;
            return true;
        }
        *moves += fetch_word(windows, ask.word);
        *cycle = ask.cycle;
        if (*moves > 0)
            mark = *windows;
    }
    return *moves > 0;
}

enum status scalesim_windows_reads(const struct scalesim_order *order,
                                   const struct scalesim_words *words, uint64_t capacity,
                                   struct arena *arena, uint64_t *reads, uint64_t *last_cycle,
                                   struct diag *diag)
{
    uint64_t input;
    enum status status = check_size(order, words, &input, diag);
    if (status != STATUS_OK)
        return status;
    struct scalesim_windows windows = {.order = *order, .words = *words};
    uint32_t *era_of = arena_array(arena, input, sizeof *era_of);
    uint32_t era = 1; /* era_of[w] == era: read since it last forgot */
    uint64_t kept = 0;
    struct ask ask;
    *reads = 0;
    *last_cycle = UINT64_MAX;
    while (next_ask(&windows, &ask)) {
        if (era_of[ask.word] == era)
            continue;
        era_of[ask.word] = era;
        ++*reads;
        if (++kept == capacity) {
            era++;
            kept = 0;
            *last_cycle = ask.cycle;
        }
    }
    return STATUS_OK;
}
