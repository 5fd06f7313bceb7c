/*
 * visible - text from files made fit for a terminal: control characters become '?'. And what in it
 * is UTF-8 at all.
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

/* Bytes of the UTF-8 character at `text`, or 0 if there is none (RFC 3629: shortest form only). */
size_t utf8_length(const char *text);

#endif
