/*
 * raster - a drawing in another format than SVG: PNG, PDF, EPS.
 *
 * The work is rsvg-convert's (Debian: librsvg2-bin), run as a process of its own: linked in, its
 * libraries would make every start of the program four times as long.
 */
#ifndef ORRERY_CLI_RASTER_H
#define ORRERY_CLI_RASTER_H

#include <stdio.h>

#include "base/diag.h"

/* The format that a path asks for by its end: "png", "pdf", "eps", or "svg" (also of "-" and NULL);
 * NULL: none that is known. */
const char *raster_format(const char *path);

/* Writes `length` bytes of SVG to `out` in a format but "svg"; `dpi` is of PNG. */
enum status raster_write(const char *svg, size_t length, const char *format, double dpi, FILE *out,
                         struct diag *diag);

#endif
