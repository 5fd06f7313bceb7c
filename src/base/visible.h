/*
 * visible - text from files made fit for a terminal: control characters become '?'.
 */
#ifndef ORRERY_BASE_VISIBLE_H
#define ORRERY_BASE_VISIBLE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* As vsnprintf(), cut to `size`, with every control character replaced. */
void visible_format(char *to, size_t size, const char *format, va_list args)
    __attribute__((format(printf, 3, 0)));

/* Prints `text` as "%-<least>.<most>s" would, with every control character replaced. */
void visible_put(FILE *out, const char *text, int least, int most);

#endif
