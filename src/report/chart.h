/*
 * chart - a chart as data: what is shown over what, in which unit. Drawn as SVG (chart_svg.h) or, as
 * JSON (chart_json()), by the page in which it stands (src/page/web/chart_kinds.js).
 *
 * Rules:
 *  1. Figures are in the unit of their axis ("ps", "s", "B", "B/s", "flop/s", "", ..): who draws
 *     chooses a prefix. Not-a-number is no figure.
 *  2. Everything is of chart->arena but names and texts that a caller sets: those are borrowed.
 *  3. What is left out, `note` says.
 */
#ifndef ORRERY_REPORT_CHART_H
#define ORRERY_REPORT_CHART_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "report/json_writer.h"

enum chart_kind {
    CHART_BARS, /* a horizontal bar for each of y.name; series are its parts, from left to right */
    CHART_XY,   /* lines and points */
    CHART_HEAT, /* a cell for each of y.name (down) and x.name (across) */
    CHART_HISTOGRAM, /* of series[0].y */
    CHART_GANTT,     /* rows of y.name; spans of series k: from .x to .y on row .row */
};

enum { CHART_SERIES = 64 };

struct chart_axis {
    const char *label, *unit;
    bool is_log, from_zero;
    const char **name; /* [names] of an axis of names; NULL: of figures */
    uint32_t names;
};

struct chart_series {
    const char *name;
    uint32_t count;
    double *x;      /* of an axis of names: the number of the name */
    double *y;      /* bars: of name i */
    uint32_t *row;  /* CHART_GANTT */
    bool has_line;  /* else points alone, faint */
    uint8_t colour; /* of which series' colour it is */
};

struct chart {
    struct arena arena;
    enum chart_kind kind;
    const char *title, *note; /* note may be NULL */
    struct chart_axis x, y;
    bool is_step;                         /* CHART_XY: lines go across, then up */
    const char *value_label, *value_unit; /* CHART_HEAT */
    double *cell;                         /* [y.names x x.names] */
    struct chart_series series[CHART_SERIES];
    uint32_t series_count;
};

void chart_init(struct chart *chart, enum chart_kind kind, const char *title);
void chart_release(struct chart *chart);

/* A further series with room for `count` figures, all not-a-number. At most CHART_SERIES. */
struct chart_series *chart_add(struct chart *chart, const char *name, uint32_t count);

/* `format`, printed, in the chart's arena. */
const char *chart_text(struct chart *chart, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A block of "orrery.page/1" (src/page/README.md). Not of CHART_GANTT. */
void chart_json(const struct chart *chart, struct json_writer *json);

#endif
