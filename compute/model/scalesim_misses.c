#include "compute/model/scalesim_misses.h"

void scalesim_window_init(struct scalesim_window *window, uint64_t words, uint64_t memory_words)
{
    uint64_t active = systolic_ceil_div(memory_words, 2), other = memory_words - active;
    uint64_t line_words = systolic_ceil_div(memory_words, 100);
    *window = (struct scalesim_window){.line_words = line_words, .lines = words / line_words + 1};
    window->held = systolic_ceil_div(active, line_words);
    if (window->held >= window->lines) {
        window->held = window->lines;
        return;
    }
    uint64_t left = window->lines - window->held;
    window->step = systolic_ceil_div(other, line_words);
    if (window->step > left)
        window->step = left;
}

void scalesim_misses_init(struct scalesim_misses *misses, const struct scalesim_order *order,
                          uint64_t memory_words)
{
    *misses = (struct scalesim_misses){.order = *order};
    scalesim_window_init(&misses->window, scalesim_order_words(order), memory_words);
}

/* The first line from `line` on, upwards, that is not in the window; window->lines if none is. */
static uint64_t next_absent(const struct scalesim_window *window, uint64_t line)
{
    if (!scalesim_window_has(window, line))
        return line;
    uint64_t ahead =
        line >= window->start ? line - window->start : line + window->lines - window->start;
    uint64_t absent = line + window->held - ahead;
    return absent < window->lines ? absent : window->lines;
}

static uint64_t block_of(const struct scalesim_misses *misses)
{
    const struct scalesim_order *order = &misses->order;
    return order->follows_columns ? misses->fold / order->down : misses->fold % order->down;
}

static uint64_t line_at(const struct scalesim_misses *misses, uint64_t row, uint64_t column)
{
    return scalesim_order_position(&misses->order, block_of(misses), row, column) /
           misses->window.line_words;
}

/* -- slanted ----------------------------------------------------------------------------------- */

static bool slanted_settle(struct scalesim_misses *misses)
{
    for (;;) {
        uint64_t absent = next_absent(&misses->window, misses->line);
        if (absent == misses->line)
            return true;
        uint64_t column, block = block_of(misses);
        if (absent >= misses->window.lines ||
            !scalesim_order_seek(&misses->order, block, absent * misses->window.line_words,
                                 &misses->cycle, &column))
            return false;
        misses->line = line_at(misses, misses->cycle - column, column);
    }
}

static bool slanted_enter(struct scalesim_misses *misses)
{
    misses->cycle = 0;
    misses->line = line_at(misses, 0, 0);
    uint64_t used = scalesim_order_used(&misses->order, block_of(misses));
    uint64_t last = line_at(misses, misses->order.span - 1, used - 1);
    return next_absent(&misses->window, misses->line) <= last && slanted_settle(misses);
}

/* -- loaded: rows of a part of a block, from the last up --------------------------------------- */

static uint64_t loaded_rows(const struct scalesim_misses *misses)
{
    const struct scalesim_order *order = &misses->order;
    return misses->fold % order->down + 1 < order->down ? order->rows : order->last_rows;
}

static uint64_t loaded_row(const struct scalesim_misses *misses)
{
    uint64_t top = misses->fold % misses->order.down * misses->order.rows;
    return top + loaded_rows(misses) - 1 - misses->row;
}

static bool loaded_settle(struct scalesim_misses *misses)
{
    uint64_t rows = loaded_rows(misses);
    uint64_t used = scalesim_order_used(&misses->order, block_of(misses));
    for (;;) {
        uint64_t last = line_at(misses, loaded_row(misses), used - 1);
        misses->line = next_absent(&misses->window, misses->line);
        if (misses->line <= last)
            break;
        if (++misses->row == rows)
            return false;
        misses->line = line_at(misses, loaded_row(misses), 0);
    }
    misses->cycle = misses->order.rows - rows + misses->row;
    return true;
}

static bool loaded_enter(struct scalesim_misses *misses)
{
    uint64_t rows = loaded_rows(misses);
    uint64_t used = scalesim_order_used(&misses->order, block_of(misses));
    misses->row = rows - 1;
    uint64_t lowest = line_at(misses, loaded_row(misses), 0);
    misses->row = 0;
    uint64_t highest = line_at(misses, loaded_row(misses), used - 1);
    misses->line = line_at(misses, loaded_row(misses), 0);
    return next_absent(&misses->window, lowest) <= highest && loaded_settle(misses);
}

/* -- both -------------------------------------------------------------------------------------- */

static bool settle(struct scalesim_misses *misses)
{
    misses->is_inside = misses->order.is_slanted ? slanted_settle(misses) : loaded_settle(misses);
    misses->fold += !misses->is_inside;
    return misses->is_inside;
}

static bool find_fold(struct scalesim_misses *misses)
{
    uint64_t folds = misses->order.down * misses->order.across;
    for (; !misses->is_inside && misses->fold < folds; misses->fold += !misses->is_inside)
        misses->is_inside = misses->order.is_slanted ? slanted_enter(misses) : loaded_enter(misses);
    return misses->is_inside;
}

bool scalesim_misses_next(struct scalesim_misses *misses, uint64_t *cycle, uint64_t *moves)
{
    if (misses->window.step == 0 || !find_fold(misses))
        return false;
    uint64_t first = misses->order.is_slanted ? misses->order.first_cycle : 0;
    uint64_t in_fold = misses->cycle;
    *cycle = misses->fold * misses->order.fold_cycles + first + in_fold;
    *moves = 0;
    do {
        for (; !scalesim_window_has(&misses->window, misses->line); ++*moves)
            scalesim_window_move(&misses->window);
    } while (settle(misses) && misses->cycle == in_fold);
    return true;
}
