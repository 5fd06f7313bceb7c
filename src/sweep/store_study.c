/* The present study, in the store. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sweep/sql.h"
#include "sweep/store.h"

static enum status set_meta(struct store *store, const char *key, const char *value,
                            struct diag *diag)
{
    sqlite3_stmt *put = sql_prepare(store, "INSERT OR REPLACE INTO meta VALUES(?,?)", diag);
    if (!put)
        return diag->status;
    sqlite3_bind_text(put, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(put, 2, value, -1, SQLITE_STATIC);
    enum status status = sql_finish(store, put, "the study cannot be written", diag);
    sqlite3_finalize(put);
    return status;
}

/* "INSERT INTO member VALUES(?1, ?2, json_array(?3, ..))", by `count` axes. */
static sqlite3_stmt *prepare_member(struct store *store, uint32_t count, struct diag *diag)
{
    char text[512];
    int n = snprintf(text, sizeof text, "INSERT INTO member VALUES(?1,?2,json_array(");
    for (uint32_t i = 0; i < count; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s?%" PRIu32, i ? "," : "", i + 3);
    snprintf(text + n, sizeof text - (size_t)n, "))");
    return sql_prepare(store, text, diag);
}

static enum status put_members(struct store *store, const struct study *study,
                               const struct points *points, const struct identity *request,
                               struct diag *diag)
{
    sqlite3_stmt *put = prepare_member(store, study->axis_count, diag);
    if (!put)
        return diag->status;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < points->count && status == STATUS_OK; i++) {
        uint32_t value[STUDY_AXES];
        points_values(study, points->place[i], value);
        sqlite3_bind_int64(put, 1, i);
        sqlite3_bind_blob(put, 2, &request[i], sizeof *request, SQLITE_STATIC);
        for (uint32_t k = 0; k < study->axis_count; k++)
            sqlite3_bind_text(put, (int)k + 3, study->axis[k].text[value[k]], -1, SQLITE_STATIC);
        status = sql_finish(store, put, "the points cannot be written", diag);
    }
    sqlite3_finalize(put);
    return status;
}

/* The keys of the axes as a JSON list, and the view that has a column for each. */
static enum status put_axes(struct store *store, const struct study *study, struct diag *diag)
{
    sqlite3_str *keys = sqlite3_str_new(store->db), *view = sqlite3_str_new(store->db);
    sqlite3_str_appendall(view,
                          "DROP VIEW IF EXISTS results; CREATE VIEW results AS SELECT m.ordinal");
    for (uint32_t i = 0; i < study->axis_count; i++) {
        sqlite3_str_appendf(keys, "%s\"%s\"", i ? "," : "[", study->axis[i].key);
        sqlite3_str_appendf(view, ", json_extract(m.axes,'$[%u]') AS \"%w\"", i,
                            study->axis[i].key);
    }
    sqlite3_str_appendall(keys, study->axis_count ? "]" : "[]");
    sqlite3_str_appendall(view, ", p.state, p.reason");
    for (int i = 0; i < MEASURE_COUNT; i++)
        sqlite3_str_appendf(view, ", p.%s", measure_columns[i]);
    sqlite3_str_appendall(view,
                          ", hex(p.identity) AS identity FROM member m JOIN point p USING(request)"
                          " ORDER BY m.ordinal");
    char *keys_text = sqlite3_str_finish(keys), *view_text = sqlite3_str_finish(view);
    need_memory(keys_text && view_text);
    enum status status = sql_run(store, view_text, diag);
    if (status == STATUS_OK)
        status = set_meta(store, "axes", keys_text, diag);
    sqlite3_free(keys_text);
    sqlite3_free(view_text);
    return status;
}

/* A repeated study writes nothing. */
static bool is_present(struct store *store, const char *points)
{
    char *before = sql_text(store, "SELECT value FROM meta WHERE key='points'", NULL);
    bool same = before && strcmp(before, points) == 0;
    free(before);
    return same;
}

enum status store_set_study(struct store *store, const struct study *study,
                            const struct points *points, const struct identity *request,
                            const char *program, struct diag *diag)
{
    char hash[IDENTITY_HEX];
    struct identity list = identity_of_bytes(request, points->count * sizeof *request);
    identity_show(hash, identity_join(list, identity_of_bytes(study->text, strlen(study->text))));
    if (is_present(store, hash))
        return STATUS_OK;
    const char *const meta[][2] = {
        {"program", program}, {"path", study->path}, {"study", study->text}, {"points", hash}};
    enum status status = sql_run(store, "BEGIN IMMEDIATE; DELETE FROM member", diag);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < sizeof meta / sizeof *meta && status == STATUS_OK; i++)
        status = set_meta(store, meta[i][0], meta[i][1], diag);
    if (status == STATUS_OK)
        status = put_axes(store, study, diag);
    if (status == STATUS_OK)
        status = put_members(store, study, points, request, diag);
    if (status == STATUS_OK)
        status = sql_run(store, "COMMIT", diag);
    if (status != STATUS_OK)
        sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}
