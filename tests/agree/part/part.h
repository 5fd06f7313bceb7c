/*
 * part - one table of an agreement program: agreement with one kind of reference; and such a program,
 * which is a list of parts.
 *
 * Rules:
 *  1. A part prints its table to `out` (`brief`: as few lines as tell what holds), and adds to
 *     *count one for each thing that must agree. What need not agree is printed with the reason.
 *  2. Data is below `shared`. A part whose data is absent adds to `skipped`, with a line saying so.
 *  3. A part fails (status) only if a reference cannot be read or a run cannot be made.
 */
#ifndef ORRERY_TESTS_AGREE_PART_H
#define ORRERY_TESTS_AGREE_PART_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"

struct part_count {
    uint32_t passed, failed, skipped;
};

enum part_need {
    PART_NEEDS_DATA,  /* below `shared` */
    PART_NEEDS_CLOCK, /* data too, and it measures time: left out by --untimed */
    PART_NEEDS_NOTHING,
};

struct part {
    const char *name; /* for --part */
    const char *what; /* heading */
    enum status (*run)(const char *shared, bool brief, FILE *out, struct part_count *count,
                       struct diag *diag);
    enum part_need need;
};

struct part_program {
    const char *name;        /* "agree_net" */
    const char *probe;       /* a file below `shared`: without it there is no data */
    const struct part *part; /* in the order in which they run; the last has a NULL name */
};

/*
 * The program: [--brief] [--untimed] [--part NAME], with data in $ORRERY_SHARED (default ../shared);
 * --untimed leaves out what measures time. Its last line is "NAME: P passed, F failed, S skipped";
 * returns 1 if anything failed, the status's exit code if a part could not be made (rule 3).
 */
int part_program_run(const struct part_program *program, int argc, char **argv);

#endif
