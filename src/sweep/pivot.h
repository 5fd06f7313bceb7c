/*
 * pivot - a study's rows as a table of two axes: what one column is for each pair of their values.
 */
#ifndef ORRERY_SWEEP_PIVOT_H
#define ORRERY_SWEEP_PIVOT_H

#include "sweep/results.h"

enum pivot_of { PIVOT_LEAST, PIVOT_MOST, PIVOT_MEAN, PIVOT_COUNT };

struct pivot {
    const char *down, *across, *value; /* names of columns */
    enum pivot_of of;                  /* where several rows meet */
    const char **row, **column;        /* texts: numbers in order, texts as the rows have them */
    uint32_t rows, columns;
    double *cell; /* [rows x columns], not-a-number if no row is there */
};

/*
 * "DOWN,ACROSS,VALUE" or with ",least", ",most", ",mean" (the default) or ",count" after it. Of
 * rows that are "ok". Everything is of results->arena.
 */
enum status pivot_make(struct pivot *pivot, struct results *results, const char *text,
                       struct diag *diag);

#endif
