#include "compute/model/scalesim_writes.h"

#include "compute/model/diagonal.h"

struct scalesim_closed {
    uint64_t line, fill;
};

enum { CLOSED_MOST = 1 << 24 };

bool scalesim_writes_init(struct scalesim_writes *writes, const struct systolic_array *array,
                          const struct systolic_gemm *gemm, uint64_t memory_words,
                          uint64_t words_per_cycle)
{
    *writes = (struct scalesim_writes){
        .rows = array->rows,
        .columns = array->columns,
        .is_output = array->dataflow == SYSTOLIC_OUTPUT,
        .keep_words = systolic_ceil_div(memory_words, 2),
        .half_words = memory_words / 2,
        .words_per_cycle = words_per_cycle,
        .free_words = (int64_t)memory_words,
    };
    systolic_fold(&writes->folds, array, gemm);
    return grow_init(&writes->closed, sizeof(struct scalesim_closed), CLOSED_MOST);
}

void scalesim_writes_release(struct scalesim_writes *writes)
{
    grow_release(&writes->closed);
}

/* -- which words are written when: a slanted rectangle in each fold ---------------------------- */

struct slant {
    uint64_t height, width, first_cycle; /* cell (r, c) in cycle first_cycle + r + c of the fold */
};

static struct slant slant_of(const struct scalesim_writes *writes, uint64_t fold)
{
    const struct systolic_folds *folds = &writes->folds;
    bool is_low = fold % folds->down + 1 == folds->down;
    bool is_right = fold / folds->down + 1 == folds->across;
    struct slant slant = {.width = is_right ? folds->last_columns : writes->columns};
    if (writes->is_output) {
        slant.height = is_low ? folds->last_rows : writes->rows;
        slant.first_cycle = folds->stream - 1 + writes->rows - slant.height;
    } else {
        slant.height = folds->stream;
        slant.first_cycle = 2 * writes->rows - 1;
    }
    return slant;
}

/* Words written in all folds before `fold`. */
static uint64_t words_before_fold(const struct scalesim_writes *writes, uint64_t fold)
{
    const struct systolic_folds *folds = &writes->folds;
    uint64_t column = fold / folds->down, row = fold % folds->down;
    uint64_t width = column + 1 < folds->across ? writes->columns : folds->last_columns;
    if (column == folds->across)
        return folds->width * (writes->is_output ? folds->height : folds->stream * folds->down);
    if (writes->is_output)
        return column * writes->columns * folds->height + row * writes->rows * width;
    return folds->stream * (column * writes->columns * folds->down + row * width);
}

/* Words written before `cycle`. */
static uint64_t words_before(const struct scalesim_writes *writes, uint64_t cycle)
{
    uint64_t fold = cycle / writes->folds.fold_cycles;
    if (fold >= writes->folds.down * writes->folds.across)
        return words_before_fold(writes, fold);
    struct slant slant = slant_of(writes, fold);
    int64_t diagonal = (int64_t)(cycle % writes->folds.fold_cycles) - (int64_t)slant.first_cycle;
    return words_before_fold(writes, fold) +
           diagonal_cells_before(slant.height, slant.width, diagonal);
}

/* The cycle in which word number `word` (from 0) is written; UINT64_MAX if there is none. */
static uint64_t cycle_of_word(const struct scalesim_writes *writes, uint64_t word)
{
    const struct systolic_folds *folds = &writes->folds;
    uint64_t low = 0, high = folds->down * folds->across; /* last fold with words_before <= word */
    if (word >= words_before_fold(writes, high))
        return UINT64_MAX;
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (words_before_fold(writes, middle) <= word)
            low = middle;
        else
            high = middle;
    }
    struct slant slant = slant_of(writes, low);
    uint64_t in_fold = word - words_before_fold(writes, low);
    return low * folds->fold_cycles + slant.first_cycle +
           diagonal_of(slant.height, slant.width, in_fold);
}

/* -- the memory -------------------------------------------------------------------------------- */

