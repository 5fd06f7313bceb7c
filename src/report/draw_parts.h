/*
 * draw_parts - a drawing before it is written: boxes with places, and lines between them. Shared by
 * draw_*.c only.
 */
#ifndef ORRERY_REPORT_DRAW_PARTS_H
#define ORRERY_REPORT_DRAW_PARTS_H

#include "base/arena.h"
#include "report/draw.h"

/* A node of the fabric, or several that are drawn as one. */
struct draw_box {
    double x, y; /* centre, in px */
    uint8_t role;
    uint8_t level;
    uint32_t first;   /* the first node that it stands for */
    uint32_t members; /* how many */
    const char *label;
};

struct draw_line {
    uint32_t a, b;    /* boxes; a < b */
    uint32_t cables;  /* of both ends' nodes together */
    uint32_t link[2]; /* a to b, b to a: the hottest (or first) link, or FABRIC_NONE */
    uint8_t dim;      /* of that link */
    bool stub;        /* a wrap-around of a grid: two ends instead of a line through it */
    double bend;      /* px that the middle is pushed aside */
};

struct drawing {
    struct arena arena;
    const struct fabric *fabric;
    const double *heat; /* utilisation of every link, 0 .. 1, or NULL */
    uint32_t *box_of;   /* [fabric->node_count] */
    struct draw_box *box;
    uint32_t box_count;
    struct draw_line *line;
    uint32_t line_count;
    double width, height; /* of all boxes with their margin */
    double radius;        /* of a box that stands for one node */
    bool grouped;
    uint32_t coarse; /* draw_group.c: NPUs in a block of a tree */
    char note[200];  /* what was drawn as one, or "" */
};

/* Fills box_of, box and note: which nodes are drawn as one (draw_group.c). */
void draw_group(struct drawing *drawing);

/* Gives the boxes their places (draw_place.c). */
void draw_place(struct drawing *drawing);

/* Places boxes by springs (draw_force.c): neighbours attract, all repel. */
void draw_by_force(struct drawing *drawing, double spacing);

/* Lines between boxes, from the fabric's links (draw_lines.c). */
void draw_join(struct drawing *drawing);

#endif
