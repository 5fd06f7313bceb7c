#include <math.h>

#include "base/memory.h"
#include "report/draw_parts.h"

#define PI 3.14159265358979323846

enum { MARGIN = 36 };

/* Room for a box: more where there are few, and for the wide ones that stand for several nodes. */
static double spacing_of(const struct drawing *drawing)
{
    if (drawing->grouped)
        return 66;
    return drawing->box_count <= 80 ? 64 : drawing->box_count <= 200 ? 44 : 32;
}

static bool is_npu(const struct drawing *drawing, uint32_t box)
{
    return drawing->box[box].role == ROLE_NPU;
}

/* -- circles -------------------------------------------------------------------------------- */

static void place_circle(struct drawing *drawing, double spacing)
{
    uint32_t count = 0, at = 0;
    for (uint32_t b = 0; b < drawing->box_count; b++)
        count += is_npu(drawing, b);
    double radius = count * spacing / (2 * PI);
    radius = radius < 1.4 * spacing ? 1.4 * spacing : radius;
    for (uint32_t b = 0; b < drawing->box_count; b++) {
        if (!is_npu(drawing, b))
            continue; /* a switch: in the middle, at 0, 0 */
        double angle = 2 * PI * at++ / count - PI / 2;
        drawing->box[b].x = radius * cos(angle);
        drawing->box[b].y = radius * sin(angle);
    }
}

/* -- grids ---------------------------------------------------------------------------------- */

/* The dimensions that are seen: not those within a box, nor those of size 1. */
struct grid {
    uint32_t count;
    uint32_t dim[CONFIG_MAX_DIMS];
    double step_x[CONFIG_MAX_DIMS], step_y[CONFIG_MAX_DIMS];
};

/* Three dimensions are seen from above and aside: the third goes up and to the right, and the first
 * two are far enough apart that no box hides another. */
static void tilt(const struct drawing *drawing, double spacing, struct grid *grid)
{
    const struct fabric_dim *dim = drawing->fabric->dim;
    double right = 0.62 * spacing, up = 0.46 * spacing;
    double depth = dim[grid->dim[2]].npus;
    grid->step_x[2] = right;
    grid->step_y[2] = -up;
    grid->step_x[0] = right * depth + 0.5 * spacing;
    grid->step_y[1] = up * depth + 0.4 * spacing;
}

/* Dimensions in turn go to the right and down; from the third on they are panels. */
static void plan_grid(const struct drawing *drawing, double spacing, struct grid *grid)
{
    const struct fabric *fabric = drawing->fabric;
    double width = spacing, height = spacing;
    *grid = (struct grid){0};
    for (uint32_t d = 0; d < fabric->dim_count; d++) {
        const struct fabric_dim *dim = &fabric->dim[d];
        if (dim->npus < 2 || dim->stride < drawing->box[0].members)
            continue;
        uint32_t i = grid->count++;
        bool across = i % 2 == 0;
        double gap = i < 2 ? 0 : 0.9 * spacing;
        double *extent = across ? &width : &height;
        double step = i < 2 ? spacing : *extent + gap;
        grid->dim[i] = d;
        *(across ? &grid->step_x[i] : &grid->step_y[i]) = step;
        *extent = step * (dim->npus - 1) + *extent;
    }
    if (grid->count == 3)
        tilt(drawing, spacing, grid);
}

static uint32_t coordinate(const struct fabric *fabric, uint32_t npu, uint32_t d)
{
    return npu / fabric->dim[d].stride % fabric->dim[d].npus;
}

/* Switches of a product stand amid the NPUs they join, aside of the lines between these. */
static void place_amid(struct drawing *drawing, double spacing)
{
    for (uint32_t b = 0; b < drawing->box_count; b++) {
        if (is_npu(drawing, b))
            continue;
        double x = 0, y = 0;
        uint32_t count = 0;
        for (uint32_t i = 0; i < drawing->line_count; i++) {
            const struct draw_line *line = &drawing->line[i];
            uint32_t other = line->a == b ? line->b : line->a;
            if ((line->a != b && line->b != b) || !is_npu(drawing, other))
                continue;
            x += drawing->box[other].x;
            y += drawing->box[other].y;
            count++;
        }
        double aside = (drawing->box[b].level ? drawing->box[b].level : 1) * 0.42 * spacing;
        drawing->box[b].x = (count ? x / count : 0) + aside;
        drawing->box[b].y = (count ? y / count : 0) - aside;
    }
}

