/*
 * rerun - a RESULT: something that was run before, and can be run again.
 *
 * A word of the command line is one of
 *   1. a JSON report of `orrery run` or `orrery explain`: its list "command" holds the arguments;
 *   2. STUDY.db:POINT, a point in the store of `orrery sweep`: its ordinal ("study.db:12"), or the
 *      beginning of its identity, 4 digits or more;
 *   3. anything else: what `orrery run` takes alone (a configuration file); left as it is.
 *
 * Rules:
 *  1. "command" holds what the run was told, and nothing about where reports go. Paths are as they
 *     were given: relative to the folder in which that command ran (of a store, in which the sweep
 *     did). run.fold is not in it: it decides how a run is simulated, never what comes out.
 *  2. A RESULT has all its inputs: other input options beside it are refused.
 *  3. Inputs whose bytes are not those of then are said by name (rerun_check_inputs()). A run that
 *     does not end at the stored time is an error that says what may be why (rerun_check_end()).
 */
#ifndef ORRERY_CLI_RERUN_H
#define ORRERY_CLI_RERUN_H

#include "base/doc.h"
#include "cli/sweep_keys.h"
#include "model/trace.h"
#include "stats/result.h"

struct rerun {
    bool is_report, is_point; /* neither: kind 3 */
    const char *name;         /* the word, borrowed */
    struct doc doc;           /* is_report: owns the texts of `command` */
    char **command;
    struct study study;         /* is_point */
    struct point_inputs *point; /* is_point */
    char version[64];           /* of orrery, as it was stored; "" if it was not */
    bool has_end;
    time_ps end_ps;    /* is_report */
    double end_s;      /* is_point */
    char changed[200]; /* names of inputs that are others now, or "" */
    uint32_t changed_count;
};

void rerun_init(struct rerun *rerun);
void rerun_release(struct rerun *rerun);

/*
 * If inputs->word is a RESULT of kind 1 or 2, puts the inputs of its run in its place. The texts
 * are of `rerun`, which must outlive them.
 */
enum status rerun_open(struct rerun *rerun, struct inputs *inputs, struct diag *diag);

/* After a failure to read the inputs: where its paths are relative to. */
void rerun_hint(const struct rerun *rerun, struct diag *diag);

/* Rule 3, when the workload is read: notices. `workload` may be NULL. */
void rerun_check_inputs(struct rerun *rerun, const struct config *config,
                        const struct workload *workload, struct notices *notices);

/* Rule 3, after the run. */
enum status rerun_check_end(const struct rerun *rerun, const struct run_result *result,
                            struct diag *diag);

/* "command" of a report (rule 1), in `arena`; NULL-terminated. */
const char *const *rerun_words(const struct inputs *inputs, struct arena *arena);

/* "study.db:12" is two texts, `path` and `point`, if the path ends so; "" if no point is named. */
bool rerun_is_store(const char *word, char *path, size_t size, const char **point);

/* The point's part of rerun_open(): rerun_point.c. */
enum status rerun_open_point(struct rerun *rerun, const char *store, const char *point,
                             struct inputs *inputs, struct diag *diag);

#endif
