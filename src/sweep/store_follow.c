#include "sweep/store_follow.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/doc.h"
#include "base/memory.h"
#include "sweep/chunk_plan.h"
#include "sweep/sql.h"
#include "sweep/store.h"

/* What is looked at before a store is opened. */
struct print {
    dev_t device;
    ino_t inode;
    off_t size, log_size;
    struct timespec time, log_time;
};

/* Points with one request: more than one, if values mean the same. */
struct asked {
    uint32_t ordinal, count;
    bool is_done;
};

struct store_follow {
    char *path;
    struct print print;
    bool is_recent; /* the print may miss a change */
    struct store_state state;
    char *points;       /* meta's: what the study is */
    struct table place; /* first word of a request -> place in asked */
    struct asked *asked;
    uint32_t asked_count;
    int64_t last_id;   /* of results that are counted */
    uint64_t studies;  /* read so far */
    uint32_t refusals; /* of looks that followed each other */
};

struct store_follow *store_follow_create(const char *path)
{
    struct store_follow *follow = calloc(1, sizeof *follow);
    need_memory(follow != NULL);
    follow->path = strdup(path);
    need_memory(follow->path != NULL);
    table_init(&follow->place);
    return follow;
}

/* -- the study --------------------------------------------------------------------------------- */

static void forget(struct store_follow *follow)
{
    table_release(&follow->place);
    table_init(&follow->place);
    free(follow->asked);
    follow->asked = NULL;
    follow->asked_count = 0;
    free(follow->points);
    follow->points = NULL;
    follow->last_id = 0;
    follow->state.progress = (struct progress){.total = 0};
}

void store_follow_destroy(struct store_follow *follow)
{
    if (!follow)
        return;
    forget(follow);
    free(follow->path);
    free(follow);
}

/* The study's `best`, as the sweep reads it: what is wrong with it was said there. */
static void begin_progress(struct store_follow *follow, struct store *store, uint32_t total)
{
    struct diag none = DIAG_NONE;
    struct doc doc;
    struct progress *progress = &follow->state.progress;
    char *text = sql_text(store, "SELECT value FROM meta WHERE key='study'", NULL);
    const char *best = NULL;
    bool is_read =
        text && doc_parse(&doc, follow->path, text, strlen(text), DOC_YAML, &none) == STATUS_OK;
    if (is_read) {
        const struct doc_node *node = doc_find(doc.root, "best");
        best = node ? node->text : NULL;
    }
    if (progress_init(progress, PROGRESS_SILENT, total, best, &none) != STATUS_OK) {
        none = DIAG_NONE;
        progress_init(progress, PROGRESS_SILENT, total, NULL, &none);
    }
    if (is_read)
        doc_release(&doc);
    free(text);
}

static uint64_t first_word(sqlite3_stmt *row, int column)
{
    uint64_t word = 0;
    const void *blob = sqlite3_column_blob(row, column);
    if (blob && sqlite3_column_bytes(row, column) >= (int)sizeof word)
        memcpy(&word, blob, sizeof word);
    return word;
}

static void ask(struct store_follow *follow, uint32_t ordinal, uint64_t request)
{
    uint32_t at = table_find(&follow->place, request);
    if (at == TABLE_NONE) {
        at = follow->asked_count++;
        table_put(&follow->place, request, at);
        follow->asked[at].ordinal = ordinal;
    }
    follow->asked[at].count++;
}

/* The points of the study that the store holds now. */
static enum status read_members(struct store_follow *follow, struct store *store, struct diag *diag)
{
    forget(follow);
    follow->studies++;
    follow->points = sql_text(store, "SELECT value FROM meta WHERE key='points'", NULL);
    int64_t total = sql_number(store, "SELECT count(*) FROM member", 0);
    sqlite3_stmt *rows =
        sql_prepare(store, "SELECT ordinal, request FROM member ORDER BY ordinal", diag);
    if (!rows)
        return diag->status;
    follow->asked = calloc((size_t)total + 1, sizeof *follow->asked);
    need_memory(follow->asked != NULL);
    int code = SQLITE_ROW;
    for (int64_t i = 0; i < total && (code = sqlite3_step(rows)) == SQLITE_ROW; i++)
        ask(follow, (uint32_t)sqlite3_column_int64(rows, 0), first_word(rows, 1));
    enum status status = STATUS_OK;
    if (code != SQLITE_ROW)
        status = sql_fail(store, "the points cannot be read", diag);
    sqlite3_finalize(rows);
    begin_progress(follow, store, (uint32_t)total);
    return status;
}

static bool is_same_study(const struct store_follow *follow, const struct store *store)
{
    char *points = sql_text(store, "SELECT value FROM meta WHERE key='points'", NULL);
    bool same = follow->points && points && strcmp(points, follow->points) == 0;
    free(points);
    return same;
}

/* -- results ----------------------------------------------------------------------------------- */

/* Adds what is new. False in *is_counted if a result was replaced: all is to be counted again. */
static enum status count_results(struct store_follow *follow, struct store *store, bool *is_counted,
                                 struct diag *diag)
{
    char text[160];
    struct progress *progress = &follow->state.progress;
    snprintf(text, sizeof text, "SELECT id, request, state, %s FROM point WHERE id > ? ORDER BY id",
             measure_columns[progress->best_column]);
    sqlite3_stmt *rows = sql_prepare(store, text, diag);
    if (!rows)
        return diag->status;
    int code;
    *is_counted = true;
    sqlite3_bind_int64(rows, 1, follow->last_id);
    while (*is_counted && (code = sqlite3_step(rows)) == SQLITE_ROW) {
        uint32_t at = table_find(&follow->place, first_word(rows, 1));
        follow->last_id = sqlite3_column_int64(rows, 0);
        if (at == TABLE_NONE)
            continue; /* of an earlier study */
        struct asked *asked = &follow->asked[at];
        *is_counted = !asked->is_done;
        asked->is_done = true;
        struct point_result result;
        const char *state = (const char *)sqlite3_column_text(rows, 2);
        point_result_clear(&result, state ? state : "");
        if (sqlite3_column_type(rows, 3) != SQLITE_NULL)
            result.value[progress->best_column] = sqlite3_column_double(rows, 3);
        for (uint32_t i = 0; i < asked->count; i++)
            progress_add(progress, asked->ordinal, &result, true);
    }
    enum status status = STATUS_OK;
    if (*is_counted && code != SQLITE_DONE)
        status = sql_fail(store, "the results cannot be read", diag);
    sqlite3_finalize(rows);
    return status;
}

