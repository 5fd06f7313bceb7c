/*
 * compare_sides - the two sides of `orrery compare`: paths to read, or runs to make.
 *
 * Rules:
 *  1. A word is a path, unless it names something to run: CONFIG.yaml, STUDY.db:POINT, with --rerun
 *     the report of a run.
 *  2. With the options of a run A is that run; of two words the first is its job or configuration.
 *     The word that is left is B, or with --run-astra what the binary makes of the same files.
 *  3. Paths are read before runs are made: a run has ops if the other side has some, of its ranks.
 */
#ifndef ORRERY_CLI_COMPARE_SIDES_H
#define ORRERY_CLI_COMPARE_SIDES_H

#include "cli/compare_run.h"
#include "compare/sides.h"

struct compare_asked {
    struct run_options run; /* first: of our run, if there is one; format, output and quiet */
    const char *word[3];    /* the last stays NULL */
    struct compare_astra astra;
    bool is_rerun;
};

struct compare_side {
    struct outcome outcome;
    const char *path;       /* to read, or NULL */
    struct compare_run run; /* if is_run */
    bool is_run;
};

struct compare_sides {
    struct names words;
    struct compare_side a, b;
    char host[160]; /* figures of this machine, or "" */
};

/* Reads and runs; `sides` is zeroed memory that stays in place. To be released in every case. */
enum status compare_sides_fill(struct compare_sides *sides, const struct compare_asked *asked,
                               const struct side_options *options, struct diag *diag);
void compare_sides_release(struct compare_sides *sides);

#endif
