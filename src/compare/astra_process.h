/*
 * astra_process - one program of the user's, run to its end or to a limit, its words in a file.
 *
 * Rules:
 *  1. It runs in a process group of its own with the usual signals and nothing to read. The group
 *     is killed at the limit, at SIGINT or SIGTERM (STATUS_INTERRUPTED), and once the program
 *     itself has ended; it ends with orrery, however that ends.
 *  2. A program that cannot be started is STATUS_IO.
 */
#ifndef ORRERY_COMPARE_ASTRA_PROCESS_H
#define ORRERY_COMPARE_ASTRA_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

struct process {
    const char *const *words; /* the program, then its arguments; NULL-terminated */
    const char *folder;       /* in which it runs */
    const char *log;          /* its standard output and error */
    double limit_s;           /* 0: none */
};

struct process_end {
    bool is_good; /* exit code 0 */
    bool is_over_time;
    int how; /* as waitpid() has it */
    double seconds;
    uint64_t peak_bytes; /* resident */
};

enum status process_run(const struct process *process, struct process_end *end, struct diag *diag);

/* "exit code 1", "signal 11 (Segmentation fault)". */
const char *process_describe(const struct process_end *end, char *to, size_t size);

#endif
