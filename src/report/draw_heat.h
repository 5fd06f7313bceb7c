/*
 * draw_heat - utilisation of links as numbers and colours.
 */
#ifndef ORRERY_REPORT_DRAW_HEAT_H
#define ORRERY_REPORT_DRAW_HEAT_H

#include "base/arena.h"
#include "model/network.h"

/* Busy time over `elapsed_ns` (0: over the busiest link's), cut to 0 .. 1; in memory of `arena`. */
const double *draw_heat_of(const struct link_figures *figures, uint32_t count, double elapsed_ns,
                           struct arena *arena);

/*
 * "#rrggbb" in `to` (8 bytes) for 0 .. 1: blue, teal, amber, red, of a luminance that is told from
 * white and from black, and from each other without colours.
 */
const char *draw_heat_colour(char *to, double heat);

#endif
