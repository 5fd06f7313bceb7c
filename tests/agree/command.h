/*
 * command - the command line of one case, and the files behind it.
 *
 * Inputs are the files in cases/<case>/ where a trace is stored there. For other rows (large
 * reference cases, the scaling series) the configuration text of the row is written and the traces
 * are generated from its specification, once per row, into a scratch folder.
 */
#ifndef ORRERY_TESTS_AGREE_COMMAND_H
#define ORRERY_TESTS_AGREE_COMMAND_H

#include <stdbool.h>

#include "tests/agree/row.h"

enum { COMMAND_WORDS = 40, COMMAND_PATH = 512 };

struct command {
    char *argv[COMMAND_WORDS]; /* NULL-terminated, pointing into the fields below and the row */
    int argc;
    char workload[COMMAND_PATH], system[COMMAND_PATH], network[COMMAND_PATH];
    char memory[COMMAND_PATH], groups[COMMAND_PATH], backend[64];
};

struct command_place {
    const char *orrery; /* the program */
    const char *data;   /* .../data/astra */
    const char *scratch;
};

/* Fills `command` for `row`. */
enum status command_make(struct command *command, const struct row *row,
                         const struct command_place *place, bool fold, struct diag *diag);

/* Prints the command as a shell would take it. */
void command_print(const struct command *command, FILE *out);

#endif
