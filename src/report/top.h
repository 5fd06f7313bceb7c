/*
 * top - the first few of many rows, in an order.
 *
 * Rows are numbers, given one after the other; of equal ones the first given stays before the
 * others. O(most) a row at worst; a row that is not among the first costs one comparison.
 */
#ifndef ORRERY_REPORT_TOP_H
#define ORRERY_REPORT_TOP_H

#include <stdbool.h>
#include <stdint.h>

struct top {
    uint32_t *row; /* [most], the caller's; the first `count` are set, in order */
    uint32_t most, count;
    bool (*is_before)(const void *context, uint32_t a, uint32_t b);
    const void *context; /* borrowed */
};

void top_add(struct top *top, uint32_t row);

#endif
