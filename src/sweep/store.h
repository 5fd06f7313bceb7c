/*
 * store - the results of studies in one SQLite file. The only user of sqlite3.
 *
 * Rules:
 *  1. One process writes: it holds a lock (fcntl) on FILE.lock; a second one is refused with the
 *     number of the first. Readers need no lock, also while it writes (WAL).
 *  2. Each result is one transaction, done when store_put() returns: a process that is killed after
 *     that loses nothing. (synchronous=NORMAL: after a loss of power the last results may be
 *     missing, and run again; the file is whole.)
 *  3. Nothing is deleted: points that a changed study no longer has stay, and are found again.
 *     At the end WAL is left, unless somebody reads: one file, which a read-only folder can hold.
 *  4. SQLite goes on writing to a file that was deleted, moved or cut short: store_put() looks each
 *     time whether the file is still the one under its name, and fails if not.
 *  5. A file of another schema version, or that is no store, is refused.
 *
 * Schema, version 1:
 *   meta(key, value)      schema, program, path, study (the file's text), axes (a JSON list of keys),
 *                         token (chance, says which file it is), "merged TOKEN" (store_merge())
 *   input_set(id, hash)   a set of input files; input(input_set, role, path, hash) its rows
 *   point(id, request, identity, inputs, state, reason, host_s, attempts, <columns of measure.h>)
 *                         one that ended; request and identity are blobs of 16 bytes, inputs an
 *                         input_set
 *   member(ordinal, request, axes)  the points of the present study in order, ended or not; axes is a
 *                         JSON list of the values of the axes
 *   results               a view: the points of the present study that ended, with a column per axis
 */
#ifndef ORRERY_SWEEP_STORE_H
#define ORRERY_SWEEP_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "sweep/identity.h"
#include "sweep/measure.h"
#include "sweep/points.h"

#define STORE_SCHEMA 2 /* 2: time_p50_s, time_p95_s */

struct store;

/* Opens for writing (made if it is not there), or for reading. NULL with a message. */
struct store *store_open(const char *path, bool is_writer, struct diag *diag);

/*
 * Opens for writing, alone: others cannot read meanwhile, and SQLite needs no memory that processes
 * share, so that the file may be on a network file system. Another writer is waited for, `wait_s`
 * seconds.
 */
struct store *store_open_alone(const char *path, double wait_s, struct diag *diag);
void store_close(struct store *store);

/* For reading, by whoever must not wait: a store that is locked for longer than 50 ms is refused. */
struct store *store_open_to_look(const char *path, struct diag *diag);

/* -- writing ----------------------------------------------------------------------------------- */

/* The present study: its text, axes and points, request[i] that of points->place[i]. */
enum status store_set_study(struct store *store, const struct study *study,
                            const struct points *points, const struct identity *request,
                            const char *program, struct diag *diag);

/*
 * True if a result of that request is there whose inputs are unchanged; its state is copied. Files
 * are hashed once per store_open(). Errors of the store count as not there: the point is run again.
 */
bool store_find(struct store *store, struct identity request, struct point_result *result);

/* Many store_find() between these two are quicker: one look at the file. No store_put()
 * meanwhile. */
void store_begin_finding(struct store *store);
void store_end_finding(struct store *store);

/* Adds or replaces the result of a request. */
enum status store_put(struct store *store, struct identity request,
                      const struct point_result *result, const struct input_file *input,
                      uint32_t input_count, uint32_t attempts, struct diag *diag);

/* What store_merge() found: rows that no merge before had taken, and all rows of the file. */
struct store_merged {
    uint32_t added, held;
};

/*
 * Adds the results of the store at `path` to this one, which was opened alone, in one transaction.
 * Where this store has a result of the same request it is replaced. STATUS_IO, without a message, if
 * somebody writes to `path`; STATUS_BAD_INPUT if that file is damaged or of another schema; other
 * failures are this store's.
 */
enum status store_merge(struct store *store, const char *path, struct store_merged *merged,
                        struct diag *diag);

/* -- reading ----------------------------------------------------------------------------------- */

struct store_row {
    uint32_t ordinal;
    bool is_done;
    char identity[IDENTITY_HEX];
    const char *state, *reason; /* "pending" if it is not there */
    const char **axis;          /* text of each axis */
    double value[MEASURE_COUNT];
};

struct store_table {
    struct arena arena;
    const char *study, *program; /* the text of its file */
    const char *path;            /* as `orrery sweep` was given it */
    uint32_t axis_count, count;
    const char **axis; /* names, NULL-terminated */
    struct store_row *row;
};

/* The present study's points in order. store_table_release() in every case. */
enum status store_read(struct store *store, struct store_table *table, struct diag *diag);
void store_table_release(struct store_table *table);

/* How many files that a point read have other bytes now; `names` gets the first of them, "a, b". */
uint32_t store_changed(struct store *store, uint32_t ordinal, char *names, size_t size);

#endif
