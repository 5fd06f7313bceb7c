#include <math.h>
#include <string.h>

#include "base/status.h"
#include "report/chart_svg_parts.h"
#include "report/svg_text.h"

static const struct svg_kind *const kinds[] = {
    [CHART_BARS] = &svg_bars,           [CHART_XY] = &svg_xy,       [CHART_HEAT] = &svg_heat,
    [CHART_HISTOGRAM] = &svg_histogram, [CHART_GANTT] = &svg_gantt,
};

/* Okabe and Ito's palette without black, its yellow darker for lines on white; grey. */
static const char *const light[SVG_COLOURS] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                               "#56b4e9", "#d55e00", "#8d8200", "#6b7280"};
static const char *const dark[SVG_COLOURS] = {"#3f9fe0", "#e8a915", "#1fb58a", "#d791b9",
                                              "#86cdf5", "#ec7a2c", "#d9cc3f", "#949dab"};
static const char *const dashes[SVG_COLOURS] = {"none", "7 3",  "2 3", "9 3 2 3",
                                                "4 2",  "12 3", "1 2", "6 2 1 2"};

/* -- style ------------------------------------------------------------------------------------- */

static void put_colours(const char *const *colour, FILE *out)
{
    for (int i = 0; i < SVG_COLOURS; i++)
        fprintf(out, "  .f%d { fill: %s } .l%d { stroke: %s }\n", i, colour[i], i, colour[i]);
}

static void put_style(const struct svg_panel *panel, bool is_adaptive)
{
    FILE *out = panel->out;
    fprintf(out,
            "<style>\n  text { font: %.2fpx system-ui, \"DejaVu Sans\", Helvetica, Arial, "
            "sans-serif; fill: #1c1f24 }\n"
            "  .title { font-size: %.2fpx; font-weight: 600 } .head { font-weight: 600 }\n"
            "  .soft { fill: #5a6270 } .end { text-anchor: end } .middle { text-anchor: middle }\n"
            "  .page { fill: #fff } .grid { stroke: #d9dde3; stroke-width: 0.7 }\n"
            "  .rule { stroke: #8a919c; stroke-width: 0.7 } .none { fill: #f0f1f3 }\n"
            "  .curve { fill: none; stroke-width: 1.6; stroke-linejoin: round }\n"
            "  .faint { fill-opacity: 0.3 } .white { fill: #fff }\n",
            panel->font, 1.25 * panel->font);
    put_colours(light, out);
    for (int i = 1; i < SVG_COLOURS; i++)
        fprintf(out, "  .l%d { stroke-dasharray: %s }\n", i, dashes[i]);
    if (is_adaptive) {
        fputs("  @media (prefers-color-scheme: dark) {\n  text { fill: #e6e9ee } .page { fill: "
              "#14171c } .soft { fill: #a2abb8 }\n  .grid { stroke: #30363f } .rule { stroke: "
              "#5d6672 } .none { fill: #1c2027 }\n",
              out);
        put_colours(dark, out);
        fputs("  }\n", out);
    }
    fputs("</style>\n", out);
}

/* -- text, marks ------------------------------------------------------------------------------- */

void svg_words(const struct svg_panel *panel, const struct svg_words *words, const char *text)
{
    FILE *out = panel->out;
    size_t length = strlen(text);
    size_t most = words->room > 0 ? (size_t)(words->room / svg_text_width(panel, 1)) : length;
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\"%s>", words->x, words->y, words->class,
            words->more ? words->more : "");
    if (length > most && most > 2 && length < 512) {
        char cut[512];
        snprintf(cut, sizeof cut, "%.*s..", (int)most - 2, text);
        fputs("<title>", out);
        svg_text(out, text);
        fputs("</title>", out);
        svg_text(out, cut);
    } else {
        svg_text(out, text);
    }
    fputs("</text>\n", out);
}

const char *svg_figure(char *to, size_t size, const struct chart_scale *scale, double value)
{
    char figure[40];
    chart_figure(figure, sizeof figure, value * scale->factor);
    snprintf(to, size, *scale->unit ? "%s %s" : "%s", figure, scale->unit);
    return to;
}

void svg_mark(const struct svg_panel *panel, double x, double y, uint32_t colour, double size)
{
    static const char *const shapes[SVG_COLOURS] = {
        NULL, /* a circle */
        "M-1-1h2v2h-2z",
        "M0-1.2L1.1 0.8H-1.1z",
        "M0-1.4L1.1 0L0 1.4L-1.1 0z",
        "M-.4-1.2h.8v.8h.8v.8h-.8v.8h-.8v-.8h-.8v-.8h.8z",
        "M0 1.2L1.1-.8H-1.1z",
        "M-1.3 0L0-.7L1.3 0L0 .7z",
        NULL,
    };
    const char *shape = shapes[colour % SVG_COLOURS];
    if (shape)
        fprintf(panel->out, "<path d=\"%s\" transform=\"translate(%.1f %.1f) scale(%.2f)\"", shape,
                x, y, size);
    else
        fprintf(panel->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.2f\"", x, y, size);
}

