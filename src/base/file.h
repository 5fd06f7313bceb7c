/*
 * file - whole files in and out: gzip known by its magic, output written aside and renamed.
 *
 * Rules:
 *  1. file_load() maps or reads the file; a gzip file (magic 1f 8b) is inflated, whatever its name,
 *     and all members are read. Inflated bytes beyond 64 MiB go to a temporary file, which the
 *     kernel can page out (spill.h). The bytes are borrowed until file_release().
 *  2. The content, inflated, is bounded: more than `limit` bytes (FILE_NO_LIMIT for none) is an
 *     error, not memory.
 *  3. Only regular files and pipes are read; a folder or an unreadable file gives STATUS_IO with
 *     the system's reason.
 *  4. An output file appears under its name only when out_file_commit() succeeds; after
 *     out_file_abandon() or a crash nothing is under that name. "-" means standard output. A device
 *     or pipe is written directly.
 *  5. One observer of the process may be told of what file_load() reads: for whoever keeps a result
 *     with the files it was made from.
 */
#ifndef ORRERY_BASE_FILE_H
#define ORRERY_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"

#define FILE_NO_LIMIT SIZE_MAX

struct file {
    const unsigned char *bytes;
    size_t length;
    bool was_gzip;
    /* private */
    void *map;
    size_t map_length;
    void *heap;
};

enum status file_load(struct file *file, const char *path, size_t limit, struct diag *diag);
void file_release(struct file *file);

/* Is told of each call: the file as it was read, or NULL if it could not be. */
struct file_observer {
    void (*loaded)(void *context, const char *path, const struct file *file);
    void *context;
};

/* Borrowed until the next call; NULL for none. */
void file_observe(const struct file_observer *observer);

/* True if `path` names something that can be opened as a file. */
bool file_exists(const char *path);

struct out_file {
    FILE *stream; /* write here */
    char *path;   /* final name, owned */
    char *aside;  /* temporary name in the same folder, owned; NULL for standard output, pipes,
                     devices */
};

enum status out_file_open(struct out_file *out, const char *path, struct diag *diag);

/* Flushes, checks every write, renames. On failure the temporary file is removed. */
enum status out_file_commit(struct out_file *out, struct diag *diag);
void out_file_abandon(struct out_file *out);

#endif
