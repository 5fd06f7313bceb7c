/*
 * scalesim_order - in which order SCALE-Sim fetches an operand, and in which cycle it asks for its
 * words.
 *
 * An operand is cut into blocks as wide as the array, one per fold row or fold column, which are
 * stacked into one tall matrix. The words of a slanted operand (all but what is loaded into the
 * array) are fetched along the anti-diagonals of the whole stack; what is loaded, row by row. The
 * array asks block by block: along the diagonals of one block, or rows of a part of a block from
 * its last up. Since the two orders differ at the seams of blocks, words of one block are fetched
 * between those of its neighbours: this is what the buffers of scalesim_misses trip over.
 *
 * Rules:
 *  1. Pure arithmetic. A place (position) in the fetch order counts existing words only, from 0.
 *  2. Positions grow along what a slanted block asks for.
 */
#ifndef ORRERY_COMPUTE_MODEL_SCALESIM_ORDER_H
#define ORRERY_COMPUTE_MODEL_SCALESIM_ORDER_H

#include <stdbool.h>

#include "compute/model/systolic.h"

struct scalesim_order {
    bool is_slanted;
    bool follows_columns; /* block = fold column; else fold row */
    uint64_t span;        /* rows of a block */
    uint64_t blocks;      /* stacked */
    uint64_t side;        /* columns of a block: a side of the array */
    uint64_t last;        /* columns in use in the last block */
    uint64_t first_cycle; /* of a fold in which a slanted operand is asked for */
    /* of the folds */
    uint64_t down, across, fold_cycles;
    uint64_t rows,
        last_rows; /* loaded operands: array rows, and those in use in the last fold row */
};

enum scalesim_operand { SCALESIM_INPUT, SCALESIM_FILTER };

void scalesim_order(struct scalesim_order *order, const struct systolic_array *array,
                    const struct systolic_gemm *gemm, enum scalesim_operand operand);

/* Existing words of the operand (each once). */
uint64_t scalesim_order_words(const struct scalesim_order *order);

/* Places of the stack, with those that do not exist. */
uint64_t scalesim_order_places(const struct scalesim_order *order);

/* Columns in use in a block. */
static inline uint64_t scalesim_order_used(const struct scalesim_order *order, uint64_t block)
{
    return block + 1 < order->blocks ? order->side : order->last;
}

/* Position of the word at `row` of `block`, `column` (in use). */
uint64_t scalesim_order_position(const struct scalesim_order *order, uint64_t block, uint64_t row,
                                 uint64_t column);

/*
 * Slanted: the first word of `block`, as its cells are asked for, whose position is at least
 * `position`. False if there is none.
 */
bool scalesim_order_seek(const struct scalesim_order *order, uint64_t block, uint64_t position,
                         uint64_t *diagonal, uint64_t *column);

#endif
