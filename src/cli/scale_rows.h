/*
 * scale_rows - one row of `orrery scale`: the job on so many devices, planned if asked, checked and
 * simulated.
 *
 * Rules:
 *  1. --plan "auto[,KEY=VALUE..]" means the fastest plan of the search (estimate/search.h) for each
 *     number of devices; the rest of the text sets what the search keeps: seq, global-batch, number
 *     types.
 *  2. A row that cannot be run is no failure of the command: it has a status, and says why.
 */
#ifndef ORRERY_CLI_SCALE_ROWS_H
#define ORRERY_CLI_SCALE_ROWS_H

#include "cli/inputs.h"
#include "report/scale_report.h"

struct scale_options {
    struct inputs inputs; /* first: INPUT_OPTIONS fills it */
    const char *devices, *topology, *format, *output, *plot;
    bool is_strong, ignore_memory, quiet;
};

/* What is the same for all rows. */
struct scale_study {
    const struct scale_options *given;
    struct inputs inputs; /* without "auto" in the plan */
    bool is_auto;
};

/* Takes "auto" out of the plan; refuses a job and a cluster that are not there or cannot grow. */
enum status scale_study_init(struct scale_study *study, const struct scale_options *given,
                             struct diag *diag);

/* Fills the row of row->devices; the global batch is the plan's times `batch_ratio`. */
void scale_row_run(struct scale_row *row, const struct scale_study *study, double batch_ratio);

#endif
