/*
 * run_astra - runs an ASTRA-sim binary of the user's on the files of a run, and reads its log.
 *
 * Rules:
 *  1. It runs in a folder of its own that is removed afterwards, with the traces linked there as
 *     workload.<rank>.et (so one trace may serve all ranks), standard input empty, and in a process
 *     group of its own, which is ended with the run, with orrery, or at the time limit.
 *  2. Binaries differ in one option: newer ones take --remote-memory-configuration, older ones
 *     --memory-configuration. The first is tried; if nothing finished and the log complains of the
 *     other, that one is.
 *  3. Results are looked for in what it printed, then in the files that it logged to (log/); a
 *     file of log/ with results and ops comes before what it printed without ops.
 *  4. A run that ends badly after results of every rank counts, with a notice: some versions crash
 *     while they clean up. Without any result it is STATUS_IO with how it ended and its last words;
 *     at the time limit STATUS_LIMIT; STATUS_INTERRUPTED at a signal.
 *  5. What it prints beyond 4 GiB ends it.
 */
#ifndef ORRERY_COMPARE_RUN_ASTRA_H
#define ORRERY_COMPARE_RUN_ASTRA_H

#include "compare/outcome.h"
#include "model/trace.h"

enum { ASTRA_MOST_OPTIONS = 12 };

struct astra_request {
    const char *program; /* a path, or a name in $PATH */
    const struct workload *workload;
    const char *system, *network, *memory, *comm_group; /* paths; the last two may be NULL */
    const char *option[ASTRA_MOST_OPTIONS];             /* "--num-queues-per-dim=2" */
    uint32_t option_count;
    double limit_s;       /* 0: none */
    const char *limit;    /* the same in words */
    const char *log_path; /* its log is kept there, or NULL */
};

struct astra_figures {
    double seconds;
    uint64_t peak_bytes;
};

/* Fills and closes `outcome`, which is initialised. */
enum status astra_run(const struct astra_request *request, struct outcome *outcome,
                      struct astra_figures *figures, struct diag *diag);

#endif
