/* Charts of areas: heat maps, histograms, spans over time. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/chart_svg_parts.h"
#include "report/svg_text.h"

/* -- heat -------------------------------------------------------------------------------------- */

/* From pale to dark of one hue, told apart by lightness alone. */
static void heat_colour(char *to, size_t size, double share)
{
    static const int stops[][3] = {
        {241, 246, 251}, {185, 212, 234}, {106, 174, 214}, {43, 123, 186}, {11, 61, 115}};
    enum { LAST = sizeof stops / sizeof *stops - 1 };
    double at = share * LAST;
    int i = (int)at < LAST ? (int)at : LAST - 1, rgb[3];
    for (int c = 0; c < 3; c++)
        rgb[c] = (int)lround(stops[i][c] + (at - i) * (stops[i + 1][c] - stops[i][c]));
    snprintf(to, size, "#%02x%02x%02x", (unsigned)rgb[0] & 255, (unsigned)rgb[1] & 255,
             (unsigned)rgb[2] & 255);
}

static void cell_ends(const struct chart *chart, double ends[2])
{
    ends[0] = INFINITY;
    ends[1] = -INFINITY;
    for (size_t i = 0; i < (size_t)chart->x.names * chart->y.names; i++) {
        if (isnan(chart->cell[i]))
            continue;
        ends[0] = fmin(ends[0], chart->cell[i]);
        ends[1] = fmax(ends[1], chart->cell[i]);
    }
}

static void measure_heat(struct svg_panel *panel)
{
    const struct chart *chart = panel->chart;
    panel->left = svg_names_left(panel, &chart->y);
    panel->right = panel->width;
    panel->upper += 1.2 * panel->font;
    double below = svg_names_room(panel, &chart->x, panel->right - panel->left);
    panel->bottom = panel->upper + 2.2 * panel->font * chart->y.names;
    if (panel->asked_height > 0)
        panel->bottom = fmax(panel->top + panel->asked_height - below, panel->upper + panel->font);
    panel->height = panel->bottom + below;
}

static void draw_cell(const struct svg_panel *panel, const struct chart_scale *scale, uint32_t row,
                      uint32_t column)
{
    const struct chart *chart = panel->chart;
    double value = chart->cell[(size_t)row * chart->x.names + column];
    double width = (panel->right - panel->left) / chart->x.names;
    double height = (panel->bottom - panel->upper) / chart->y.names;
    double x = panel->left + column * width, y = panel->upper + row * height;
    char text[64], colour[16];
    fprintf(panel->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", x + 0.5,
            y + 0.5, width - 1, height - 1);
    if (isnan(value)) {
        fputs(" class=\"none\"/>\n", panel->out);
        return;
    }
    double share =
        scale->high > scale->low ? (value - scale->low) / (scale->high - scale->low) : 0.5;
    heat_colour(colour, sizeof colour, share);
    fprintf(panel->out, " fill=\"%s\"><title>", colour);
    svg_text(panel->out, chart->y.name[row]);
    fputs(", ", panel->out);
    svg_text(panel->out, chart->x.name[column]);
    fprintf(panel->out, ": %s</title></rect>\n", svg_figure(text, sizeof text, scale, value));
    chart_figure(text, sizeof text, value * scale->factor);
    if (svg_text_width(panel, strlen(text)) < width && height > panel->font)
        fprintf(panel->out,
                "<text class=\"middle\" x=\"%.1f\" y=\"%.1f\" style=\"fill: %s\">%s</text>\n",
                x + width / 2, y + height / 2 + 0.35 * panel->font,
                share > 0.55 ? "#fff" : "#14171c", text);
}

static void draw_heat_cells(struct svg_panel *panel)
{
    const struct chart *chart = panel->chart;
    double ends[2];
    struct chart_scale scale = {0};
    cell_ends(chart, ends);
    scale.low = ends[0];
    scale.high = ends[1];
    scale.factor = chart_unit(scale.unit, chart->value_unit, fmax(fabs(ends[0]), fabs(ends[1])));
    double height = (panel->bottom - panel->upper) / (chart->y.names ? chart->y.names : 1);
    char label[160];
    snprintf(label, sizeof label,
             *scale.unit ? "%.80s down; %.40s (%s), dark is high"
                         : "%.80s down; %.40s, dark is high",
             chart->y.label, chart->value_label, scale.unit);
    fprintf(panel->out, "<text class=\"soft\" x=\"0\" y=\"%.1f\">",
            panel->upper - 0.7 * panel->font);
    svg_text(panel->out, label);
    fputs("</text>\n", panel->out);
    for (uint32_t i = 0; i < chart->y.names; i++) {
        svg_words(panel,
                  &(struct svg_words){panel->left - 0.5 * panel->font,
                                      panel->upper + (i + 0.5) * height + 0.35 * panel->font,
                                      panel->left - 0.6 * panel->font, "end", NULL},
                  chart->y.name[i]);
        for (uint32_t k = 0; k < chart->x.names; k++)
            draw_cell(panel, &scale, i, k);
    }
    svg_names_below(panel, &chart->x);
}

const struct svg_kind svg_heat = {measure_heat, draw_heat_cells, false, false};

/* -- histogram --------------------------------------------------------------------------------- */

enum { BINS = 40 };

