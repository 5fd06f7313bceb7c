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

/* "llama3-8b{layers=16,experts.count=8}": the name, and what differs from what is there. Values are
 * of YAML, without a comma; a key with dots is a place inside a map. */
enum { EMBEDDED_NAME = 256 };
struct embedded_words {
    char name[EMBEDDED_NAME]; /* cut if it is longer: then there is no such file */
    const char *changes;      /* in the text that was split: "{layers=16}", or "" */
};
void embedded_split(struct embedded_words *words, const char *text);

/* The text with `name` in the place of its name; cut to `size`. Returns `to`. */
const char *embedded_rename(char *to, size_t size, const char *text, const char *name);

/* Does `name` mean a file of the user's: has it a '/' or does it end in .yaml or .yml? (Of split
 * text: its name.) */
bool embedded_is_path(const char *name);

/*
 * Opens the YAML of that preset, or the user's file, with the changes in braces. An unknown name is
 * an error that says "there is no <what> <name>" and suggests the nearest.
 */
enum status embedded_open(struct doc *doc, const struct embedded_file *files, const char *what,
                          const char *name, struct diag *diag);

#endif
