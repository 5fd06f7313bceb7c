/*
 * say - what several commands print alike.
 */
#ifndef ORRERY_CLI_SAY_H
#define ORRERY_CLI_SAY_H

#include <stdio.h>

#include "base/notice.h"

/* A heading and one line per notice; nothing if there are none. */
void say_notices(const struct notices *notices, FILE *out);

#endif