/* Ids shrink only where rows were taken away, which no sweep does: count again then, too. */
static enum status read_store(struct store_follow *follow, struct store *store, struct diag *diag)
{
    bool is_counted = true;
    enum status status = sql_run(store, "BEGIN", diag); /* one picture */
    if (status != STATUS_OK)
        return status;
    bool is_same = is_same_study(follow, store) &&
                   sql_number(store, "SELECT max(id) FROM point", 0) >= follow->last_id;
    if (!is_same)
        status = read_members(follow, store, diag);
    if (status == STATUS_OK)
        status = count_results(follow, store, &is_counted, diag);
    if (status == STATUS_OK && !is_counted) {
        status = read_members(follow, store, diag);
        if (status == STATUS_OK)
            status = count_results(follow, store, &is_counted, diag);
    }
    sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
    return status;
}

/* -- looking ----------------------------------------------------------------------------------- */

static double age_s(struct timespec time)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)(now.tv_sec - time.tv_sec) + (double)(now.tv_nsec - time.tv_nsec) / 1e9;
}

static bool is_recent(struct timespec time)
{
    return fabs(age_s(time)) < 0.1;
}

/* False if there is no store. */
static bool take_print(const char *path, struct print *print)
{
    char log[4096];
    struct stat file;
    memset(print, 0, sizeof *print);
    if (stat(path, &file) != 0)
        return false;
    print->device = file.st_dev;
    print->inode = file.st_ino;
    print->size = file.st_size;
    print->time = file.st_mtim;
    if (snprintf(log, sizeof log, "%s-wal", path) < (int)sizeof log && stat(log, &file) == 0) {
        print->log_size = file.st_size;
        print->log_time = file.st_mtim;
    }
    return true;
}

/* The lock file is another than the store: to open and close it gives no lock of SQLite back. */
static long find_writer(const char *path)
{
    char name[4096];
    if (snprintf(name, sizeof name, "%s.lock", path) >= (int)sizeof name)
        return 0;
    int lock = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct flock other = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool is_held = lock >= 0 && fcntl(lock, F_GETLK, &other) == 0 && other.l_type != F_UNLCK;
    if (lock >= 0)
        close(lock);
    return is_held ? (long)other.l_pid : 0;
}

static bool find_jobs(const char *path)
{
    char name[4096];
    struct stat folder;
    if (snprintf(name, sizeof name, "%s.slurm", path) >= (int)sizeof name ||
        stat(name, &folder) != 0)
        return false;
    struct arena arena;
    uint32_t count = 0;
    arena_init(&arena);
    chunk_submissions(&arena, name, &count);
    arena_release(&arena);
    return count > 0;
}

static enum status look_inside(struct store_follow *follow, struct diag *diag)
{
    struct print before = follow->print;
    if (!take_print(follow->path, &follow->print)) {
        diag_fail(diag, STATUS_IO, "the store cannot be opened: %s", strerror(errno));
        diag_in(diag, follow->path);
        return STATUS_IO;
    }
    if (follow->print.device != before.device || follow->print.inode != before.inode)
        forget(follow);
    struct store *store = store_open_to_look(follow->path, diag);
    if (!store)
        return diag->status;
    enum status status = read_store(follow, store, diag);
    store_close(store);
    return status;
}

/* A store that is locked for a moment, as where its writer ends, is not lost. */
static void look_again(struct store_follow *follow)
{
    struct store_state *state = &follow->state;
    struct diag why = DIAG_NONE;
    bool is_well = look_inside(follow, &why) == STATUS_OK;
    follow->is_recent =
        !is_well || is_recent(follow->print.time) || is_recent(follow->print.log_time);
    follow->refusals = is_well ? 0 : follow->refusals + 1;
    uint32_t patience = strstr(why.message, "locked") ? 20 : 2; /* SQLite's word */
    if (!is_well && follow->refusals < patience && state->is_well && follow->points)
        return;
    state->is_well = is_well;
    state->why = why;
    if (!is_well)
        forget(follow);
}

bool store_follow_look(struct store_follow *follow)
{
    struct store_state *state = &follow->state, before = *state;
    struct print now;
    int64_t last_id = follow->last_id;
    uint64_t studies = follow->studies;
    state->writer = find_writer(follow->path);
    state->has_jobs = find_jobs(follow->path);
    if (!take_print(follow->path, &now) || follow->is_recent || !state->is_well ||
        memcmp(&now, &follow->print, sizeof now) != 0)
        look_again(follow);
    bool is_new = state->version == 0 || state->is_well != before.is_well ||
                  follow->last_id != last_id || follow->studies != studies ||
                  strcmp(state->why.message, before.why.message) != 0;
    state->version += is_new;
    return is_new || state->writer != before.writer || state->has_jobs != before.has_jobs;
}

const struct store_state *store_follow_state(const struct store_follow *follow)
{
    return &follow->state;
}
