#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "report/draw_heat.h"
#include "report/draw_parts.h"
#include "report/links.h"
#include "report/svg_text.h"
#include "report/topology_words.h"

enum { TITLE_HEIGHT = 58, LEGEND_WIDTH = 130, HEAT_WIDTH = 330, LEGEND_LINE = 18, LABELLED = 140 };

static void put_style(FILE *out)
{
    fputs("<style>\n"
          "  text { font: 11px system-ui, sans-serif; fill: #222 }\n"
          "  .title { font-size: 15px; font-weight: 600 } .small { font-size: 10px }\n"
          "  .on { font-size: 9px; text-anchor: middle; fill: #fff }\n"
          "  .under { font-size: 9px; text-anchor: middle }\n"
          "  .page { fill: #fff } .line { stroke: #8a8f98; fill: none }\n"
          "  .idle { stroke: #b9bdc4; fill: none }\n"
          "  .npu { fill: #2f6fab } .switch { fill: #5d6470 } .nic { fill: #2b8a6e }\n"
          "  .host { fill: #8a5fb0 } .box { stroke: #fff; stroke-width: 1 }\n"
          "  @media (prefers-color-scheme: dark) {\n"
          "    text { fill: #e4e6ea } .page { fill: #16181d } .line { stroke: #767c87 }\n"
          "    .idle { stroke: #4a4f59 } .npu { fill: #4b8fd0 } .switch { fill: #868d9a }\n"
          "    .nic { fill: #3aa888 } .host { fill: #a57bd0 } .box { stroke: #16181d }\n"
          "    .on { fill: #fff }\n"
          "  }\n"
          "</style>\n",
          out);
}

/* -- lines ---------------------------------------------------------------------------------- */

struct end {
    double x, y;
};

static void put_link_words(const struct drawing *drawing, uint32_t l, FILE *out)
{
    const struct fabric *fabric = drawing->fabric;
    const struct fabric_link *link = &fabric->link[l];
    char rate[32];
    svg_text(out, fabric->node[link->src].name);
    fputs(" -&gt; ", out);
    svg_text(out, fabric->node[link->dst].name);
    fprintf(out, ": %s, %g ns",
            link->bandwidth_Bps > 0 ? units_show_rate(rate, sizeof rate, link->bandwidth_Bps)
                                    : "failed",
            link->latency_ns);
    if (drawing->heat)
        fprintf(out, ", %.1f %% busy", 100 * drawing->heat[l]);
    fputc('\n', out);
}

static void put_line_title(const struct drawing *drawing, const struct draw_line *line, FILE *out)
{
    fputs("<title>", out);
    for (int i = 0; i < 2; i++) {
        if (line->link[i] != FABRIC_NONE)
            put_link_words(drawing, line->link[i], out);
    }
    fprintf(out, "%" PRIu32 " cable%s</title>", line->cables, line->cables == 1 ? "" : "s");
}

/* The class and colour of a link: grey without figures; by its heat with them. */
static void put_stroke(const struct drawing *drawing, const struct draw_line *line, uint32_t l,
                       FILE *out)
{
    bool failed = l != FABRIC_NONE && drawing->fabric->link[l].bandwidth_Bps <= 0;
    if (failed) {
        fputs("class=\"line\" stroke-dasharray=\"3 4\" stroke-width=\"1\"", out);
    } else if (drawing->heat && l != FABRIC_NONE && drawing->heat[l] > 0) {
        char colour[8];
        fprintf(out, "fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\"",
                draw_heat_colour(colour, drawing->heat[l]), 1.4 + 2.2 * drawing->heat[l]);
    } else {
        double width = drawing->heat ? 1 : 1 + 0.7 * log2(line->cables ? line->cables : 1);
        fprintf(out, "class=\"%s\" stroke-width=\"%.1f\"", drawing->heat ? "idle" : "line",
                width > 5 ? 5 : width);
    }
}

/* From a to b, `aside` px to the left of the way, bent by `bend`. */
static void put_curve(struct end a, struct end b, double aside, double bend, FILE *out)
{
    double dx = b.x - a.x, dy = b.y - a.y, length = sqrt(dx * dx + dy * dy) + 1e-9;
    double nx = -dy / length, ny = dx / length;
    a = (struct end){a.x + nx * aside, a.y + ny * aside};
    b = (struct end){b.x + nx * aside, b.y + ny * aside};
    if (bend == 0) {
        fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" ", a.x, a.y, b.x, b.y);
        return;
    }
    fprintf(out, "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" ", a.x, a.y,
            (a.x + b.x) / 2 + nx * 2 * bend, (a.y + b.y) / 2 + ny * 2 * bend, b.x, b.y);
}

