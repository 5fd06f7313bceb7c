/* Opening, the schema, results. The study: store_study.c; reading: store_read.c. */
#include "sweep/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "sweep/sql.h"

/* -- the lock ---------------------------------------------------------------------------------- */

static enum status fail_lock(const char *path, int lock, struct diag *diag)
{
    struct flock other = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int error = errno;
    if (lock >= 0 && fcntl(lock, F_GETLK, &other) == 0 && other.l_type != F_UNLCK) {
        diag_fail(diag, STATUS_IO, "another sweep (process %ld) writes to this store",
                  (long)other.l_pid);
        diag_hint(diag, "wait for it, or give this study a store of its own: --store FILE");
    } else {
        diag_fail(diag, STATUS_IO, "the store cannot be locked: %s", strerror(error));
        diag_hint(diag, "its folder must be writable: --store FILE names another place");
    }
    diag_in(diag, path);
    return STATUS_IO;
}

enum status store_lock(const char *path, int *lock, struct diag *diag)
{
    char name[4096];
    *lock = -1;
    if (snprintf(name, sizeof name, "%s.lock", path) >= (int)sizeof name)
        return diag_fail(diag, STATUS_IO, "the path of the store is too long");
    *lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    struct flock mine = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (*lock < 0 || fcntl(*lock, F_SETLK, &mine) != 0) {
        fail_lock(path, *lock, diag);
        if (*lock >= 0)
            close(*lock);
        *lock = -1;
        return STATUS_IO;
    }
    return STATUS_OK;
}

/* -- the schema -------------------------------------------------------------------------------- */

#define TEXT_OF(value)   TEXT_OF_IT(value)
#define TEXT_OF_IT(text) #text

