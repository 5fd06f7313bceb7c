/*
 * say - what several commands print alike.
 */
#ifndef ORRERY_CLI_SAY_H
#define ORRERY_CLI_SAY_H

#include <stdio.h>

#include "base/notice.h"
#include "stats/step_figures.h"

/* A heading and one line per notice; nothing if there are none. */
void say_notices(const struct notices *notices, FILE *out);

/* A notice if the job does not fit in its devices: for commands whose finding that is not. */
void say_if_too_large(const struct step_memory *memory, const char *job, struct notices *notices);

#endif