/* The ends of a wrap-around leave the grid on both sides. */
static void put_stub(struct end a, struct end b, double aside, double reach, FILE *out)
{
    double dx = b.x - a.x, dy = b.y - a.y, length = sqrt(dx * dx + dy * dy) + 1e-9;
    double ux = dx / length, uy = dy / length, nx = -uy * aside, ny = ux * aside;
    fprintf(out, "<path d=\"M%.1f %.1fl%.1f %.1fM%.1f %.1fl%.1f %.1f\" ", a.x + nx, a.y + ny,
            -ux * reach, -uy * reach, b.x + nx, b.y + ny, ux * reach, uy * reach);
}

/* With figures each direction has its own side; without, one line stands for both. */
static void put_line(const struct drawing *drawing, const struct draw_line *line, FILE *out)
{
    const struct draw_box *a = &drawing->box[line->a], *b = &drawing->box[line->b];
    struct end ends[2] = {{a->x, a->y}, {b->x, b->y}};
    fputs("<g>", out);
    put_line_title(drawing, line, out);
    for (int i = 0; i < 2; i++) {
        bool single =
            !drawing->heat || line->link[0] == FABRIC_NONE || line->link[1] == FABRIC_NONE;
        if (line->link[i] == FABRIC_NONE || (i == 1 && single && line->link[0] != FABRIC_NONE))
            continue;
        double aside = single ? 0 : 2;
        double bend = i == 0 ? line->bend : -line->bend;
        if (line->stub)
            put_stub(ends[i], ends[!i], aside, drawing->radius * 2, out);
        else
            put_curve(ends[i], ends[!i], aside, bend, out);
        put_stroke(drawing, line, line->link[i], out);
        fputs("/>", out);
    }
    fputs("</g>\n", out);
}

/* -- boxes ----------------------------------------------------------------------------------- */

static void put_shape(const struct draw_box *box, double r, FILE *out)
{
    const char *role = topology_role_name(box->role);
    double wide = box->members > 1 ? 5.4 * (double)strlen(box->label) + 10 : 0;
    wide = wide < 4.4 * r ? 4.4 * r : wide;
    if (box->members > 1)
        fprintf(out,
                "<rect class=\"%s box\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                "rx=\"4\"/>",
                role, box->x - wide / 2, box->y - r, wide, 2 * r);
    else if (box->role == ROLE_NPU)
        fprintf(out, "<circle class=\"npu box\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", box->x,
                box->y, r);
    else if (box->role == ROLE_NIC)
        fprintf(out, "<path class=\"nic box\" d=\"M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz\"/>",
                box->x, box->y - r, r, r, -r, r, -r, -r);
    else
        fprintf(out,
                "<rect class=\"%s box\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                "rx=\"2\"/>",
                role, box->x - r, box->y - 0.8 * r, 2 * r, 1.6 * r);
}

/* "12" of "npu12", on the box; other names stand below it. */
static void put_label(const struct draw_box *box, double r, FILE *out)
{
    bool is_rank = box->members == 1 && strncmp(box->label, "npu", 3) == 0;
    const char *text = is_rank ? box->label + 3 : box->label;
    bool inside = is_rank || (box->members > 1 && strlen(text) < 13);
    fprintf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", inside ? "on" : "under", box->x,
            box->y + (inside ? 3.2 : r + 9));
    svg_text(out, text);
    fputs("</text>", out);
}

static void put_box(const struct drawing *drawing, const struct draw_box *box, FILE *out)
{
    const struct fabric *fabric = drawing->fabric;
    double r = box->members > 1 && drawing->radius < 11 ? 11 : drawing->radius;
    fputs("<g><title>", out);
    svg_text(out, fabric->node[box->first].name);
    if (box->members > 1)
        fprintf(out, " and %" PRIu32 " more", box->members - 1);
    fprintf(out, " (%s)</title>", topology_role_name(box->role));
    put_shape(box, r, out);
    if (drawing->box_count <= LABELLED || box->members > 1)
        put_label(box, r, out);
    fputs("</g>\n", out);
}

/* -- legend ---------------------------------------------------------------------------------- */

static double put_roles(const struct drawing *drawing, double x, double y, FILE *out)
{
    uint32_t count[4] = {0};
    for (uint32_t v = 0; v < drawing->fabric->node_count; v++)
        count[drawing->fabric->node[v].role]++;
    for (uint8_t role = 0; role < 4; role++) {
        if (!count[role])
            continue;
        put_shape(&(struct draw_box){.x = x + 8, .y = y, .role = role, .members = 1}, 6, out);
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">%" PRIu32 " %s</text>\n", x + 22, y + 4,
                count[role], topology_role_words(role, count[role]));
        y += LEGEND_LINE;
    }
    return y;
}

