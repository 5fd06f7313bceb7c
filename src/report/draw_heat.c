#include "report/draw_heat.h"

#include <math.h>
#include <stdio.h>

const double *draw_heat_of(const struct link_figures *figures, uint32_t count, double elapsed_ns,
                           struct arena *arena)
{
    double *heat = arena_array(arena, (size_t)count + 1, sizeof *heat);
    double whole = elapsed_ns;
    for (uint32_t l = 0; l < count && elapsed_ns <= 0; l++)
        whole = figures[l].busy_ns > whole ? figures[l].busy_ns : whole;
    for (uint32_t l = 0; l < count; l++) {
        double share = whole > 0 ? figures[l].busy_ns / whole : 0;
        heat[l] = share > 1 ? 1 : share > 0 ? share : 0;
    }
    return heat;
}

const char *draw_heat_colour(char *to, double heat)
{
    static const int stops[][3] = {
        {91, 124, 189}, {58, 160, 166}, {214, 168, 46}, {222, 104, 40}, {200, 30, 50}};
    enum { LAST = sizeof stops / sizeof *stops - 1 };
    double at = (heat < 0 ? 0 : heat > 1 ? 1 : heat) * LAST;
    int i = (int)at < LAST ? (int)at : LAST - 1;
    double part = at - i;
    int rgb[3];
    for (int c = 0; c < 3; c++)
        rgb[c] = (int)lround(stops[i][c] + part * (stops[i + 1][c] - stops[i][c]));
    snprintf(to, 8, "#%02x%02x%02x", (unsigned)rgb[0] & 255, (unsigned)rgb[1] & 255,
             (unsigned)rgb[2] & 255);
    return to;
}
