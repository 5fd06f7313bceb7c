/*
 * compare_run - sides of `orrery compare` that are run for it: ours, and an ASTRA-sim binary.
 */
#ifndef ORRERY_CLI_COMPARE_RUN_H
#define ORRERY_CLI_COMPARE_RUN_H

#include "cli/job.h"
#include "compare/outcome.h"

/* Our run: the job is the caller's to initialise and release, and holds the diag. */
struct compare_run {
    struct job job;
    struct run_options options; /* the job's; fill before compare_run_begin() */
    double seconds;             /* to read and run, of this machine */
};

/* Do the options ask for a run of ours? */
bool compare_run_is_asked(const struct inputs *inputs);

void compare_run_begin(struct compare_run *run);
void compare_run_end(struct compare_run *run);

/*
 * Runs run->options and fills `outcome`; a run that got stuck is a side too, of the ranks that
 * finished. With `with_ops` also the ops, of the ranks of which `like` has some (NULL: nobody
 * asks).
 */
enum status compare_run_make(struct compare_run *run, struct outcome *outcome, bool with_ops,
                             const struct outcome *like);

enum { COMPARE_ASTRA_OPTIONS = 4 };

struct compare_astra {
    const char *program, *limit, *log;         /* --run-astra, --astra-limit, --astra-log */
    const char *option[COMPARE_ASTRA_OPTIONS]; /* --astra-option */
    uint32_t option_count;
};

/* Does the system file ask ASTRA-sim for a log with ops ("trace-enabled")? */
bool compare_astra_has_ops(const struct inputs *inputs);

/* Before the run: the network model that the binary's name says, if none was given; a notice. */
void compare_astra_guess(const struct compare_astra *astra, struct inputs *inputs,
                         struct notices *notices, struct diag *diag);

/* Runs the binary on the files of `run`, which was made. `words` (size bytes): host figures. */
enum status compare_astra_make(const struct compare_astra *astra, struct compare_run *run,
                               struct outcome *outcome, char *words, size_t size);

#endif