/* -- legend ------------------------------------------------------------------------------------ */

/* Where the next name of the legend stands; draws it if `is_drawn`. Returns the height of all. */
static double legend(const struct svg_panel *panel, bool is_drawn)
{
    const struct chart *chart = panel->chart;
    const struct svg_kind *kind = kinds[chart->kind];
    double x = 0, y = panel->top + panel->height - 0.4 * panel->font, line = 1.6 * panel->font;
    uint32_t lines = 1;
    if (!kind->has_legend || chart->series_count < 2)
        return 0;
    for (uint32_t pass = 0; pass < 2; pass++) { /* first how many lines, then where */
        double at = y - (lines - 1) * line;
        x = 0;
        for (uint32_t k = 0; k < chart->series_count; k++) {
            const struct chart_series *series = &chart->series[k];
            double need = svg_text_width(panel, strlen(series->name)) + 2.6 * panel->font;
            if (x > 0 && x + need > panel->width) {
                x = 0;
                at += line;
                lines += pass == 0;
            }
            if (pass == 1 && is_drawn) {
                uint32_t colour = series->colour % SVG_COLOURS;
                double size = 0.36 * panel->font;
                svg_mark(panel, x + size, at - size, kind->has_marks ? colour : 1, size);
                fprintf(panel->out, " class=\"f%u\"/>", colour);
                svg_words(panel,
                          &(struct svg_words){x + 1.1 * panel->font, at, panel->width, "", NULL},
                          series->name);
            }
            x += need;
        }
    }
    return lines * line + 0.3 * panel->font;
}

/* -- all --------------------------------------------------------------------------------------- */

static void put_panel(struct svg_panel *panel)
{
    const struct chart *chart = panel->chart;
    double line = panel->top + 1.1 * panel->font;
    svg_words(panel, &(struct svg_words){0, line, panel->width, "head", NULL}, chart->title);
    if (chart->note)
        svg_words(panel,
                  &(struct svg_words){0, line + 1.4 * panel->font, panel->width, "soft", NULL},
                  chart->note);
    kinds[chart->kind]->draw(panel);
    legend(panel, true);
}

/* The height of a panel: head, plot with axes (the kind knows), legend. */
static void measure(struct svg_panel *panel)
{
    panel->upper = panel->top + (panel->chart->note ? 3.9 : 2.5) * panel->font;
    kinds[panel->chart->kind]->measure(panel);
    double below = legend(panel, false);
    panel->height = panel->height - panel->top + below;
}

void chart_svg(const struct chart *const *chart, uint32_t count,
               const struct chart_svg_options *options, FILE *out)
{
    double width = (options->width_mm > 0 ? options->width_mm : 160) * 96 / 25.4;
    double font = (options->font_pt > 0 ? options->font_pt : 8.5) * 96 / 72, edge = 0.6 * font;
    struct svg_panel panel[8];
    promise(count > 0 && count <= sizeof panel / sizeof *panel);
    double top = options->title ? 2.2 * font : 0;
    for (uint32_t i = 0; i < count; i++) {
        panel[i] = (struct svg_panel){.chart = chart[i],
                                      .out = out,
                                      .width = width - 2 * edge,
                                      .font = font,
                                      .top = top,
                                      .asked_height = options->height_mm * 96 / 25.4};
        measure(&panel[i]);
        top += panel[i].height + (i + 1 < count ? font : 0);
    }
    double height = top + 2 * edge;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%.2f %.2f %.2f %.2f\" "
            "width=\"%.2fmm\" height=\"%.2fmm\" role=\"img\" aria-label=\"",
            -edge, -edge, width, height, width * 25.4 / 96, height * 25.4 / 96);
    svg_text(out, options->title ? options->title : chart[0]->title);
    fputs("\">\n", out);
    put_style(&panel[0], options->is_adaptive);
    fprintf(out, "<rect class=\"page\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
            -edge, -edge, width, height);
    if (options->title)
        svg_words(&panel[0], &(struct svg_words){0, 1.2 * font, width / 1.25, "title", NULL},
                  options->title);
    for (uint32_t i = 0; i < count; i++)
        put_panel(&panel[i]);
    fputs("</svg>\n", out);
}
