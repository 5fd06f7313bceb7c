/* The plot of `orrery scale`: two panels over the logarithm of the number of devices; a time that
 * falls to less than a twentieth has a logarithmic axis too, where perfect scaling is a straight
 * line. */
#include "report/scale_report.h"

#include <inttypes.h>
#include <math.h>

#include "report/svg_text.h"

enum { WIDTH = 720, PANEL = 220, LEFT = 84, RIGHT = 24, TOP = 52, GAP = 76 };

struct panel {
    const char *title, *axis, *unit;
    double top;   /* y of its upper edge */
    double most;  /* value there */
    double least; /* value at the lower edge; above 0 the axis is logarithmic */
    double (*value)(const struct scale_table *table, uint32_t index);
};

static double step_s(const struct scale_table *table, uint32_t index)
{
    return (double)table->row[index].end_ps / 1e12;
}

static double efficiency_percent(const struct scale_table *table, uint32_t index)
{
    return 100 * scale_efficiency(table, index);
}

static bool has_run(const struct scale_table *table, uint32_t index)
{
    return table->row[index].status == STATUS_OK;
}

static double x_of(const struct scale_table *table, uint32_t index)
{
    double low = log2(table->row[0].devices), high = log2(table->row[table->count - 1].devices);
    double at = log2(table->row[index].devices);
    return LEFT + (high > low ? (at - low) / (high - low) : 0.5) * (WIDTH - LEFT - RIGHT);
}

static double y_of(const struct panel *panel, double value)
{
    if (panel->least > 0)
        return panel->top + PANEL * log(panel->most / value) / log(panel->most / panel->least);
    return panel->top + PANEL * (1 - value / panel->most);
}

/* 1, 2 or 5 times a power of ten, so that four to eight lines are drawn. */
static double grid_step(double most)
{
    double power = pow(10, floor(log10(most / 4)));
    return most / 4 >= 5 * power ? 5 * power : most / 4 >= 2 * power ? 2 * power : power;
}

static void put_level(const struct panel *panel, double value, FILE *out)
{
    double y = y_of(panel, value);
    fprintf(out,
            "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
            "<text class=\"y\" x=\"%d\" y=\"%.1f\">%.4g</text>\n",
            LEFT, WIDTH - RIGHT, y, y, LEFT - 8, y + 4, value);
}

static void put_grid(const struct scale_table *table, const struct panel *panel, FILE *out)
{
    double step = grid_step(panel->most);
    if (panel->least > 0) {
        for (double value = panel->least; value <= panel->most * 1.0001; value *= 10)
            put_level(panel, value, out);
    } else {
        for (int i = 0; i * step <= panel->most * 1.0001; i++)
            put_level(panel, i * step, out);
    }
    for (uint32_t i = 0; i < table->count; i++)
        fprintf(out, "<text class=\"x\" x=\"%.1f\" y=\"%.1f\">%" PRIu32 "</text>\n", x_of(table, i),
                panel->top + PANEL + 16, table->row[i].devices);
}

static void put_panel(const struct scale_table *table, const struct panel *panel, FILE *out)
{
    double middle = panel->top + PANEL / 2.0;
    fprintf(out, "<text class=\"head\" x=\"%d\" y=\"%.1f\">%s</text>\n", LEFT, panel->top - 10,
            panel->title);
    fprintf(
        out,
        "<text class=\"x\" x=\"20\" y=\"%.1f\" transform=\"rotate(-90 20 %.1f)\">%s (%s)</text>\n"
        "<text class=\"x\" x=\"%.1f\" y=\"%.1f\">devices</text>\n",
        middle, middle, panel->axis, panel->unit, LEFT + (WIDTH - LEFT - RIGHT) / 2.0,
        panel->top + PANEL + 36);
    put_grid(table, panel, out);
    fputs("<polyline class=\"curve\" points=\"", out);
    for (uint32_t i = 0; i < table->count; i++) {
        if (has_run(table, i))
            fprintf(out, "%.1f,%.1f ", x_of(table, i), y_of(panel, panel->value(table, i)));
    }
    fputs("\"/>\n", out);
    for (uint32_t i = 0; i < table->count; i++) {
        if (has_run(table, i))
            fprintf(out,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>%" PRIu32
                    " devices: %.4g %s</title></circle>\n",
                    x_of(table, i), y_of(panel, panel->value(table, i)), table->row[i].devices,
                    panel->value(table, i), panel->unit);
    }
}

/* Sets the ends of the axis. A logarithmic one is of whole decades. */
static void fit_axis(const struct scale_table *table, struct panel *panel)
{
    double most = 0, least = INFINITY;
    for (uint32_t i = 0; i < table->count; i++) {
        if (!has_run(table, i))
            continue;
        most = fmax(most, panel->value(table, i));
        least = fmin(least, panel->value(table, i));
    }
    panel->most = most > 0 ? 1.1 * most : 1;
    panel->least = 0;
    if (panel->value == step_s && least > 0 && most > 20 * least) {
        panel->least = pow(10, floor(log10(least)));
        panel->most = pow(10, ceil(log10(most)));
    }
}

void scale_plot(const struct scale_table *table, FILE *out)
{
    struct panel panels[] = {{"time of a training step", "time", "s", TOP + 24, 1, 0, step_s},
                             {"throughput per device, of the first row's", "efficiency", "%",
                              TOP + 24 + PANEL + GAP, 1, 0, efficiency_percent}};
    int height = TOP + 24 + 2 * PANEL + GAP + 52;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" role=\"img\" aria-label=\"",
            WIDTH, height, WIDTH, height);
    svg_text(out, table->model);
    fputs(": time of a step and efficiency over devices\">\n", out);
    fputs("<style>\n  text { font: 12px system-ui, sans-serif; fill: #222 }\n"
          "  .title { font-size: 15px; font-weight: 600 } .head { font-weight: 600 }\n"
          "  .page { fill: #fff } .grid { stroke: #d5d8dd } .y { text-anchor: end }\n"
          "  .x { text-anchor: middle } .curve { stroke: #2f6fab; fill: none; stroke-width: 2 }\n"
          "  circle { fill: #2f6fab }\n  @media (prefers-color-scheme: dark) {\n"
          "    text { fill: #e4e6ea } .page { fill: #16181d } .grid { stroke: #3a3f48 }\n"
          "    .curve { stroke: #4b8fd0 } circle { fill: #4b8fd0 }\n  }\n</style>\n",
          out);
    fprintf(out,
            "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n"
            "<text class=\"title\" x=\"%d\" y=\"30\">",
            WIDTH, height, LEFT);
    svg_text(out, table->model);
    fputs(" on ", out);
    svg_text(out, table->cluster);
    fprintf(out, ", %s</text>\n", table->is_strong ? "the same batch" : "batch grows with devices");
    for (size_t p = 0; p < sizeof panels / sizeof *panels; p++) {
        fit_axis(table, &panels[p]);
        put_panel(table, &panels[p], out);
    }
    fputs("</svg>\n", out);
}
