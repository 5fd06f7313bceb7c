#include "compare/reader.h"

#include <stdarg.h>
#include <string.h>

enum status reading_fail_line(const struct reading *reading, uint64_t line, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_fail(reading->diag, STATUS_BAD_INPUT, "%s", text);
    diag_in(reading->diag, reading->path);
    if (line)
        diag_at(reading->diag, DIAG_LINE, line);
    return STATUS_BAD_INPUT;
}

bool reading_line(const struct reading *reading, size_t *at, const char **line, size_t *length)
{
    const char *text = (const char *)reading->file->bytes;
    size_t all = reading->file->length;
    if (*at >= all)
        return false;
    const char *begin = text + *at, *end = memchr(begin, '\n', all - *at);
    *line = begin;
    *length = end ? (size_t)(end - begin) : all - *at;
    *at += *length + 1;
    while (*length && (begin[*length - 1] == '\r' || begin[*length - 1] == ' '))
        --*length;
    return true;
}

bool reader_has(const char *text, size_t length, const char *what)
{
    size_t size = strlen(what);
    for (const char *end = text + length; length >= size;) {
        const char *found = memchr(text, what[0], length - size + 1);
        if (!found)
            return false;
        if (memcmp(found, what, size) == 0)
            return true;
        text = found + 1;
        length = (size_t)(end - text);
    }
    return false;
}

const struct reader *const readers[] = {
    &reader_run_json,  &reader_timeline,  &reader_kineto, &reader_run_csv,
    &reader_astra_log, &reader_steps_csv, &reader_chakra, NULL,
};
