#include "compute/model/scalesim_order.h"

#include "base/status.h"
#include "compute/model/diagonal.h"

void scalesim_order(struct scalesim_order *order, const struct systolic_array *array,
                    const struct systolic_gemm *gemm, enum scalesim_operand operand)
{
    struct systolic_folds folds;
    systolic_fold(&folds, array, gemm);
    bool is_output = array->dataflow == SYSTOLIC_OUTPUT;
    bool is_loaded = (array->dataflow == SYSTOLIC_WEIGHT && operand == SCALESIM_FILTER) ||
                     (array->dataflow == SYSTOLIC_INPUT && operand == SCALESIM_INPUT);
    bool by_columns = is_loaded || (is_output && operand == SCALESIM_FILTER);
    *order = (struct scalesim_order){
        .is_slanted = !is_loaded,
        .follows_columns = by_columns,
        .span = is_loaded ? folds.height : folds.stream,
        .blocks = by_columns ? folds.across : folds.down,
        .side = by_columns ? array->columns : array->rows,
        .last = by_columns ? folds.last_columns : folds.last_rows,
        .first_cycle = is_output ? 0 : array->rows,
        .down = folds.down,
        .across = folds.across,
        .fold_cycles = folds.fold_cycles,
        .rows = array->rows,
        .last_rows = folds.last_rows,
    };
}

uint64_t scalesim_order_words(const struct scalesim_order *order)
{
    return order->span * ((order->blocks - 1) * order->side + order->last);
}

uint64_t scalesim_order_places(const struct scalesim_order *order)
{
    return order->span * order->blocks * order->side;
}

/* Columns of stack diagonal `diagonal` below `column` that are unused cells of the last block. */
static uint64_t unused_on_diagonal(const struct scalesim_order *order, uint64_t diagonal,
                                   uint64_t column)
{
    uint64_t height = order->span * order->blocks, top = height - order->span;
    uint64_t from = diagonal_first_column(height, diagonal);
    uint64_t end = diagonal >= top ? diagonal - top + 1 : 0; /* rows from `top` on */
    if (from < order->last)
        from = order->last;
    if (end > column)
        end = column;
    return end > from ? end - from : 0;
}

static uint64_t slanted_position(const struct scalesim_order *order, uint64_t diagonal,
                                 uint64_t column)
{
    uint64_t height = order->span * order->blocks;
    uint64_t before = diagonal_cells_before(height, order->side, (int64_t)diagonal) + column -
                      diagonal_first_column(height, diagonal);
    int64_t unused_from = (int64_t)(height - order->span + order->last);
    return before -
           diagonal_cells_before(order->span, order->side - order->last,
                                 (int64_t)diagonal - unused_from) -
           unused_on_diagonal(order, diagonal, column);
}

uint64_t scalesim_order_position(const struct scalesim_order *order, uint64_t block, uint64_t row,
                                 uint64_t column)
{
    promise(block < order->blocks && row < order->span &&
            column < scalesim_order_used(order, block));
    if (order->is_slanted)
        return slanted_position(order, block * order->span + row + column, column);
    return (block * order->side) * order->span + row * scalesim_order_used(order, block) + column;
}

bool scalesim_order_seek(const struct scalesim_order *order, uint64_t block, uint64_t position,
                         uint64_t *diagonal, uint64_t *column)
{
    uint64_t used = scalesim_order_used(order, block), base = block * order->span;
    uint64_t low = 0, high = order->span + used - 1; /* `high`: none */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        uint64_t last = diagonal_end_column(used, middle) - 1;
        if (slanted_position(order, base + middle, last) >= position)
            high = middle;
        else
            low = middle + 1;
    }
    if (low == order->span + used - 1)
        return false;
    *diagonal = low;
    uint64_t from = diagonal_first_column(order->span, low);
    uint64_t to = diagonal_end_column(used, low) - 1;
    while (from < to) {
        uint64_t middle = from + (to - from) / 2;
        if (slanted_position(order, base + low, middle) >= position)
            to = middle;
        else
            from = middle + 1;
    }
    *column = from;
    return true;
}
