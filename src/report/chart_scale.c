#include "report/chart_scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* -- units ------------------------------------------------------------------------------------- */

struct time_unit {
    const char *name;
    double s;
};

/* "µ" in UTF-8. */
static const struct time_unit times[] = {
    {"ps", 1e-12}, {"ns", 1e-9}, {"\302\265s", 1e-6}, {"ms", 1e-3}, {"s", 1}};
static const char *const prefixed[] = {"B", "B/s", "flop", "flop/s", "J", "bytes", "bytes/s"};

enum { TIMES = sizeof times / sizeof *times, PREFIXED = sizeof prefixed / sizeof *prefixed };

static double time_unit(char *to, double unit_s, double most)
{
    int step = 0;
    while (step + 1 < TIMES && most * unit_s >= times[step + 1].s)
        step++;
    snprintf(to, CHART_UNIT, "%s", times[step].name);
    return unit_s / times[step].s;
}

double chart_unit(char *to, const char *unit, double most)
{
    static const char prefix[] = " kMGTPE";
    snprintf(to, CHART_UNIT, "%s", unit);
    for (int i = 0; i < TIMES; i++) {
        if (strcmp(unit, times[i].name) == 0)
            return most > 0 ? time_unit(to, times[i].s, most) : 1;
    }
    for (int i = 0; i < PREFIXED; i++) {
        if (strcmp(unit, prefixed[i]) != 0)
            continue;
        double factor = 1;
        int step = 0;
        for (; prefix[step + 1] && most * factor >= 1000; step++)
            factor /= 1000;
        if (step)
            snprintf(to, CHART_UNIT, "%c%s", prefix[step], unit);
        return factor;
    }
    return 1;
}

const char *chart_figure(char *to, size_t size, double shown)
{
    double length = fabs(shown);
    if (length > 0 && (length < 1e-4 || length >= 1e7))
        snprintf(to, size, "%.3g", shown);
    else
        snprintf(to, size, "%.*f",
                 length >= 100 || shown == round(shown) ? 0
                 : length >= 1                          ? 2
                                                        : 4,
                 shown);
    if (strchr(to, '.') && !strchr(to, 'e')) { /* 0.2500 -> 0.25 */
        size_t end = strlen(to);
        while (to[end - 1] == '0')
            end--;
        to[to[end - 1] == '.' ? end - 1 : end] = '\0';
    }
    return to;
}

const char *chart_tick(const struct chart_scale *scale, char *to, size_t size, uint32_t i)
{
    double shown = scale->tick[i] * scale->factor;
    double step = scale->ticks < 2 ? 0 : fabs(scale->tick[1] - scale->tick[0]) * scale->factor;
    if (scale->is_log || !(step > 0 && step < 1) || fabs(shown) < 1 || fabs(shown) >= 1e7)
        return chart_figure(to, size, shown);
    snprintf(to, size, "%.*f", (int)fmin(12, ceil(-log10(step) - 1e-9)), shown);
    return to;
}

/* -- ticks ------------------------------------------------------------------------------------- */

/* 1, 2 or 5 times a power of ten, so that about five steps are drawn. */
static double tick_step(double span)
{
    double power = pow(10, floor(log10(span / 4)));
    return span / 4 >= 5 * power ? 5 * power : span / 4 >= 2 * power ? 2 * power : power;
}

static void linear_ticks(struct chart_scale *scale)
{
    double low = scale->low * scale->factor, high = scale->high * scale->factor;
    double step = tick_step(high - low);
    double first = floor(low / step + 1e-9), last = ceil(high / step - 1e-9);
    for (double i = first; i <= last && scale->ticks < CHART_TICKS; i++)
        scale->tick[scale->ticks++] = i * step / scale->factor;
    scale->low = first * step / scale->factor;
    scale->high = last * step / scale->factor;
}

static void log_ticks(struct chart_scale *scale)
{
    static const int parts[] = {1, 2, 5};
    double low = scale->low * scale->factor, high = scale->high * scale->factor;
    bool has_parts = log10(high / low) < 3;
    double skip = ceil(log10(high / low) / 10);
    for (double e = floor(log10(low)); e <= ceil(log10(high)); e += has_parts ? 1 : skip) {
        for (int i = 0; i < (has_parts ? 3 : 1); i++) {
            double value = parts[i] * pow(10, e);
            if (value >= low * 0.999 && value <= high * 1.001 && scale->ticks < CHART_TICKS)
                scale->tick[scale->ticks++] = value / scale->factor;
        }
    }
}

void chart_scale_init(struct chart_scale *scale, const struct chart_axis *axis,
                      const double ends[2], const double places[2])
{
    double low = ends[0], high = ends[1];
    *scale = (struct chart_scale){.from = places[0], .to = places[1]};
    if (!(low <= high))
        low = 0, high = 1;
    scale->factor = chart_unit(scale->unit, axis->unit, fmax(fabs(low), fabs(high)));
    scale->is_log = axis->is_log && low > 0;
    if (axis->from_zero && !scale->is_log) {
        low = fmin(low, 0);
        high = fmax(high, 0);
    }
    if (low == high && !scale->is_log) {
        double room = low != 0 ? fabs(low) / 2 : 1;
        low -= low != 0 ? room : 0;
        high += room;
    }
    scale->low = scale->is_log ? low / 1.2 : low;
    scale->high = scale->is_log ? high * 1.2 : high;
    if (scale->is_log)
        log_ticks(scale);
    else
        linear_ticks(scale);
}

void chart_scale_ticks_at(struct chart_scale *scale, const double *value, uint32_t count)
{
    enum { APART = 30 };
    if (!count || count > CHART_TICKS)
        return;
    for (uint32_t i = 1; i < count; i++) {
        if (fabs(chart_place(scale, value[i]) - chart_place(scale, value[i - 1])) < APART)
            return;
    }
    memcpy(scale->tick, value, count * sizeof *value);
    scale->ticks = count;
}

double chart_place(const struct chart_scale *scale, double value)
{
    double share = scale->is_log ? log(value / scale->low) / log(scale->high / scale->low)
                                 : (value - scale->low) / (scale->high - scale->low);
    return scale->from + share * (scale->to - scale->from);
}
