/*
 * results - the rows of a study as a table: which columns, which rows, in which order.
 *
 * Columns: point (its number), the axes, state, those of measure.h, reason, identity.
 *
 * Rules:
 *  1. Built of a store_table, which must outlive it; rows are numbers of its rows. Everything else
 *     is of results->arena.
 *  2. Orders are written "column" (least first) or "-column" (most first). What has no value comes
 *     last; equal rows keep the study's order.
 *  3. A Pareto front keeps the rows that are "ok" and have all values, and that no other such row
 *     beats: at least as good everywhere, better somewhere. Equal rows are all kept.
 */
#ifndef ORRERY_SWEEP_RESULTS_H
#define ORRERY_SWEEP_RESULTS_H

#include "sweep/expression.h"
#include "sweep/store.h"

enum { RESULTS_ORDERS = 3, RESULTS_COLUMNS = STUDY_AXES + MEASURE_COUNT + 4 };

struct results {
    struct arena arena;
    const struct store_table *table;
    const char *column[RESULTS_COLUMNS + 1]; /* names, NULL-terminated */
    uint32_t column_count;
    uint32_t *row; /* [row_count] */
    uint32_t row_count;
    uint32_t shown[RESULTS_COLUMNS]; /* numbers of columns */
    uint32_t shown_count;
};

struct results_order {
    uint32_t column;
    bool is_descending;
};

/* All rows, all columns. */
void results_init(struct results *results, const struct store_table *table);
void results_release(struct results *results);

/* What is in a cell. Numbers of axes are numbers (sweep/quantity.h); `is_text`: their text
 * instead. */
struct expression_value results_cell(const struct results *results, uint32_t row, uint32_t column,
                                     bool is_text);

/* Number of the column of that name; UINT32_MAX with a message about `option`. */
uint32_t results_column(const struct results *results, const char *name, const char *option,
                        struct diag *diag);

/* Shows these alone: "a,b,c". */
enum status results_show(struct results *results, const char *names, struct diag *diag);

/* Shows what a terminal has room for: point, axes, state, and measures that some row has. */
void results_show_usual(struct results *results);

/* Keeps the rows that an expression holds for. */
enum status results_filter(struct results *results, const char *expression, struct diag *diag);

/* By up to RESULTS_ORDERS orders, "-mfu,time_s". */
enum status results_sort(struct results *results, const char *orders, struct diag *diag);

/* Keeps the Pareto front over two or three orders. */
enum status results_pareto(struct results *results, const char *orders, struct diag *diag);

/* Keeps the first `count` rows. */
void results_limit(struct results *results, uint32_t count);

#endif
