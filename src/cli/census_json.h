/*
 * census_json - a census as JSON, for `orrery info --format json`.
 */
#ifndef ORRERY_CLI_CENSUS_JSON_H
#define ORRERY_CLI_CENSUS_JSON_H

#include <stdio.h>

#include "base/notice.h"
#include "workloads/census.h"

/* A rank's share, for the per-rank table. */
struct census_rank {
    const char *source; /* prefix or file, as given */
    uint32_t rank;
    uint64_t nodes, compute, host, memory, collectives, sends, receives;
    uint64_t comm_bytes; /* payload of collectives and sends */
};

/* `ranks` may be NULL: left out. */
void census_print_json(const struct census *census, const struct census_rank *ranks,
                       uint32_t rank_count, const struct notices *notices, FILE *out);

#endif
