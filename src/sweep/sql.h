/*
 * sql - what the files of the store share: errors of SQLite in our words, and statements in one
 * line.
 */
#ifndef ORRERY_SWEEP_SQL_H
#define ORRERY_SWEEP_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "base/table.h"

struct store {
    sqlite3 *db;
    char *path;
    int lock; /* -1: a reader */
    bool is_writer, is_alone;
    int wait_ms; /* for who has locked it */
    sqlite3_stmt *put, *find;
    dev_t device; /* of the file, with inode and size: for who takes it away while we write */
    ino_t inode;
    off_t size;
    struct table checked; /* input set -> 1 unchanged, 0 changed */
};

/* The lock of rule 1 in store.h on the store at `path`: *lock is a file descriptor, or -1. */
enum status store_lock(const char *path, int *lock, struct diag *diag);

/* Fails with what SQLite says about the last call, and a hint for what users can change. */
enum status sql_fail(const struct store *store, const char *doing, struct diag *diag);

/* Runs statements that return nothing. */
enum status sql_run(const struct store *store, const char *text, struct diag *diag);

/* NULL, with a message, if it cannot be prepared. */
sqlite3_stmt *sql_prepare(const struct store *store, const char *text, struct diag *diag);

/* Steps, resets; fails unless the statement is done. */
enum status sql_finish(const struct store *store, sqlite3_stmt *statement, const char *doing,
                       struct diag *diag);

/* The single text or number that a query returns; NULL / `otherwise` if none. Text by malloc(). */
char *sql_text(const struct store *store, const char *query, const char *bound);
int64_t sql_number(const struct store *store, const char *query, int64_t otherwise);

#endif