static const char schema[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS input_set(id INTEGER PRIMARY KEY, hash BLOB UNIQUE);"
    "CREATE TABLE IF NOT EXISTS input(input_set INTEGER, role TEXT, path TEXT, hash INTEGER);"
    "CREATE INDEX IF NOT EXISTS input_of_set ON input(input_set);"
    "CREATE TABLE IF NOT EXISTS point(id INTEGER PRIMARY KEY, request BLOB NOT NULL UNIQUE,"
    " identity BLOB, inputs INTEGER, state TEXT, reason TEXT, host_s REAL, attempts INTEGER"
#define X(name, column, unit, meaning) "," column " REAL"
    MEASURE_LIST(X)
#undef X
        ");"
        "CREATE TABLE IF NOT EXISTS member(ordinal INTEGER PRIMARY KEY, request BLOB, axes TEXT);"
        "INSERT OR IGNORE INTO meta VALUES('schema', " TEXT_OF(
            STORE_SCHEMA) ");"
                          "INSERT OR IGNORE INTO meta VALUES('token', lower(hex(randomblob(8))));"
                          "COMMIT;";

static enum status check_schema(struct store *store, struct diag *diag)
{
    int64_t tables = sql_number(store, "SELECT count(*) FROM sqlite_master", -1);
    if (tables < 0)
        return sql_fail(store, "the store cannot be read", diag);
    if (tables == 0 && store->is_writer)
        return sql_run(store, schema, diag);
    int64_t found = sql_number(store, "SELECT value FROM meta WHERE key='schema'", -1);
    if (found == STORE_SCHEMA)
        return STATUS_OK;
    if (found < 0)
        diag_fail(diag, STATUS_BAD_INPUT, "a database, but no store of results");
    else
        diag_fail(diag, STATUS_BAD_INPUT, "expected a store of schema %d, found %" PRId64,
                  STORE_SCHEMA, found);
    diag_in(diag, store->path);
    return STATUS_BAD_INPUT;
}

/* -- rule 4 ------------------------------------------------------------------------------------ */

static void note_place(struct store *store)
{
    struct stat found;
    if (stat(store->path, &found) != 0)
        return;
    store->device = found.st_dev;
    store->inode = found.st_ino;
    store->size = found.st_size;
}

static enum status check_place(struct store *store, struct diag *diag)
{
    struct stat found;
    const char *fault = NULL;
    if (stat(store->path, &found) != 0)
        fault = "deleted or moved";
    else if (found.st_dev != store->device || found.st_ino != store->inode)
        fault = "replaced by another file";
    else if (found.st_size < store->size)
        fault = "cut short";
    else
        store->size = found.st_size;
    if (!fault)
        return STATUS_OK;
    diag_fail(diag, STATUS_IO, "the store was %s while this program wrote to it", fault);
    diag_in(diag, store->path);
    diag_hint(diag, "the same command runs again what the store then lacks");
    return STATUS_IO;
}

/* -- opening ----------------------------------------------------------------------------------- */

static const char put_text[] =
    "INSERT OR REPLACE INTO point(request, identity, inputs, state, reason, host_s, attempts"
#define X(name, column, unit, meaning) "," column
    MEASURE_LIST(X)
#undef X
        ") VALUES(?,?,?,?,?,?,?"
#define X(name, column, unit, meaning) ",?"
    MEASURE_LIST(X)
#undef X
        ")";

/* SQLite would wait for a pipe's other end, and calls a folder a disk error. */
static enum status check_kind(const struct store *store, struct diag *diag)
{
    struct stat found;
    if (stat(store->path, &found) != 0 || S_ISREG(found.st_mode))
        return STATUS_OK;
    diag_fail(diag, STATUS_IO, "the store cannot be opened: %s",
              S_ISDIR(found.st_mode) ? "it is a folder" : "it is no regular file");
    diag_in(diag, store->path);
    return STATUS_IO;
}

static enum status open_database(struct store *store, struct diag *diag)
{
    if (check_kind(store, diag) != STATUS_OK)
        return diag->status;
    int flags =
        store->is_writer ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    if (sqlite3_open_v2(store->path, &store->db, flags, NULL) != SQLITE_OK)
        return sql_fail(store, "the store cannot be opened", diag);
    sqlite3_busy_timeout(store->db, store->wait_ms);
    if (!store->is_writer)
        return check_schema(store, diag);
    enum status status = STATUS_OK;
    if (store->is_alone)
        status = sql_run(store, "PRAGMA locking_mode=EXCLUSIVE", diag);
    if (status == STATUS_OK)
        status = sql_run(store, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;", diag);
    if (status == STATUS_OK)
        status = check_schema(store, diag);
    if (status == STATUS_OK) /* a file that cannot be written is found before the first point */
        status = sql_run(
            store, "BEGIN IMMEDIATE; UPDATE meta SET value=value WHERE key='schema'; COMMIT", diag);
    if (status == STATUS_OK && !(store->put = sql_prepare(store, put_text, diag)))
        status = diag->status;
    if (status == STATUS_OK &&
        !(store->find = sql_prepare(
              store, "SELECT inputs, state, reason, time_s FROM point WHERE request=?", diag)))
        status = diag->status;
    note_place(store);
    return status;
}

static struct store *store_create(const char *path, bool is_writer, int wait_ms)
{
    struct store *store = calloc(1, sizeof *store);
    need_memory(store != NULL);
    store->path = strdup(path);
    need_memory(store->path != NULL);
    store->is_writer = is_writer;
    store->wait_ms = wait_ms;
    store->lock = -1;
    table_init(&store->checked);
    return store;
}

static struct store *finish_opening(struct store *store, enum status status, struct diag *diag)
{
    if (status == STATUS_OK)
        status = open_database(store, diag);
    if (status == STATUS_OK)
        return store;
    store_close(store);
    return NULL;
}

struct store *store_open(const char *path, bool is_writer, struct diag *diag)
{
    struct store *store = store_create(path, is_writer, 5000);
    enum status status = is_writer ? store_lock(path, &store->lock, diag) : STATUS_OK;
    return finish_opening(store, status, diag);
}

struct store *store_open_to_look(const char *path, struct diag *diag)
{
    return finish_opening(store_create(path, false, 50), STATUS_OK, diag);
}

struct store *store_open_alone(const char *path, double wait_s, struct diag *diag)
{
    enum { PAUSE_MS = 200 };
    const struct timespec pause = {0, PAUSE_MS * 1000000L};
    struct store *store = store_create(path, true, 5000);
    store->is_alone = true;
    struct diag none = DIAG_NONE;
    for (int left = (int)(wait_s * 1000) / PAUSE_MS;
         left > 0 && store_lock(path, &store->lock, &none) != STATUS_OK; left--) {
        none = DIAG_NONE;
        nanosleep(&pause, NULL);
    }
    enum status status = store->lock >= 0 ? STATUS_OK : store_lock(path, &store->lock, diag);
    return finish_opening(store, status, diag);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    sqlite3_finalize(store->put);
    sqlite3_finalize(store->find);
    if (store->is_writer &&
        store->db) { /* one file again, which can be read where none can be made */
        sqlite3_busy_timeout(store->db, 0);
        sqlite3_exec(store->db, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL);
    }
    sqlite3_close(store->db);
    table_release(&store->checked);
    if (store->lock >= 0)
        close(store->lock);
    free(store->path);
    free(store);
}

/* -- inputs ------------------------------------------------------------------------------------ */

static bool check_inputs(struct store *store, int64_t set)
{
    struct diag none = DIAG_NONE;
    sqlite3_stmt *rows =
        sql_prepare(store, "SELECT role, path, hash FROM input WHERE input_set=?", &none);
    if (!rows)
        return false;
    sqlite3_bind_int64(rows, 1, set);
    bool same = true;
    while (same && sqlite3_step(rows) == SQLITE_ROW) {
        const char *role = (const char *)sqlite3_column_text(rows, 0);
        const char *path = (const char *)sqlite3_column_text(rows, 1);
        same =
            role && path && input_hash_now(role, path) == (uint64_t)sqlite3_column_int64(rows, 2);
    }
    sqlite3_finalize(rows);
    return same;
}

static bool is_unchanged(struct store *store, int64_t set)
{
    uint32_t known = table_find(&store->checked, (uint64_t)set);
    if (known == TABLE_NONE) {
        known = check_inputs(store, set);
        table_put(&store->checked, (uint64_t)set, known);
    }
    return known == 1;
}

static struct identity hash_inputs(const struct input_file *input, uint32_t count)
{
    struct identity hash = identity_of_bytes("", 0);
    for (uint32_t i = 0; i < count; i++) {
        hash = identity_join(hash, identity_of_bytes(input[i].role, strlen(input[i].role)));
        hash = identity_join(hash, identity_of_bytes(input[i].path, strlen(input[i].path)));
        hash = identity_join(hash, identity_of_bytes(&input[i].hash, sizeof input[i].hash));
    }
    return hash;
}

static enum status add_input(struct store *store, int64_t set, const struct input_file *input,
                             struct diag *diag)
{
    sqlite3_stmt *put = sql_prepare(store, "INSERT INTO input VALUES(?,?,?,?)", diag);
    if (!put)
        return diag->status;
    sqlite3_bind_int64(put, 1, set);
    sqlite3_bind_text(put, 2, input->role, -1, SQLITE_STATIC);
    sqlite3_bind_text(put, 3, input->path, -1, SQLITE_STATIC);
    sqlite3_bind_int64(put, 4, (int64_t)input->hash);
    enum status status = sql_finish(store, put, "the inputs cannot be written", diag);
    sqlite3_finalize(put);
    return status;
}

/* The number of the set, which is added if it is new. */
static enum status find_set(struct store *store, const struct input_file *input, uint32_t count,
                            struct identity hash, int64_t *set, struct diag *diag)
{
    sqlite3_stmt *find = sql_prepare(store, "SELECT id FROM input_set WHERE hash=?", diag);
    if (!find)
        return diag->status;
    sqlite3_bind_blob(find, 1, &hash, sizeof hash, SQLITE_STATIC);
    bool is_there = sqlite3_step(find) == SQLITE_ROW;
    *set = is_there ? sqlite3_column_int64(find, 0) : 0;
    sqlite3_finalize(find);
    if (is_there)
        return STATUS_OK;
    sqlite3_stmt *put = sql_prepare(store, "INSERT INTO input_set(hash) VALUES(?)", diag);
    if (!put)
        return diag->status;
    sqlite3_bind_blob(put, 1, &hash, sizeof hash, SQLITE_STATIC);
    enum status status = sql_finish(store, put, "the inputs cannot be written", diag);
    sqlite3_finalize(put);
    *set = sqlite3_last_insert_rowid(store->db);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        status = add_input(store, *set, &input[i], diag);
    return status;
}

/* -- points ------------------------------------------------------------------------------------ */

static void copy_column(char *to, size_t size, sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    snprintf(to, size, "%s", text ? text : "");
}

bool store_find(struct store *store, struct identity request, struct point_result *result)
{
    sqlite3_bind_blob(store->find, 1, &request, sizeof request, SQLITE_STATIC);
    bool is_there = sqlite3_step(store->find) == SQLITE_ROW;
    int64_t set = 0;
    if (is_there) {
        point_result_clear(result, "");
        set = sqlite3_column_int64(store->find, 0);
        copy_column(result->state, sizeof result->state, store->find, 1);
        copy_column(result->reason, sizeof result->reason, store->find, 2);
        if (sqlite3_column_type(store->find, 3) != SQLITE_NULL)
            result->value[MEASURE_TIME] = sqlite3_column_double(store->find, 3);
    }
    sqlite3_reset(store->find);
    return is_there && is_unchanged(store, set);
}

void store_begin_finding(struct store *store)
{
    sqlite3_exec(store->db, "BEGIN", NULL, NULL, NULL);
}

void store_end_finding(struct store *store)
{
    sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
}

static enum status put_row(struct store *store, struct identity request, int64_t set,
                           struct identity identity, const struct point_result *result,
                           uint32_t attempts, struct diag *diag)
{
    sqlite3_stmt *put = store->put;
    sqlite3_bind_blob(put, 1, &request, sizeof request, SQLITE_STATIC);
    sqlite3_bind_blob(put, 2, &identity, sizeof identity, SQLITE_STATIC);
    sqlite3_bind_int64(put, 3, set);
    sqlite3_bind_text(put, 4, result->state, -1, SQLITE_STATIC);
    sqlite3_bind_text(put, 5, result->reason, -1, SQLITE_STATIC);
    sqlite3_bind_double(put, 6, result->host_s);
    sqlite3_bind_int64(put, 7, attempts);
    for (int i = 0; i < MEASURE_COUNT; i++) {
        if (!isnan(result->value[i]))
            sqlite3_bind_double(put, 8 + i, result->value[i]);
    }
    return sql_finish(store, put, "a result cannot be written", diag);
}

enum status store_put(struct store *store, struct identity request,
                      const struct point_result *result, const struct input_file *input,
                      uint32_t input_count, uint32_t attempts, struct diag *diag)
{
    struct identity hash = hash_inputs(input, input_count);
    int64_t set = 0;
    enum status status = sql_run(store, "BEGIN IMMEDIATE", diag);
    if (status != STATUS_OK)
        return status;
    status = find_set(store, input, input_count, hash, &set, diag);
    if (status == STATUS_OK)
        status = put_row(store, request, set, identity_join(request, hash), result, attempts, diag);
    if (status == STATUS_OK)
        status = sql_run(store, "COMMIT", diag);
    if (status != STATUS_OK)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return status == STATUS_OK ? check_place(store, diag) : status;
}
