/*
 * Springs after Fruchterman and Reingold (1991): every two boxes repel by k^2 / distance, lines
 * attract by distance^2 / k, moves are cut by a temperature that falls to nothing. Only sums,
 * products and square roots: the same on every machine.
 */
#include <math.h>
#include <string.h>

#include "report/draw_parts.h"

enum { ROUNDS = 400 };

/* The start: a spiral by number, so that boxes of near numbers begin near each other. */
static void start(struct drawing *drawing, double spacing)
{
    /* cos and sin of the golden angle. */
    const double turn_cos = -0.73736887807831985597, turn_sin = 0.67549029426152362720;
    double x = 1, y = 0;
    for (uint32_t b = 0; b < drawing->box_count; b++) {
        double away = spacing * sqrt(b + 1.0) * 0.6;
        drawing->box[b].x = away * x;
        drawing->box[b].y = away * y;
        double next_x = x * turn_cos - y * turn_sin;
        y = x * turn_sin + y * turn_cos;
        x = next_x;
    }
}

static void repel(struct drawing *drawing, double k, double *dx, double *dy)
{
    for (uint32_t i = 0; i < drawing->box_count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            double x = drawing->box[i].x - drawing->box[j].x;
            double y = drawing->box[i].y - drawing->box[j].y;
            double square = x * x + y * y + 1e-3;
            double force = k * k / square;
            dx[i] += x * force;
            dy[i] += y * force;
            dx[j] -= x * force;
            dy[j] -= y * force;
        }
    }
}

static void attract(struct drawing *drawing, double k, double *dx, double *dy)
{
    for (uint32_t i = 0; i < drawing->line_count; i++) {
        const struct draw_line *line = &drawing->line[i];
        double x = drawing->box[line->a].x - drawing->box[line->b].x;
        double y = drawing->box[line->a].y - drawing->box[line->b].y;
        double force = sqrt(x * x + y * y) / k;
        dx[line->a] -= x * force;
        dy[line->a] -= y * force;
        dx[line->b] += x * force;
        dy[line->b] += y * force;
    }
}

static void move(struct drawing *drawing, double most, const double *dx, const double *dy)
{
    for (uint32_t b = 0; b < drawing->box_count; b++) {
        double length = sqrt(dx[b] * dx[b] + dy[b] * dy[b]) + 1e-9;
        double step = length < most ? length : most;
        drawing->box[b].x += dx[b] / length * step;
        drawing->box[b].y += dy[b] / length * step;
    }
}

void draw_by_force(struct drawing *drawing, double spacing)
{
    size_t count = drawing->box_count;
    double *dx = arena_array(&drawing->arena, 2 * count, sizeof *dx), *dy = dx + count;
    start(drawing, spacing);
    double heat = spacing * sqrt((double)count);
    for (int round = 0; round < ROUNDS; round++) {
        memset(dx, 0, 2 * count * sizeof *dx);
        repel(drawing, spacing, dx, dy);
        attract(drawing, spacing, dx, dy);
        move(drawing, heat * 0.25 * (1 - (double)round / ROUNDS), dx, dy);
    }
}
