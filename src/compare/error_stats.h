/*
 * error_stats - how far the times of A are from those of B, pair by pair. B is the reference.
 *
 * Rules:
 *  1. The error of a pair is A / B - 1, in percent; of a reference of 0 there is none unless A is 0
 *     too (error 0): such pairs are counted as `without_percent`, and their difference counts as
 *     not equal.
 *  2. Pairs are equal if both are the same number of grains (outcome.h, rule 2), the coarser of the
 *     two, each cut: 22240999 ps is 22240 cycles of 1 ns.
 *  3. mean is that of signed errors; the others are of |error|. median: of an even number, the mean
 *     of the two in the middle. p90: the nearest rank, number ceil(0.9 n) in ascending order.
 *     worst is the largest |error| with its sign, of several the first.
 *
 * Worked: A 90, 110, 130, 100 against B 100 each: errors -10, 10, 30, 0 %; mean 7.5, mean of |e|
 * 12.5, median 10 (of 0 10 10 30), p90 30 (number 4), worst 30.
 */
#ifndef ORRERY_COMPARE_ERROR_STATS_H
#define ORRERY_COMPARE_ERROR_STATS_H

#include <stdint.h>

enum { ERROR_WIDE = 10 };

/* One of the pairs whose times are furthest apart. */
struct error_wide {
    uint64_t number; /* of the pair, in the order in which they were added */
    int64_t a_ps, b_ps;
};

struct error_stats {
    uint64_t pairs, equal, without_percent;
    double total_a_ps, total_b_ps; /* over the pairs */
    double mean_percent, mean_abs_percent, median_abs_percent, p90_abs_percent, worst_percent;
    uint64_t worst;                     /* number of that pair */
    struct error_wide wide[ERROR_WIDE]; /* pairs that are not equal, most |A - B| first */
    uint32_t wide_count;
};

struct error_book {
    struct error_stats stats;
    int64_t grain_ps;
    double *abs_percent;
    uint64_t count, room;
    double sum_percent, sum_abs_percent;
};

void error_book_init(struct error_book *book, int64_t grain_ps);
void error_book_release(struct error_book *book);
void error_book_add(struct error_book *book, int64_t a_ps, int64_t b_ps);

/* The statistics of what was added. */
struct error_stats error_book_close(struct error_book *book);

/* Rule 2. */
int64_t error_grains(int64_t ps, int64_t grain_ps);

#endif
