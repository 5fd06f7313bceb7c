/*
 * csv - a table of texts (RFC 4180, quoted fields), its columns found by the names in the header.
 */
#ifndef ORRERY_TESTS_AGREE_CSV_H
#define ORRERY_TESTS_AGREE_CSV_H

#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"

struct csv {
    const char **cell; /* row i, wanted column c: cell[i * columns + c]; never NULL */
    uint32_t rows, columns;
};

/* Loads the `columns` columns called `names`; memory is `arena`'s. */
enum status csv_load(struct csv *csv, const char *path, const char *const *names, uint32_t columns,
                     struct arena *arena, struct diag *diag);

#endif
