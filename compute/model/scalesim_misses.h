/*
 * scalesim_misses - when the array misses a word in SCALE-Sim's double-buffered read memory.
 *
 * The words of an operand, in fetch order, form lines of ceil(memory / 100) words. Half of the
 * memory holds a window of lines, the other half the lines that follow. If a word is not in the
 * window, the window moves on by the lines of the other half, around the end to the start, until
 * the word is in it: a word just behind the window costs a whole round. Time has no part in this,
 * so the misses of an operand are a sequence of (cycle without stalls, moves), found without
 * looking at each cycle:
 *
 *  - a fold whose lines all lie in the window is skipped; otherwise one binary search a miss
 *    (slanted), or one look at each row (loaded operands). O(folds + misses log fold), not
 *    O(words).
 *
 * Source: the behaviour of SCALE-Sim v2's read buffer.
 */
#ifndef ORRERY_COMPUTE_MODEL_SCALESIM_MISSES_H
#define ORRERY_COMPUTE_MODEL_SCALESIM_MISSES_H

#include "compute/model/scalesim_order.h"

/* The window; shared with scalesim_windows. */
struct scalesim_window {
    uint64_t line_words, lines; /* the last line may be empty */
    uint64_t start, held;       /* window: lines start .. start + held - 1, around the end */
    uint64_t step;              /* lines of a move; 0: everything is held */
};

void scalesim_window_init(struct scalesim_window *window, uint64_t words, uint64_t memory_words);

static inline bool scalesim_window_has(const struct scalesim_window *window, uint64_t line)
{
    uint64_t ahead =
        line >= window->start ? line - window->start : line + window->lines - window->start;
    return ahead < window->held;
}

static inline void scalesim_window_move(struct scalesim_window *window)
{
    window->start = (window->start + window->step) % window->lines;
}

struct scalesim_misses {
    struct scalesim_order order;
    struct scalesim_window window;
    uint64_t fold;  /* next to look at, or being looked at */
    bool is_inside; /* of a fold, with the next word that is not in the window at: */
    uint64_t cycle; /* .. in the fold */
    uint64_t line;  /* line of that word (slanted), or line to look at (loaded) */
    uint64_t row;   /* loaded: rows of the fold already looked at */
};

void scalesim_misses_init(struct scalesim_misses *misses, const struct scalesim_order *order,
                          uint64_t memory_words);

/* The next cycle with misses, and how often the window moved in it. False at the end. */
bool scalesim_misses_next(struct scalesim_misses *misses, uint64_t *cycle, uint64_t *moves);

#endif
