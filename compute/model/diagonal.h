/*
 * diagonal - counting the cells of a rectangle along its anti-diagonals, in closed form.
 *
 * A systolic array is fed in a slant: cell (row, column) of a block is due in cycle row + column.
 * So the cells of one diagonal are due together, and these counts say when what is due, without
 * walking cycles. 3 x 2: the diagonals 0..3 have 1, 2, 2, 1 cells; 3 cells lie before diagonal 2.
 */
#ifndef ORRERY_COMPUTE_MODEL_DIAGONAL_H
#define ORRERY_COMPUTE_MODEL_DIAGONAL_H

#include <stdint.h>

/* Cells of a height x width rectangle on diagonals below `diagonal`; any number may be asked
 * for. */
static inline uint64_t diagonal_cells_before(uint64_t height, uint64_t width, int64_t diagonal)
{
    if (diagonal <= 0 || height == 0 || width == 0)
        return 0;
    uint64_t low = height < width ? height : width, high = height < width ? width : height;
    uint64_t d = (uint64_t)diagonal;
    if (d <= low)
        return d * (d + 1) / 2;
    if (d <= high)
        return low * (low + 1) / 2 + (d - low) * low;
    if (d >= low + high - 1)
        return height * width;
    uint64_t left = low + high - 1 - d;
    return height * width - left * (left + 1) / 2;
}

/* Lowest column on a diagonal. */
static inline uint64_t diagonal_first_column(uint64_t height, uint64_t diagonal)
{
    return diagonal + 1 > height ? diagonal + 1 - height : 0;
}

/* One past the highest column on a diagonal. */
static inline uint64_t diagonal_end_column(uint64_t width, uint64_t diagonal)
{
    return diagonal + 1 < width ? diagonal + 1 : width;
}

/* The diagonal on which cell number `index` (from 0, along the diagonals) lies; index < height x
 * width. */
static inline uint64_t diagonal_of(uint64_t height, uint64_t width, uint64_t index)
{
    uint64_t low = 0, high = height + width - 2;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (diagonal_cells_before(height, width, (int64_t)middle + 1) > index)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

#endif
