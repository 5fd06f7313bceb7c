/*
 * chart_scale - an axis of a drawn chart: from figures to places, with ticks where people expect
 * them.
 *
 * Rules:
 *  1. A linear axis begins and ends on ticks, which are 1, 2 or 5 times a power of ten apart; with
 *     from_zero 0 is on it. A logarithmic one leaves a fifth of room at both ends; its ticks are
 *     powers of ten, with 2 and 5 times them if it spans less than three.
 *  2. The prefix of the unit is that of the largest figure: 1234567 ps is 1.234567 us.
 *  3. A logarithmic axis with figures of 0 or less is linear.
 */
#ifndef ORRERY_REPORT_CHART_SCALE_H
#define ORRERY_REPORT_CHART_SCALE_H

#include <stddef.h>

#include "report/chart.h"

enum { CHART_TICKS = 24, CHART_UNIT = 24 };

struct chart_scale {
    bool is_log;
    double low, high; /* in the axis' unit */
    double from, to;  /* places */
    double factor;    /* shown = figure x factor */
    char unit[CHART_UNIT];
    double tick[CHART_TICKS]; /* in the axis' unit */
    uint32_t ticks;
};

/* How figures of up to `most` of a unit are shown: the factor, and the unit with its prefix. */
double chart_unit(char *to, const char *unit, double most);

/* Over figures from `low` to `high` (0 and 1 if there are none), drawn from `from` to `to`. */
void chart_scale_init(struct chart_scale *scale, const struct chart_axis *axis,
                      const double ends[2], const double places[2]);

/* Only the ticks of `value`, ascending, if they are few enough; else no change. */
void chart_scale_ticks_at(struct chart_scale *scale, const double *value, uint32_t count);

double chart_place(const struct chart_scale *scale, double value);

/* "12.5": as shown. */
const char *chart_figure(char *to, size_t size, double shown);

/* The same of tick `i`, with as many digits as tell it from the tick beside it: 334.95, not 335. */
const char *chart_tick(const struct chart_scale *scale, char *to, size_t size, uint32_t i);

#endif
