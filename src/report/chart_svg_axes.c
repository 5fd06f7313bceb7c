/* Axes of drawn charts. */
#include <math.h>
#include <string.h>

#include "report/chart_svg_parts.h"
#include "report/svg_text.h"

static void put_label(const struct svg_panel *panel, const struct chart_axis *axis,
                      const struct chart_scale *scale)
{
    svg_text(panel->out, axis->label);
    if (scale && *scale->unit)
        fprintf(panel->out, " (%s)", scale->unit);
    fputs("</text>\n", panel->out);
}

/* The label below: in the middle, under ticks that take `room`. */
static void label_below(const struct svg_panel *panel, const struct chart_axis *axis,
                        const struct chart_scale *scale, double room)
{
    fprintf(panel->out, "<text class=\"middle\" x=\"%.1f\" y=\"%.1f\">",
            (panel->left + panel->right) / 2, panel->bottom + room + 1.2 * panel->font);
    put_label(panel, axis, scale);
}

void svg_axis_below(const struct svg_panel *panel, const struct chart_scale *scale,
                    const struct chart_axis *axis)
{
    fprintf(panel->out, "<line class=\"rule\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
            panel->left, panel->right, panel->bottom, panel->bottom);
    for (uint32_t i = 0; i < scale->ticks; i++) {
        char text[40];
        svg_words(panel,
                  &(struct svg_words){chart_place(scale, scale->tick[i]),
                                      panel->bottom + 1.35 * panel->font, 0, "soft middle", NULL},
                  chart_tick(scale, text, sizeof text, i));
    }
    label_below(panel, axis, scale, 1.6 * panel->font);
}

void svg_axis_left(const struct svg_panel *panel, const struct chart_scale *scale,
                   const struct chart_axis *axis)
{
    for (uint32_t i = 0; i < scale->ticks; i++) {
        char text[40];
        double y = chart_place(scale, scale->tick[i]);
        fprintf(panel->out,
                "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
                panel->left, panel->right, y, y);
        svg_words(panel,
                  &(struct svg_words){panel->left - 0.5 * panel->font, y + 0.35 * panel->font, 0,
                                      "soft end", NULL},
                  chart_tick(scale, text, sizeof text, i));
    }
    fprintf(panel->out, "<text x=\"0\" y=\"%.1f\">", panel->upper - 0.9 * panel->font);
    put_label(panel, axis, scale);
}

/* -- names ------------------------------------------------------------------------------------- */

enum { CUT_BELOW = 24 };

static size_t longest(const struct chart_axis *axis)
{
    size_t most = 0;
    for (uint32_t i = 0; i < axis->names; i++) {
        size_t length = strlen(axis->name[i]);
        most = length > most ? length : most;
    }
    return most;
}

static bool is_turned(const struct svg_panel *panel, const struct chart_axis *axis, double width)
{
    return svg_text_width(panel, longest(axis) + 1) > width / (axis->names ? axis->names : 1);
}

double svg_names_room(const struct svg_panel *panel, const struct chart_axis *axis, double width)
{
    size_t most = longest(axis) < CUT_BELOW ? longest(axis) : CUT_BELOW;
    double names = is_turned(panel, axis, width) ? 0.65 * svg_text_width(panel, most) : panel->font;
    return names + 2.3 * panel->font;
}

void svg_names_below(const struct svg_panel *panel, const struct chart_axis *axis)
{
    double width = panel->right - panel->left, each = width / (axis->names ? axis->names : 1);
    bool turned = is_turned(panel, axis, width);
    for (uint32_t i = 0; i < axis->names; i++) {
        double x = panel->left + (i + 0.5) * each, y = panel->bottom + 1.3 * panel->font;
        char turn[80];
        snprintf(turn, sizeof turn, " transform=\"rotate(-40 %.1f %.1f)\"", x, y);
        svg_words(panel,
                  &(struct svg_words){x, y, turned ? svg_text_width(panel, CUT_BELOW) : 0,
                                      turned ? "soft end" : "soft middle", turned ? turn : NULL},
                  axis->name[i]);
    }
    label_below(panel, axis, NULL, svg_names_room(panel, axis, width) - 1.4 * panel->font);
}

double svg_names_left(const struct svg_panel *panel, const struct chart_axis *axis)
{
    double need = svg_text_width(panel, longest(axis)) + panel->font;
    return fmin(need, 0.4 * panel->width);
}
