/*
 * published - the tuner against published measurements (data/validation/collectives.csv).
 *
 * Rules:
 *  1. A row is one measurement. It is mapped to a system preset by what its own columns say
 *     (hardware, network, library, note), never by what it measured; map.c has the rules.
 *  2. A row that cannot be mapped is counted under its reason, and one whose network is assumed
 *     under its family; nothing is dropped. The totals are also given with the assumed ones.
 *  3. The error of a row is |predicted - measured| / measured time; rows that print bandwidth only
 *     are turned into the time it means.
 */
#ifndef ORRERY_TESTS_AGREE_PUBLISHED_H
#define ORRERY_TESTS_AGREE_PUBLISHED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "net/collective/tuner_parts.h"
#include "tests/agree/part/part.h"

enum column {
    COLUMN_ID,
    COLUMN_SERIES,
    COLUMN_FAMILY,
    COLUMN_SOURCE,
    COLUMN_HARDWARE,
    COLUMN_OP,
    COLUMN_GPUS,
    COLUMN_NODES,
    COLUMN_GPUS_PER_NODE,
    COLUMN_BYTES,
    COLUMN_TIME,
    COLUMN_BUSBW,
    COLUMN_ALGBW,
    COLUMN_DTYPE,
    COLUMN_INTRA,
    COLUMN_LIB,
    COLUMN_PROVENANCE,
    COLUMN_NOTE,
    COLUMN_INTER,
    COLUMN_COUNT
};

struct published_row {
    const char *const *text; /* [COLUMN_COUNT], never NULL */
};

/* What a row asks the tuner, and what was measured. */
struct published_case {
    struct tuner_request request;
    struct tuner_system system; /* the preset, with the row's own NICs */
    double measured_us;
    double bytes;         /* as the table has them, for the size decades */
    bool is_assumed;      /* the source does not say what joins the nodes: the preset's network is
                             taken, and the row stays out of the criteria */
    const char *unmapped; /* constant text: why it is none; NULL if it is */
};

void published_map(const struct tuner *tuner, const struct published_row *row,
                   struct published_case *one);

/*
 * Runs the whole comparison with the table in file `csv`, prints it to `out` (`brief`: totals only)
 * and counts the two criteria, 15 % for 1 MB and more and 30 % below.
 */
enum status published_run(const char *csv, bool brief, FILE *out, struct part_count *count,
                          struct diag *diag);

/*
 * The same tuner against the table its corrections were calibrated on, and rows of that table that
 * they were not (data/perf/xla_collective_perf_table.csv): what calibration can give. Not a
 * criterion. XLA's own overhead, some 4 us, is in its times and not in ours.
 */
enum status published_run_perf(const char *csv, FILE *out, struct diag *diag);

#endif
