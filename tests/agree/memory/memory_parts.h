/*
 * memory_parts - the parts of `make agree-memory`: each prints its table to `out` (NULL: quiet) and
 * counts what holds.
 */
#ifndef ORRERY_TESTS_AGREE_MEMORY_PARTS_H
#define ORRERY_TESTS_AGREE_MEMORY_PARTS_H

#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"

struct memory_score {
    uint32_t passed, failed;
};

/* memory_footprint.csv. */
enum status memory_footprint(const char *path, FILE *out, struct memory_score *score,
                             struct diag *diag);
/* Complete rows of training.csv that print memory. */
enum status memory_runs(const char *folder, FILE *out, struct memory_score *score,
                        struct diag *diag);

#endif
