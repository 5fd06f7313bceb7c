/*
 * machine_parts - the half of machine.c that finds parts and cables. Only machine*.c include it.
 */
#ifndef ORRERY_BASE_MACHINE_PARTS_H
#define ORRERY_BASE_MACHINE_PARTS_H

#include <hwloc.h>

#include "base/machine.h"

/* Fills parts and cables from a loaded topology whose I/O objects were kept. */
void machine_find_parts(struct machine *machine, hwloc_topology_t topology);

#endif
