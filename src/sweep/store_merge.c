/* Results of another store, into this one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/sql.h"
#include "sweep/store.h"

/* `part` is the other file. Rows up to the last id that a merge took are old: a row that is replaced
 * gets a new one. Input sets have numbers of their own in each file: their hashes join them. */
static const char merge_text[] =
    "INSERT OR IGNORE INTO main.meta SELECT 'merged '||value, 0 FROM part.meta WHERE key='token';"
    "INSERT OR IGNORE INTO main.input_set(hash) SELECT hash FROM part.input_set ORDER BY id;"
    "INSERT INTO main.input SELECT m.id, i.role, i.path, i.hash FROM part.input i"
    " JOIN part.input_set s ON s.id=i.input_set JOIN main.input_set m ON m.hash=s.hash"
    " WHERE NOT EXISTS (SELECT 1 FROM main.input x WHERE x.input_set=m.id) ORDER BY i.rowid;"
    "INSERT OR REPLACE INTO main.point(request, identity, inputs, state, reason, host_s, attempts"
#define X(name, column, unit, meaning) "," column
    MEASURE_LIST(X)
#undef X
        ") SELECT p.request, p.identity, m.id, p.state, p.reason, p.host_s, p.attempts"
#define X(name, column, unit, meaning) ",p." column
    MEASURE_LIST(X)
#undef X
        " FROM part.point p JOIN part.input_set s ON s.id=p.inputs"
        " JOIN main.input_set m ON m.hash=s.hash WHERE p.id > (SELECT value FROM main.meta"
        "  WHERE key=(SELECT 'merged '||value FROM part.meta WHERE key='token')) ORDER BY p.id";

static const char mark_text[] =
    "UPDATE main.meta SET value=(SELECT coalesce(max(id), 0) FROM part.point)"
    " WHERE key=(SELECT 'merged '||value FROM part.meta WHERE key='token')";

static enum status attach(const struct store *store, const char *path, struct diag *diag)
{
    sqlite3_stmt *attach = sql_prepare(store, "ATTACH DATABASE ? AS part", diag);
    if (!attach)
        return diag->status;
    sqlite3_bind_text(attach, 1, path, -1, SQLITE_STATIC);
    enum status status = sql_finish(store, attach, "the results cannot be opened", diag);
    sqlite3_finalize(attach);
    return status;
}

/* What a lost machine left may be no database any more. */
static enum status check_part(struct store *store, const char *path, struct diag *diag)
{
    int64_t schema = sql_number(store, "SELECT value FROM part.meta WHERE key='schema'", -1);
    char *fault = sql_text(store, "PRAGMA part.quick_check(1)", NULL);
    enum status status = STATUS_OK;
    if (schema < 0 || !fault || strcmp(fault, "ok") != 0)
        status = diag_fail(diag, STATUS_BAD_INPUT, "the file is damaged");
    else if (schema != STORE_SCHEMA)
        status = diag_fail(diag, STATUS_BAD_INPUT, "expected results of schema %d, found %" PRId64,
                           STORE_SCHEMA, schema);
    if (status != STATUS_OK)
        diag_in(diag, path);
    free(fault);
    return status;
}

static enum status take_rows(struct store *store, uint32_t *added, struct diag *diag)
{
    enum status status = sql_run(store, "BEGIN IMMEDIATE", diag);
    if (status != STATUS_OK)
        return status;
    status = sql_run(store, merge_text, diag);
    *added = status == STATUS_OK ? (uint32_t)sqlite3_changes(store->db) : 0;
    if (status == STATUS_OK)
        status = sql_run(store, mark_text, diag);
    if (status == STATUS_OK)
        status = sql_run(store, "COMMIT", diag);
    if (status != STATUS_OK)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

enum status store_merge(struct store *store, const char *path, struct store_merged *merged,
                        struct diag *diag)
{
    int lock = -1;
    struct diag none = DIAG_NONE;
    *merged = (struct store_merged){0, 0};
    promise(store->is_alone);
    if (store_lock(path, &lock, &none) != STATUS_OK)
        return STATUS_IO;
    enum status status = attach(store, path, diag);
    if (status == STATUS_OK) {
        status = check_part(store, path, diag);
        if (status == STATUS_OK)
            status = take_rows(store, &merged->added, diag);
        merged->held = (uint32_t)sql_number(store, "SELECT count(*) FROM part.point", 0);
        sqlite3_exec(store->db, "DETACH DATABASE part", NULL, NULL, NULL);
    }
    close(lock);
    return status;
}
