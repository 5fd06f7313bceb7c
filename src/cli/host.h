/*
 * host - the machine orrery runs on. The only user of hwloc, which is asked only here.
 */
#ifndef ORRERY_CLI_HOST_H
#define ORRERY_CLI_HOST_H

#include <stdio.h>

#include "base/diag.h"

/* Prints cores, caches and memory of this machine. */
enum status host_print(FILE *out, struct diag *diag);

#endif
