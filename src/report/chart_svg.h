/*
 * chart_svg - charts as SVG, for papers and slides: one or several, one above the other.
 *
 * Rules:
 *  1. The same chart gives the same bytes. No script, no font file: the reader's sans-serif.
 *  2. Series differ by colour (Okabe and Ito's palette), shape of points and dash of lines.
 *  3. Marks have their figures as <title>; the drawing has role="img" and an aria-label.
 *  4. Names are cut with ".." where there is no room; their whole is in a <title>.
 */
#ifndef ORRERY_REPORT_CHART_SVG_H
#define ORRERY_REPORT_CHART_SVG_H

#include <stdio.h>

#include "report/chart.h"

struct chart_svg_options {
    double width_mm;   /* 0: 160 */
    double height_mm;  /* of each chart; 0: as its kind needs */
    double font_pt;    /* 0: 8.5 */
    const char *title; /* above all, or NULL */
    bool is_adaptive;  /* dark on a dark page (prefers-color-scheme) */
};

void chart_svg(const struct chart *const *chart, uint32_t count,
               const struct chart_svg_options *options, FILE *out);

#endif