/* How a line of a grid is drawn: through, aside of what is between, or as two ends. */
static void shape_line(const struct drawing *drawing, const struct grid *grid,
                       struct draw_line *line)
{
    const struct fabric *fabric = drawing->fabric;
    if (!is_npu(drawing, line->a) || !is_npu(drawing, line->b))
        return;
    uint32_t a = drawing->box[line->a].first, b = drawing->box[line->b].first;
    for (uint32_t i = 0; i < grid->count; i++) {
        uint32_t d = grid->dim[i];
        uint32_t from = coordinate(fabric, a, d), to = coordinate(fabric, b, d);
        uint32_t apart = from < to ? to - from : from - to;
        if (apart == 0)
            continue;
        bool wraps =
            apart > 1 && apart == fabric->dim[d].npus - 1 && fabric->dim[d].kind == FABRIC_RING;
        bool panel = i >= 2 && grid->count > 3;
        line->stub = wraps && !panel;
        double length = apart * (fabs(grid->step_x[i]) + fabs(grid->step_y[i]));
        if (!line->stub && (apart > 1 || panel))
            line->bend = length * (panel ? 0.10 : 0.16);
    }
}

static void place_grid(struct drawing *drawing, const struct grid *grid, double spacing)
{
    for (uint32_t b = 0; b < drawing->box_count; b++) {
        struct draw_box *box = &drawing->box[b];
        for (uint32_t i = 0; i < grid->count && is_npu(drawing, b); i++) {
            uint32_t at = coordinate(drawing->fabric, box->first, grid->dim[i]);
            box->x += at * grid->step_x[i];
            box->y += at * grid->step_y[i];
        }
    }
    place_amid(drawing, spacing);
    for (uint32_t i = 0; i < drawing->line_count; i++)
        shape_line(drawing, grid, &drawing->line[i]);
}

static void place_product(struct drawing *drawing, double spacing)
{
    struct grid grid;
    plan_grid(drawing, spacing, &grid);
    bool round = grid.count == 1 && drawing->fabric->dim[grid.dim[0]].kind != FABRIC_LINE &&
                 drawing->fabric->dim[grid.dim[0]].kind != FABRIC_TREE;
    if (round)
        place_circle(drawing, spacing);
    else
        place_grid(drawing, &grid, spacing);
}

/* -- trees ---------------------------------------------------------------------------------- */

static uint32_t first_below(const struct drawing *drawing, uint32_t box)
{
    const struct draw_box *row = &drawing->box[box];
    return row->role == ROLE_NPU ? row->first : drawing->fabric->node[row->first].below_first;
}

static bool is_rail(const struct drawing *drawing, uint32_t box)
{
    return drawing->fabric->node[drawing->box[box].first].below_stride > 1;
}

static bool comes_before(const struct drawing *drawing, uint32_t a, uint32_t b)
{
    if (drawing->box[a].level != drawing->box[b].level)
        return drawing->box[a].level < drawing->box[b].level;
    bool rail_a = is_rail(drawing, a), rail_b = is_rail(drawing, b);
    if (rail_a != rail_b)
        return rail_b;
    uint32_t first_a = first_below(drawing, a), first_b = first_below(drawing, b);
    return first_a != first_b ? first_a < first_b : a < b;
}

