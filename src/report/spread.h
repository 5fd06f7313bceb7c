/*
 * spread - the categories of a rank's time, and their least, mean and most over the ranks; a rank's
 * share of a network dimension.
 */
#ifndef ORRERY_REPORT_SPREAD_H
#define ORRERY_REPORT_SPREAD_H

#include "stats/result.h"

enum time_group { TIME_EXCLUSIVE, TIME_OVERLAPPED };

/* One category: where in a rank_result it is, and what it is called. */
struct time_category {
    enum time_group group;
    const char *text; /* "exposed all-reduce" */
    const char *key;  /* "exposed_all_reduce": for json and csv, unit to be added */
    size_t offset;    /* of its time_ps in struct rank_result */
};

/*
 * All categories in the order of reports: compute, exposed communication by kind, waiting, memory,
 * host, idle; then overlapped communication by kind.
 */
extern const struct time_category time_categories[];
extern const uint32_t time_category_count;

time_ps time_of(const struct rank_result *rank, const struct time_category *category);

struct spread {
    time_ps least, mean, most; /* mean is rounded down to a picosecond */
    uint32_t most_rank;        /* the first rank with `most` */
};

/* Over all ranks, whatever was folded. A result without ranks gives zeros. */
struct spread spread_of(const struct run_result *result, const struct time_category *category);

/* What one rank injects into a dimension, on average, at the rate of one of its links. */
time_ps share_at_link_rate(const struct run_result *result, const struct dimension_row *row);

#endif
