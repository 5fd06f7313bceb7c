/*
 * csv - a table of texts (RFC 4180, quoted fields), its columns found by the names in the header,
 * which lines of comment (#) may precede.
 */
#ifndef ORRERY_TESTS_AGREE_CSV_H
#define ORRERY_TESTS_AGREE_CSV_H

#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

struct csv {
    const char *const *names; /* of the wanted columns; the caller's */
    uint32_t columns;         /* how many */
    uint32_t rows;
    const char **cell; /* row i, wanted column c: cell[i * columns + c]; never NULL */
};

/* Loads the columns that `csv` names; memory is `arena`'s. */
enum status csv_load(struct csv *csv, const char *path, struct arena *arena, struct diag *diag);

#endif