static void close_line(struct scalesim_writes *writes)
{
    if (writes->line_fill == 0)
        return;
    size_t at = grow_push(&writes->closed, 1);
    ((struct scalesim_closed *)writes->closed.base)[at] =
        (struct scalesim_closed){.line = writes->line_count, .fill = writes->line_fill};
    writes->line_count++;
    writes->line_fill = 0;
}

/* Words of `line`, the last of a drain; lines are asked for in order. */
static uint64_t fill_of(struct scalesim_writes *writes, uint64_t line)
{
    const struct scalesim_closed *closed = writes->closed.base;
    while (writes->closed_next < writes->closed.count && closed[writes->closed_next].line < line)
        writes->closed_next++;
    bool is_closed =
        writes->closed_next < writes->closed.count && closed[writes->closed_next].line == line;
    return is_closed ? closed[writes->closed_next].fill : writes->words_per_cycle;
}

static void drain(struct scalesim_writes *writes, int64_t time)
{
    uint64_t lines = systolic_ceil_div(writes->half_words, writes->words_per_cycle);
    uint64_t left = writes->line_count - writes->drained_lines;
    if (lines > left)
        lines = left;
    if (lines == 0)
        return;
    uint64_t last = writes->drained_lines + lines - 1;
    uint64_t words = (lines - 1) * writes->words_per_cycle + fill_of(writes, last);
    writes->drained_lines += lines;
    writes->words += words;
    writes->free_words += (int64_t)words;
    writes->drain_end = time + (int64_t)lines - 1;
    if (!writes->is_drained)
        writes->first = time;
    writes->is_drained = true;
    writes->last = writes->drain_end;
}

static void store(struct scalesim_writes *writes, uint64_t words)
{
    writes->line_fill += words;
    writes->line_count += writes->line_fill / writes->words_per_cycle;
    writes->line_fill %= writes->words_per_cycle;
    writes->free_words -= (int64_t)words;
}

uint64_t scalesim_writes_next(const struct scalesim_writes *writes, int64_t stall)
{
    uint64_t stored = words_before(writes, writes->cycle);
    /* the word that takes the last place, while a drain lasts */
    uint64_t until = writes->free_words > 1 ? (uint64_t)writes->free_words - 1 : 0;
    uint64_t full = cycle_of_word(writes, stored + until);
    if (full != UINT64_MAX && (int64_t)full + stall < writes->drain_end)
        return full;
    /* the word after which too few places are free, when no drain lasts */
    int64_t spare = writes->free_words - (int64_t)writes->keep_words;
    uint64_t low = cycle_of_word(writes, stored + (spare > 0 ? (uint64_t)spare : 0));
    if (low == UINT64_MAX || (int64_t)low + stall >= writes->drain_end)
        return low;
    uint64_t ended = (uint64_t)(writes->drain_end - stall);
    return cycle_of_word(writes, words_before(writes, ended));
}

int64_t scalesim_writes_serve(struct scalesim_writes *writes, uint64_t cycle, int64_t stall)
{
    uint64_t before = words_before(writes, cycle);
    store(writes, before - words_before(writes, writes->cycle));
    uint64_t words = words_before(writes, cycle + 1) - before;
    int64_t start = (int64_t)cycle + stall, time = start;
    for (uint64_t w = 0; w < words; w++) {
        store(writes, 1);
        if (time < writes->drain_end) {
            if (writes->free_words <= 0)
                time = writes->drain_end;
        } else if (writes->free_words < (int64_t)writes->keep_words) {
            close_line(writes);
            drain(writes, time);
        }
    }
    writes->cycle = cycle + 1;
    return time - start;
}

void scalesim_writes_flush(struct scalesim_writes *writes, int64_t time)
{
    const struct systolic_folds *folds = &writes->folds;
    uint64_t end = folds->down * folds->across * folds->fold_cycles;
    store(writes, words_before(writes, end) - words_before(writes, writes->cycle));
    writes->cycle = end;
    close_line(writes);
    while (writes->drained_lines < writes->line_count) {
        drain(writes, time);
        time = writes->drain_end + 1;
    }
}
