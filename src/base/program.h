/*
 * program - another program, run to its end, and what it said.
 *
 * Rules:
 *  1. It is found by PATH (a name with '/' is a path), reads nothing (/dev/null) unless it is given
 *     a file, and neither ignores SIGPIPE and SIGXFSZ nor holds signals back, as this one may.
 *  2. Its end is no failure here, whatever its code is: only that it cannot be started.
 */
#ifndef ORRERY_BASE_PROGRAM_H
#define ORRERY_BASE_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>

#include "base/diag.h"

struct program_said {
    int code;  /* exit code; 128 and the signal's number if a signal ended it */
    char *out; /* standard output, of PROGRAM_SAID_MOST bytes at most */
    char *err; /* standard error, the same */
};

enum { PROGRAM_SAID_MOST = 1 << 24 };

/* argv[0] is the program; the last is NULL. program_said_release() in every case. */
enum status program_run(const char *const *argv, struct program_said *said, struct diag *diag);
void program_said_release(struct program_said *said);

/*
 * A program that reads `from`, from where its descriptor is, and writes behind what is in `to`.
 * Its standard error is this one's; `environment` is all that it has ("NAME=VALUE", the last NULL).
 */
enum status program_filter(const char *const *argv, char *const *environment, FILE *from, FILE *to,
                           int *code, struct diag *diag);

/* The last line of text that has something in it, without its newline; "" if none. In `text`. */
const char *program_last_line(char *text);

/* True if PATH has a program of that name. */
bool program_exists(const char *name);

#endif
