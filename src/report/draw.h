/*
 * draw - a fabric as a picture: SVG, with the links' utilisation as a heat map if there is one, and
 * DOT for graphviz.
 *
 * Rules:
 *  1. Tori and meshes are grids (dimension 0 to the right, 1 down, 2 and more in panels), a ring or
 *     a full mesh is a circle, a switch is a star, trees have their levels one above the other, and
 *     other graphs are laid out by springs from a fixed start: the same fabric gives the same
 *     bytes.
 *  2. Above DRAW_MOST_NODES nodes, like ones are drawn as one box that says how many it stands for;
 *     the picture says so. A link between boxes has the figures of the hottest that it stands for.
 *  3. Colours suit a light and a dark page (prefers-color-scheme).
 */
#ifndef ORRERY_REPORT_DRAW_H
#define ORRERY_REPORT_DRAW_H

#include <stdio.h>

#include "model/network.h"
#include "net/topology/fabric.h"

enum { DRAW_MOST_NODES = 320 };

/*
 * `figures` has fabric->link_count rows, or is NULL: no heat map. Utilisation is busy time over
 * `elapsed_ns`; 0: over the busiest link's.
 */
void draw_svg(const struct fabric *fabric, const struct link_figures *figures, double elapsed_ns,
              FILE *out);

/* Every node and cable, none left out. */
void draw_dot(const struct fabric *fabric, FILE *out);

#endif