/* Counts figures in bins between the ticks' ends. Returns how many bins there are. */
static uint32_t count_bins(const struct svg_panel *panel, uint32_t *bin)
{
    const struct chart_series *series = &panel->chart->series[0];
    uint32_t bins = (uint32_t)fmax(8, fmin(BINS, sqrt(series->count)));
    memset(bin, 0, BINS * sizeof *bin);
    for (uint32_t i = 0; i < series->count; i++) {
        double share = (series->y[i] - panel->x.low) / (panel->x.high - panel->x.low);
        if (share >= 0)
            bin[(uint32_t)fmin(share * bins, bins - 1)]++;
    }
    return bins;
}

static void measure_histogram(struct svg_panel *panel)
{
    const struct chart *chart = panel->chart;
    double x[2] = {INFINITY, -INFINITY}, y[2] = {0, 1};
    for (uint32_t i = 0; i < chart->series[0].count; i++) {
        if (isnan(chart->series[0].y[i]))
            continue;
        x[0] = fmin(x[0], chart->series[0].y[i]);
        x[1] = fmax(x[1], chart->series[0].y[i]);
    }
    panel->upper += 1.2 * panel->font;
    panel->left = 4 * panel->font;
    panel->right = panel->width - panel->font;
    double below = 3.2 * panel->font, plot = 0.4 * panel->width;
    panel->bottom = panel->upper + plot;
    if (panel->asked_height > 0)
        panel->bottom = fmax(panel->top + panel->asked_height - below, panel->upper + panel->font);
    panel->height = panel->bottom + below;
    chart_scale_init(&panel->x, &chart->x, x, (double[]){panel->left, panel->right});
    uint32_t bin[BINS], bins = count_bins(panel, bin);
    for (uint32_t i = 0; i < bins; i++)
        y[1] = fmax(y[1], bin[i]);
    struct chart_axis counts = {.label = chart->y.label, .unit = "", .from_zero = true};
    chart_scale_init(&panel->y, &counts, y, (double[]){panel->bottom, panel->upper});
}

static void draw_histogram(struct svg_panel *panel)
{
    uint32_t bin[BINS], bins = count_bins(panel, bin);
    double width = (panel->right - panel->left) / bins;
    svg_axis_left(panel, &panel->y, &panel->chart->y);
    svg_axis_below(panel, &panel->x, &panel->chart->x);
    for (uint32_t i = 0; i < bins; i++) {
        double top = chart_place(&panel->y, bin[i]);
        if (bin[i])
            fprintf(panel->out,
                    "<rect class=\"f0\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\">"
                    "<title>%" PRIu32 "</title></rect>\n",
                    panel->left + i * width + 0.4, top, width - 0.8, panel->bottom - top, bin[i]);
    }
}

const struct svg_kind svg_histogram = {measure_histogram, draw_histogram, false, false};

/* -- spans over time --------------------------------------------------------------------------- */

static void measure_gantt(struct svg_panel *panel)
{
    const struct chart *chart = panel->chart;
    double x[2] = {INFINITY, -INFINITY};
    for (uint32_t k = 0; k < chart->series_count; k++) {
        for (uint32_t i = 0; i < chart->series[k].count; i++) {
            x[0] = fmin(x[0], chart->series[k].x[i]);
            x[1] = fmax(x[1], chart->series[k].y[i]);
        }
    }
    panel->left = svg_names_left(panel, &chart->y);
    panel->right = panel->width - panel->font;
    panel->upper -= panel->font;
    panel->bottom = panel->upper + 1.5 * panel->font * chart->y.names;
    if (panel->asked_height > 0)
        panel->bottom =
            fmax(panel->top + panel->asked_height - 3.2 * panel->font, panel->upper + panel->font);
    panel->height = panel->bottom + 3.2 * panel->font;
    chart_scale_init(&panel->x, &chart->x, x, (double[]){panel->left, panel->right});
}

static void draw_gantt(struct svg_panel *panel)
{
    const struct chart *chart = panel->chart;
    double each = (panel->bottom - panel->upper) / (chart->y.names ? chart->y.names : 1);
    for (uint32_t i = 0; i < chart->y.names; i++)
        svg_words(panel,
                  &(struct svg_words){panel->left - 0.5 * panel->font,
                                      panel->upper + (i + 0.5) * each + 0.35 * panel->font,
                                      panel->left - 0.6 * panel->font, "end", NULL},
                  chart->y.name[i]);
    for (uint32_t k = 0; k < chart->series_count; k++) {
        const struct chart_series *series = &chart->series[k];
        fprintf(panel->out, "<path class=\"f%d\" d=\"", series->colour % SVG_COLOURS);
        for (uint32_t i = 0; i < series->count; i++) {
            double from = chart_place(&panel->x, series->x[i]);
            double to = fmax(chart_place(&panel->x, series->y[i]), from + 0.15);
            double y = panel->upper + series->row[i] * each + 0.1 * each;
            fprintf(panel->out, "M%.2f %.2fH%.2fv%.2fH%.2fz", from, y, to, 0.8 * each, from);
        }
        fputs("\"><title>", panel->out);
        svg_text(panel->out, series->name);
        fputs("</title></path>\n", panel->out);
    }
    svg_axis_below(panel, &panel->x, &chart->x);
}

const struct svg_kind svg_gantt = {measure_gantt, draw_gantt, true, false};
