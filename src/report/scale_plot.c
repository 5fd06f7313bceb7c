/* The plot of `orrery scale`: two charts over the logarithm of the number of devices; a time that
 * falls to less than a twentieth has a logarithmic axis too, where perfect scaling is a straight
 * line. */
#include <math.h>
#include <stdio.h>

#include "report/chart_svg.h"
#include "report/scale_report.h"

static double step_s(const struct scale_table *table, uint32_t index)
{
    return (double)table->row[index].end_ps / 1e12;
}

static double efficiency_percent(const struct scale_table *table, uint32_t index)
{
    return 100 * scale_efficiency(table, index);
}

/* Is the most more than 20 times the least? */
static bool is_steep(const struct chart_series *series)
{
    double most = 0, least = INFINITY;
    for (uint32_t i = 0; i < series->count; i++) {
        most = fmax(most, series->y[i]);
        least = fmin(least, series->y[i]);
    }
    return least > 0 && most > 20 * least;
}

static void fill(struct chart *chart, const struct scale_table *table,
                 double (*value)(const struct scale_table *table, uint32_t index))
{
    struct chart_series *series = chart_add(chart, chart->title, table->count);
    series->count = 0;
    series->has_line = true;
    chart->x = (struct chart_axis){.label = "devices", .unit = "", .is_log = true};
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->row[i].status != STATUS_OK)
            continue;
        series->x[series->count] = table->row[i].devices;
        series->y[series->count++] = value(table, i);
    }
}

void scale_plot(const struct scale_table *table, FILE *out)
{
    struct chart time, efficiency;
    const struct chart *const charts[] = {&time, &efficiency};
    char title[512];
    chart_init(&time, CHART_XY, "time of a training step");
    chart_init(&efficiency, CHART_XY, "throughput per device, of the first row's");
    fill(&time, table, step_s);
    fill(&efficiency, table, efficiency_percent);
    time.y = (struct chart_axis){
        .label = "time", .unit = "s", .from_zero = true, .is_log = is_steep(&time.series[0])};
    efficiency.y = (struct chart_axis){.label = "efficiency", .unit = "%", .from_zero = true};
    snprintf(title, sizeof title, "%.200s on %.200s, %s", table->model, table->cluster,
             table->is_strong ? "the same batch" : "batch grows with devices");
    chart_svg(charts, 2, &(struct chart_svg_options){.title = title, .is_adaptive = true}, out);
    chart_release(&time);
    chart_release(&efficiency);
}
