/*
 * report - a run's result in words and figures: one file per format, one table of formats.
 *
 * Rules:
 *  1. A format only prints. It takes figures from the result as they are, computes no more than
 *     minimum, mean, maximum and share, and never fails because of what the figures say.
 *  2. A report depends on the result, the configuration and the context, and on nothing else: no
 *     clock, no host, no locale. Host figures appear only if the context asks.
 *  3. A report of a folded run equals that of the same run with --no-fold, byte for byte, but for
 *     the one line that says how many classes were simulated. So no other line may depend on
 *     class_count, fold_note, config->fold or events.
 *  4. Every figure says its unit: beside it (text) or in its name (json, csv).
 *  5. All formats print a result that is not STATUS_OK too: up to where the run got.
 *  6. `write` fails only if the stream failed. The caller opens and commits the file, or abandons
 *     it.
 */
#ifndef ORRERY_REPORT_REPORT_H
#define ORRERY_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"
#include "config/config.h"
#include "model/trace.h"
#include "report/against.h"
#include "stats/result.h"
#include "stats/step_figures.h"

/* What a report is told beside the result. All pointers are borrowed for the call. */
struct report_context {
    const char *version;             /* of orrery, "0.1.0"; NULL prints "unknown" */
    const char *const *command;      /* json: arguments of `orrery run`, NULL-terminated, or NULL */
    const struct workload *workload; /* for formats and hashes of traces; NULL leaves them out */
    const struct against *against; /* text, json: the same job on another network model, or NULL */
    const struct step_figures *step; /* text, json: of a generated training job, or NULL */
    bool full;                       /* text: one row for every rank, however many there are */
    bool with_host;                  /* adds host seconds and memory (not deterministic) */
};

struct report_ops {
    const char *name;    /* "text" */
    const char *summary; /* one line for `orrery list formats` */

    /* Prints the whole report to `out`. Does not close it. */
    enum status (*write)(const struct run_result *result, const struct config *config,
                         const struct report_context *context, FILE *out, struct diag *diag);
};

/* All formats, NULL-terminated. The first is the default. */
extern const struct report_ops *const report_formats[];

/* The format of that name, or NULL. */
const struct report_ops *report_find(const char *name);

#endif
