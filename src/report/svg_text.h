/*
 * svg_text - text from outside in a drawing.
 */
#ifndef ORRERY_REPORT_SVG_TEXT_H
#define ORRERY_REPORT_SVG_TEXT_H

#include <stdio.h>

/* Writes `text`: what XML gives a meaning as an entity, controls and what is not ASCII as '?'. */
void svg_text(FILE *out, const char *text);

#endif