static double put_scale(double x, double y, FILE *out)
{
    enum { STEPS = 40, WIDTH = 200 };
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">utilisation of a link, per direction</text>\n", x,
            y + 4);
    for (int i = 0; i < STEPS; i++) {
        char colour[8];
        fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"5.2\" height=\"10\" fill=\"%s\"/>",
                x + (double)i * WIDTH / STEPS, y + 10, draw_heat_colour(colour, (i + 0.5) / STEPS));
    }
    for (int percent = 0; percent <= 100; percent += 50)
        fprintf(out,
                "<text class=\"small\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">%d %%</text>\n",
                x + percent / 100.0 * WIDTH, y + 32, percent);
    return y + 54;
}

static double put_hottest(const struct drawing *drawing, const struct link_figures *figures,
                          double x, double y, FILE *out)
{
    uint32_t link[LINKS_HOTTEST];
    uint32_t count = links_hottest(figures, drawing->fabric->link_count, LINKS_HOTTEST, link);
    if (count)
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">hottest links</text>\n", x, y + 4);
    for (uint32_t i = 0; i < count; i++) {
        const struct fabric_link *row = &drawing->fabric->link[link[i]];
        char bytes[32];
        y += LEGEND_LINE;
        fprintf(out, "<text class=\"small\" x=\"%.1f\" y=\"%.1f\">%5.1f %%  ", x, y + 4,
                100 * drawing->heat[link[i]]);
        svg_text(out, drawing->fabric->node[row->src].name);
        fputs(" -&gt; ", out);
        svg_text(out, drawing->fabric->node[row->dst].name);
        fprintf(out, ", %s</text>\n",
                units_show_bytes(bytes, sizeof bytes, round(figures[link[i]].bytes)));
    }
    return y + LEGEND_LINE;
}

static void put_head(const struct drawing *drawing, double width, double height, FILE *out)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<title>",
            width, height, width, height);
    svg_text(out, drawing->fabric->text);
    fputs("</title>\n", out);
    put_style(out);
    fputs("<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n", out);
    fputs("<text class=\"title\" x=\"24\" y=\"28\">", out);
    svg_text(out, drawing->fabric->text);
    fputs("</text>\n", out);
    if (drawing->note[0])
        fprintf(out, "<text x=\"24\" y=\"46\">%s</text>\n", drawing->note);
}

static double legend_height(const struct drawing *drawing)
{
    return TITLE_HEIGHT + 5 * LEGEND_LINE +
           (drawing->heat ? 54 + (LINKS_HOTTEST + 2) * LEGEND_LINE : 0);
}

static void write_svg(const struct drawing *drawing, const struct link_figures *figures, FILE *out)
{
    double least = legend_height(drawing);
    double width = drawing->width + (drawing->heat ? HEAT_WIDTH : LEGEND_WIDTH);
    double words = strlen(drawing->fabric->text) * 9.8 + 48;
    words = drawing->note[0] && words < 640 ? 640 : words;
    double height = drawing->height + TITLE_HEIGHT;
    put_head(drawing, width > words ? width : words, height > least ? height : least, out);
    fprintf(out, "<g transform=\"translate(0 %d)\">\n", TITLE_HEIGHT);
    for (uint32_t i = 0; i < drawing->line_count; i++)
        put_line(drawing, &drawing->line[i], out);
    for (uint32_t b = 0; b < drawing->box_count; b++)
        put_box(drawing, &drawing->box[b], out);
    double x = drawing->width + 12;
    double y = put_roles(drawing, x, 24, out);
    if (drawing->heat) {
        y = put_scale(x, y + 8, out);
        put_hottest(drawing, figures, x, y, out);
    }
    fputs("</g>\n</svg>\n", out);
}

void draw_svg(const struct fabric *fabric, const struct link_figures *figures, double elapsed_ns,
              FILE *out)
{
    struct drawing drawing = {.fabric = fabric};
    arena_init(&drawing.arena);
    drawing.box_of = arena_array(&drawing.arena, fabric->node_count, sizeof *drawing.box_of);
    if (figures)
        drawing.heat = draw_heat_of(figures, fabric->link_count, elapsed_ns, &drawing.arena);
    draw_group(&drawing);
    draw_join(&drawing);
    draw_place(&drawing);
    write_svg(&drawing, figures, out);
    arena_release(&drawing.arena);
}
