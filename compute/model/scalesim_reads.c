#include "compute/model/scalesim_reads.h"

#include "compute/model/diagonal.h"

enum { SETS_KEPT = 50, SETS = 100, FIRST_WORDS_PER_CYCLE = 10 };

uint64_t scalesim_reads_capacity(uint64_t memory_words)
{
    uint64_t set_words = memory_words / SETS;
    return set_words > 0 ? SETS_KEPT * set_words : UINT64_MAX;
}

struct keeper {
    uint64_t capacity, kept; /* since it last forgot */
    uint64_t asked;          /* words, before this group */
};

/* `words` are asked for in the same order `times` times; none of them is kept before. */
static void ask_group(struct scalesim_reads *reads, struct keeper *keeper, uint64_t words,
                      uint64_t times)
{
    uint64_t asks = words * times;
    uint64_t fresh = 0; /* of this group, kept: always those asked for last */
    for (uint64_t asked = 0; asked < asks && fresh < words;) {
        uint64_t some = words - fresh;
        if (some > keeper->capacity - keeper->kept)
            some = keeper->capacity - keeper->kept;
        if (some > asks - asked)
            some = asks - asked;
        asked += some;
        fresh += some;
        keeper->kept += some;
        reads->words += some;
        if (keeper->kept == keeper->capacity) {
            reads->has_forgotten = true;
            reads->last_ask = keeper->asked + asked - 1;
            keeper->kept = fresh = 0;
        }
    }
    keeper->asked += asks;
}

void scalesim_reads(struct scalesim_reads *reads, const struct scalesim_order *order,
                    uint64_t memory_words)
{
    *reads = (struct scalesim_reads){0};
    struct keeper keeper = {.capacity = scalesim_reads_capacity(memory_words)};
    uint64_t words = scalesim_order_words(order);
    if (!order->follows_columns || !order->is_slanted) {
        ask_group(reads, &keeper, words, order->is_slanted ? order->across : 1);
        return;
    }
    for (uint64_t block = 0; block < order->blocks; block++)
        ask_group(reads, &keeper, order->span * scalesim_order_used(order, block), order->down);
}

static uint64_t loaded_cycle(const struct scalesim_order *order, uint64_t ask)
{
    uint64_t column = ask / (order->span * order->side);
    uint64_t used = scalesim_order_used(order, column);
    uint64_t in_block = ask - column * order->span * order->side;
    uint64_t down = in_block / (order->rows * used);
    uint64_t row = (in_block - down * order->rows * used) / used;
    uint64_t unused = down + 1 < order->down ? 0 : order->rows - order->last_rows;
    return (column * order->down + down) * order->fold_cycles + unused + row;
}

uint64_t scalesim_reads_cycle(const struct scalesim_order *order, uint64_t ask)
{
    if (!order->is_slanted)
        return loaded_cycle(order, ask);
    uint64_t block, fold, in_block;
    if (order->follows_columns) {
        block = ask / (order->span * order->side * order->down);
        uint64_t in_column = ask - block * order->span * order->side * order->down;
        uint64_t words = order->span * scalesim_order_used(order, block);
        fold = block * order->down + in_column / words;
        in_block = in_column % words;
    } else {
        uint64_t words = scalesim_order_words(order), in_pass = ask % words;
        block = in_pass / (order->span * order->side);
        fold = ask / words * order->down + block;
        in_block = in_pass - block * order->span * order->side;
    }
    return fold * order->fold_cycles + order->first_cycle +
           diagonal_of(order->span, scalesim_order_used(order, block), in_block);
}

double scalesim_reads_bandwidth(const struct scalesim_order *order, uint64_t memory_words,
                                uint64_t words, bool has_forgotten, uint64_t last_cycle)
{
    uint64_t set_words = memory_words / SETS;
    if (set_words == 0)
        return 0;
    uint64_t sets = has_forgotten ? SETS_KEPT : systolic_ceil_div(words, set_words);
    uint64_t cycles = systolic_ceil_div(sets * set_words, FIRST_WORDS_PER_CYCLE);
    if (has_forgotten) {
        uint64_t first = order->is_slanted
                             ? order->first_cycle
                             : order->rows - (order->down > 1 ? order->rows : order->last_rows);
        cycles += last_cycle + 2 - first;
    }
    return (double)words / (double)cycles;
}
