/*
 * chart_svg_parts - what the files of chart_svg share. Only chart_svg*.c includes it.
 */
#ifndef ORRERY_REPORT_CHART_SVG_PARTS_H
#define ORRERY_REPORT_CHART_SVG_PARTS_H

#include "report/chart_scale.h"
#include "report/chart_svg.h"

enum { SVG_COLOURS = 8 };

/* A chart being drawn; lengths are px of 1/96 inch. */
struct svg_panel {
    const struct chart *chart;
    FILE *out;
    double width, font;
    double top;                        /* of the panel */
    double left, right, upper, bottom; /* of the plot in it */
    double height;                     /* of the panel, with axes and legend */
    double asked_height;               /* 0: as the kind needs */
    struct chart_scale x, y;
};

/* About how wide a text of so many characters is. */
static inline double svg_text_width(const struct svg_panel *panel, size_t characters)
{
    return 0.58 * panel->font * (double)characters;
}

/* A text at a place, of class `class` ("end", "middle", "soft", "head"), cut to `room` px (0: not);
 * text after its element is `more` ("" or a transform attribute). */
struct svg_words {
    double x, y, room;
    const char *class, *more;
};
void svg_words(const struct svg_panel *panel, const struct svg_words *words, const char *text);

/* "1.25 ms" of a figure of an axis. */
const char *svg_figure(char *to, size_t size, const struct chart_scale *scale, double value);

/* A point of series number `colour`. */
void svg_mark(const struct svg_panel *panel, double x, double y, uint32_t colour, double size);

/* The kinds: sets the panel's height, or draws into it. */
struct svg_kind {
    void (*measure)(struct svg_panel *panel);
    void (*draw)(struct svg_panel *panel);
    bool has_legend, has_marks;
};

extern const struct svg_kind svg_bars, svg_xy, svg_heat, svg_histogram, svg_gantt;

/* Axes: ticks with figures and labels below and to the left of the plot. */
void svg_axis_below(const struct svg_panel *panel, const struct chart_scale *scale,
                    const struct chart_axis *axis);
void svg_axis_left(const struct svg_panel *panel, const struct chart_scale *scale,
                   const struct chart_axis *axis);

/* Names below the plot, turned if they have no room; how much room they need; how wide one is. */
void svg_names_below(const struct svg_panel *panel, const struct chart_axis *axis);
double svg_names_room(const struct svg_panel *panel, const struct chart_axis *axis, double width);

/* Room for names on the left: at most two fifths of the width. */
double svg_names_left(const struct svg_panel *panel, const struct chart_axis *axis);

#endif
