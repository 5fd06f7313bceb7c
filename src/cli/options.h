/*
 * options - command lines: one table of options per subcommand, which parses and prints the help.
 *
 * Rules:
 *  1. `--name value` and `--name=value` are the same. An option whose argument is optional ("[..]")
 *     takes it only after '='. A later occurrence wins. `--` ends the options.
 *  2. Every mistake is STATUS_USAGE with one line and a hint.
 *  3. Values are borrowed from argv.
 */
#ifndef ORRERY_CLI_OPTIONS_H
#define ORRERY_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"

struct option {
    const char *name;     /* "--max-time" */
    const char *alias;    /* the same as ASTRA-sim spells it, or NULL */
    const char *argument; /* "TIME"; "[true|false]" if optional; NULL for a flag */
    const char *help;     /* one line */

    /* Takes the value (NULL if none was given) into `to`, the command's own structure. */
    enum status (*take)(void *to, const struct option *option, const char *value,
                        struct diag *diag);
    size_t offset;       /* for `take`: of the field in `to` */
    const char *setting; /* for `take`: key of a setting of config/settings.h */
    const char *fixed;   /* for `take`: text that a flag stands for */
};

struct command {
    const char *name;
    const char *summary;          /* one line for `orrery help` */
    const char *usage;            /* what follows "orrery name" */
    const char *about;            /* a few lines */
    void (*more)(FILE *out);      /* prints lines after those, of a table; NULL: none */
    const char *examples;         /* lines, each with its newline */
    const struct option *options; /* the last has a NULL name */

    /* Runs with the words after the name; returns the exit code. */
    int (*run)(int argc, char **argv);
};

/* What a parser was asked beside its options. */
enum asked { ASKED_NOTHING, ASKED_HELP };

/*
 * Parses `argc` words. Words that are no options go to `word`. ASKED_HELP in *asked means that
 * --help was there: nothing else was checked.
 */
enum status options_parse(const struct command *command, int argc, char **argv, void *to,
                          enum status (*word)(void *to, const char *text, struct diag *diag),
                          enum asked *asked, struct diag *diag);

/*
 * The usual beginning of a command: parses, and answers --help and mistakes itself. False if the
 * command ends there with *code.
 */
bool options_begin(const struct command *command, int argc, char **argv, void *to,
                   enum status (*word)(void *to, const char *text, struct diag *diag), int *code);

/* Usage, options and examples of a command. */
void options_help(const struct command *command, FILE *out);

/*
 * The row of a table of formats that --format names, the first with NULL: rows of `row_bytes` that
 * begin with their name, the last a NULL one. NULL, with a message that lists them, if there is
 * none.
 */
const void *options_format(const void *table, size_t row_bytes, const char *name,
                           struct diag *diag);

/* Stores a text option at `offset`. */
enum status take_text(void *to, const struct option *option, const char *value, struct diag *diag);

/* Sets the bool at `offset`. */
enum status take_flag(void *to, const struct option *option, const char *value, struct diag *diag);

/* A number of 1 to `most`, "expected 1 to 9 rows" if `what` is "rows". */
enum status take_count(const struct option *option, const char *value, uint32_t most,
                       const char *what, uint32_t *to, struct diag *diag);

/* A word that is no option, into a `const char *`; a second word is an error. */
enum status take_word(void *to, const char *text, struct diag *diag);

/* The table of a command without options. */
extern const struct option no_options[];

/* A usage error about `option` (NULL if none); returns STATUS_USAGE. */
enum status usage_error(struct diag *diag, const char *option, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints the message and returns its exit code: the end of a command that failed. */
int command_failed(const struct diag *diag);

#endif
