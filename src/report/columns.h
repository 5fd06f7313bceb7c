/*
 * columns - a table of text cells that lines up and stays within a page.
 *
 * Rules:
 *  1. columns_init() takes one letter per column: 'l' left-aligned text, 'L' the same but never
 *     cut, 'r' right-aligned figure.
 *  2. Cells are added row by row; the first row is the heading. Rows must be complete when printed.
 *  3. Wider than COLUMNS_PAGE, the widest text columns give way: their cells are cut in the middle
 *     ("dp_group..17") down to 12 characters. Figures are never cut.
 */
#ifndef ORRERY_REPORT_COLUMNS_H
#define ORRERY_REPORT_COLUMNS_H

#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"

enum { COLUMNS_PAGE = 100, COLUMNS_MOST = 16 };

struct columns {
    struct arena arena;
    const char *align;
    uint32_t width;    /* columns */
    char **cell;       /* row-major */
    uint32_t count;    /* cells added */
    uint32_t capacity; /* cells */
};

void columns_init(struct columns *columns, const char *align);
void columns_release(struct columns *columns);

/* Adds the next cell. */
void columns_add(struct columns *columns, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints all rows, each indented by two blanks, without trailing blanks. */
void columns_print(const struct columns *columns, FILE *out);

/*
 * Prints `text` in lines of at most COLUMNS_PAGE, broken at blanks; the first line follows
 * `first_indent` columns already printed, the others are indented by `indent`. A word longer than a
 * line (a path) is not cut. Control characters print as '?'.
 */
void columns_wrap(FILE *out, uint32_t first_indent, uint32_t indent, const char *text);

#endif
