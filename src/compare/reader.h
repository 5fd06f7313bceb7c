/*
 * reader - kinds of results: one table, one file per kind. Others use sides.h.
 *
 * A kind is recognised by its content. `is_mine` sees the begin of the file (READER_HEAD bytes at
 * most, inflated) and is asked in the order of the table; the first that says yes reads it. A kind
 * with `is_mine` NULL takes what nobody else does.
 */
#ifndef ORRERY_COMPARE_READER_H
#define ORRERY_COMPARE_READER_H

#include "base/file.h"
#include "compare/outcome.h"

enum { READER_HEAD = 1 << 16 };

/* What is asked of a side beside its files. */
struct side_options {
    const char *time_unit; /* of times in a CSV that does not say, "ms"; NULL: not told */
    uint64_t step;         /* of a measured trace: its step of that number */
    enum { STEP_MEDIAN, STEP_ALL, STEP_NUMBER } step_choice;
};

/* One file of a side. */
struct reading {
    struct outcome *outcome; /* is added to */
    const struct file *file;
    const char *path;
    int64_t rank; /* by the file's name, or -1 */
    const struct side_options *options;
    struct diag *diag;
};

struct reader {
    const char *name; /* "ASTRA-sim log" */
    const char *from; /* where one comes from, for lists */
    bool (*is_mine)(const char *head, size_t length);
    enum status (*read)(const struct reading *reading);
    bool is_per_rank; /* several files are one side, one a rank */
};

/* All kinds, NULL-terminated. */
extern const struct reader *const readers[];

extern const struct reader reader_run_json, reader_run_csv, reader_timeline, reader_kineto,
    reader_astra_log, reader_chakra, reader_steps_csv;

/* Fails with file and line, for formats of lines. */
enum status reading_fail_line(const struct reading *reading, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A line of the file without its end; false after the last. *at is the offset of the next. */
bool reading_line(const struct reading *reading, size_t *at, const char **line, size_t *length);

/* True if `what` is in the `length` bytes of `text`. */
bool reader_has(const char *text, size_t length, const char *what);

#endif
