/*
 * embedded - files of configs/ that the build puts into the program (scripts/embed), so that a
 * preset works wherever the program is run.
 */
#ifndef ORRERY_BASE_EMBEDDED_H
#define ORRERY_BASE_EMBEDDED_H

#include <stddef.h>

#include "base/doc.h"

struct embedded_file {
    const char *name; /* "dgx-h100": the file's name without its suffix */
    const char *text; /* NUL-terminated */
    size_t length;
};

/* The entry of that name in a table whose last entry has a NULL name, or NULL. */
const struct embedded_file *embedded_find(const struct embedded_file *files, const char *name);

/* Does `name` mean a file of the user's: has it a '/' or does it end in .yaml or .yml? */
bool embedded_is_path(const char *name);

/* Opens the YAML of that preset, or the user's file. An unknown name is an error that says "there
 * is no <what> <name>" and suggests the nearest. */
enum status embedded_open(struct doc *doc, const struct embedded_file *files, const char *what,
                          const char *name, struct diag *diag);

#endif
