/*
 * embedded - files of configs/ that the build puts into the program (scripts/embed), so that a preset works
 * wherever the program is run.
 */
#ifndef ORRERY_BASE_EMBEDDED_H
#define ORRERY_BASE_EMBEDDED_H

#include <stddef.h>

struct embedded_file {
    const char *name; /* "dgx-h100": the file's name without its suffix */
    const char *text; /* NUL-terminated */
    size_t length;
};

/* The entry of that name in a table whose last entry has a NULL name, or NULL. */
const struct embedded_file *embedded_find(const struct embedded_file *files, const char *name);

#endif