/* By level, then by the first NPU below, then by number. Boxes are few: insertion will do. */
static uint32_t *tree_order_of(struct drawing *drawing)
{
    uint32_t *order = arena_array(&drawing->arena, drawing->box_count, sizeof *order);
    for (uint32_t b = 0; b < drawing->box_count; b++) {
        uint32_t at = b;
        for (; at > 0 && comes_before(drawing, b, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = b;
    }
    return order;
}

/* The place of an NPU in px, whatever box it is in. */
static double npu_x(const struct drawing *drawing, uint32_t npu)
{
    return drawing->box[drawing->box_of[npu]].x;
}

/* Boxes order[from] .. order[to - 1] are over the same NPUs: they share the room above these. */
static void spread(struct drawing *drawing, const uint32_t *order, uint32_t from, uint32_t to,
                   double spacing)
{
    const struct fabric_node *node = &drawing->fabric->node[drawing->box[order[from]].first];
    uint32_t last = node->below_first;
    if (node->below_count > 0)
        last += (node->below_count - 1) * (node->below_stride ? node->below_stride : 1);
    uint32_t npus = drawing->fabric->npu_count;
    bool rails = to - from > 1 && is_rail(drawing, order[from]);
    if (rails)
        last = npus - 1;
    double left = npu_x(drawing, node->below_first < npus ? node->below_first : 0);
    double right = npu_x(drawing, last < npus ? last : npus - 1);
    double width = right - left + spacing;
    for (uint32_t i = from; i < to; i++)
        drawing->box[order[i]].x =
            left - spacing / 2 + width * (i - from + 0.5) / (double)(to - from);
}

/* Switches of a level over one block share its room; those over strided ranks (rails) share all. */
static bool shares_room(const struct drawing *drawing, uint32_t a, uint32_t b)
{
    const struct fabric_node *x = &drawing->fabric->node[drawing->box[a].first];
    const struct fabric_node *y = &drawing->fabric->node[drawing->box[b].first];
    if (drawing->box[a].level != drawing->box[b].level)
        return false;
    if (is_rail(drawing, a) || is_rail(drawing, b))
        return is_rail(drawing, a) && is_rail(drawing, b);
    return x->below_first == y->below_first;
}

/* With rails above them, the switches within nodes stand below the NPUs. */
static void lower_inner(struct drawing *drawing, double y)
{
    bool rails = false;
    for (uint32_t b = 0; b < drawing->box_count; b++)
        rails = rails || (drawing->box[b].level == 1 && is_rail(drawing, b));
    for (uint32_t b = 0; b < drawing->box_count && rails; b++) {
        struct draw_box *box = &drawing->box[b];
        if (box->level == 1 && box->role == ROLE_SWITCH && !is_rail(drawing, b))
            box->y = y;
    }
}

static void place_tree(struct drawing *drawing, double spacing)
{
    uint32_t *order = tree_order_of(drawing);
    uint32_t count = drawing->box_count, npus = 0, top = 0;
    double step = drawing->grouped ? spacing : count > 160 ? 22 : count > 40 ? 30 : 44;
    for (; npus < count && drawing->box[order[npus]].level == 0; npus++) {
        drawing->box[order[npus]].x = npus * step;
        drawing->box[order[npus]].y = 0;
    }
    for (uint32_t from = npus, to; from < count; from = to) {
        for (to = from + 1; to < count && shares_room(drawing, order[from], order[to]);)
            to++;
        spread(drawing, order, from, to, step);
    }
    double rise = npus * step / 9 < 1.7 * spacing ? 1.7 * spacing : npus * step / 9;
    for (uint32_t b = 0; b < count; b++)
        top = drawing->box[b].level > top ? drawing->box[b].level : top;
    for (uint32_t b = 0; b < count; b++)
        drawing->box[b].y = (top - drawing->box[b].level) * rise;
    lower_inner(drawing, (top + 1) * rise);
}

/* -- all ------------------------------------------------------------------------------------- */

static bool has_levels(const struct fabric *fabric)
{
    for (uint32_t v = fabric->npu_count; v < fabric->node_count; v++) {
        if (fabric->node[v].role == ROLE_SWITCH && fabric->node[v].below_count == 0)
            return false;
    }
    return fabric->is_tree;
}

/* Moves all into view and rounds to tenths of a px, so that equal pictures are equal bytes. */
static void normalise(struct drawing *drawing)
{
    double left = 0, right = 0, up = 0, down = 0;
    for (uint32_t b = 0; b < drawing->box_count; b++) {
        const struct draw_box *box = &drawing->box[b];
        left = b == 0 || box->x < left ? box->x : left;
        right = b == 0 || box->x > right ? box->x : right;
        up = b == 0 || box->y < up ? box->y : up;
        down = b == 0 || box->y > down ? box->y : down;
    }
    for (uint32_t b = 0; b < drawing->box_count; b++) {
        drawing->box[b].x = round((drawing->box[b].x - left + MARGIN) * 10) / 10;
        drawing->box[b].y = round((drawing->box[b].y - up + MARGIN) * 10) / 10;
    }
    drawing->width = ceil(right - left) + 2 * MARGIN;
    drawing->height = ceil(down - up) + 2 * MARGIN;
}

void draw_place(struct drawing *drawing)
{
    double spacing = spacing_of(drawing);
    drawing->radius = spacing > 60 ? 13 : spacing > 40 ? 9 : 7;
    if (has_levels(drawing->fabric))
        place_tree(drawing, spacing);
    else if (drawing->fabric->is_product)
        place_product(drawing, spacing);
    else
        draw_by_force(drawing, spacing * 1.25);
    normalise(drawing);
}
