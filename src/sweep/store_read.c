/* The points of the present study, out of the store. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sql.h"
#include "sweep/store.h"

static const char *keep_text(struct arena *arena, sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return arena_text(arena, text ? text : "", text ? strlen(text) : 0);
}

static const char *keep_meta(struct store *store, struct arena *arena, const char *key)
{
    char *text = sql_text(store, "SELECT value FROM meta WHERE key=?", key);
    const char *kept = arena_text(arena, text ? text : "", text ? strlen(text) : 0);
    free(text);
    return kept;
}

static enum status read_axes(struct store *store, struct store_table *table, struct diag *diag)
{
    sqlite3_stmt *rows = sql_prepare(
        store, "SELECT j.value FROM meta, json_each(meta.value) j WHERE meta.key='axes'", diag);
    if (!rows)
        return diag->status;
    table->axis = arena_array(&table->arena, STUDY_AXES + 1, sizeof *table->axis);
    while (table->axis_count < STUDY_AXES && sqlite3_step(rows) == SQLITE_ROW)
        table->axis[table->axis_count++] = keep_text(&table->arena, rows, 0);
    sqlite3_finalize(rows);
    return STATUS_OK;
}

/* Columns: ordinal, hex(identity), state, reason, the measures, the axes. */
static sqlite3_stmt *prepare_rows(struct store *store, const struct store_table *table,
                                  struct diag *diag)
{
    sqlite3_str *text = sqlite3_str_new(store->db);
    sqlite3_str_appendall(text, "SELECT m.ordinal, lower(hex(p.identity)), p.state, p.reason");
    for (int i = 0; i < MEASURE_COUNT; i++)
        sqlite3_str_appendf(text, ", p.%s", measure_columns[i]);
    for (uint32_t i = 0; i < table->axis_count; i++)
        sqlite3_str_appendf(text, ", json_extract(m.axes,'$[%u]')", i);
    sqlite3_str_appendall(text,
                          " FROM member m LEFT JOIN point p USING(request) ORDER BY m.ordinal");
    char *query = sqlite3_str_finish(text);
    sqlite3_stmt *rows = query ? sql_prepare(store, query, diag) : NULL;
    sqlite3_free(query);
    return rows;
}

static void read_row(struct store_row *row, struct store_table *table, sqlite3_stmt *from)
{
    struct arena *arena = &table->arena;
    row->ordinal = (uint32_t)sqlite3_column_int64(from, 0);
    row->is_done = sqlite3_column_type(from, 2) != SQLITE_NULL;
    if (row->is_done)
        snprintf(row->identity, sizeof row->identity, "%s", keep_text(arena, from, 1));
    row->state = row->is_done ? keep_text(arena, from, 2) : "pending";
    row->reason = keep_text(arena, from, 3);
    for (int i = 0; i < MEASURE_COUNT; i++)
        row->value[i] = sqlite3_column_type(from, 4 + i) == SQLITE_NULL
                            ? NAN
                            : sqlite3_column_double(from, 4 + i);
    row->axis = arena_array(arena, table->axis_count, sizeof *row->axis);
    for (uint32_t i = 0; i < table->axis_count; i++)
        row->axis[i] = keep_text(arena, from, 4 + MEASURE_COUNT + (int)i);
}

static enum status read_rows(struct store *store, struct store_table *table, struct diag *diag)
{
    sqlite3_stmt *rows = prepare_rows(store, table, diag);
    if (!rows)
        return diag_fail(diag, STATUS_IO, "the results cannot be read");
    int64_t count = sql_number(store, "SELECT count(*) FROM member", -1);
    if (count < 0) {
        sqlite3_finalize(rows);
        return sql_fail(store, "the results cannot be read", diag);
    }
    uint32_t room = (uint32_t)count;
    table->row = arena_array(&table->arena, room, sizeof *table->row);
    int code = SQLITE_DONE;
    while (table->count < room && (code = sqlite3_step(rows)) == SQLITE_ROW)
        read_row(&table->row[table->count++], table, rows);
    enum status status = STATUS_OK;
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        status = sql_fail(store, "the results cannot be read", diag);
    sqlite3_finalize(rows);
    return status;
}

enum status store_read(struct store *store, struct store_table *table, struct diag *diag)
{
    *table = (struct store_table){.count = 0};
    arena_init(&table->arena);
    /* One picture, also while a sweep writes. */
    enum status status = sql_run(store, "BEGIN", diag);
    if (status != STATUS_OK)
        return status;
    table->study = keep_meta(store, &table->arena, "study");
    table->program = keep_meta(store, &table->arena, "program");
    table->path = keep_meta(store, &table->arena, "path");
    status = read_axes(store, table, diag);
    if (status == STATUS_OK)
        status = read_rows(store, table, diag);
    sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
    return status;
}

void store_table_release(struct store_table *table)
{
    arena_release(&table->arena);
}

uint32_t store_changed(struct store *store, uint32_t ordinal, char *names, size_t size)
{
    struct diag none = DIAG_NONE;
    sqlite3_stmt *rows =
        sql_prepare(store,
                    "SELECT i.role, i.path, i.hash FROM member m JOIN point p USING(request)"
                    " JOIN input i ON i.input_set=p.inputs WHERE m.ordinal=?",
                    &none);
    uint32_t count = 0;
    size_t used = 0;
    *names = '\0';
    if (!rows)
        return 0;
    sqlite3_bind_int64(rows, 1, ordinal);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        const char *role = (const char *)sqlite3_column_text(rows, 0);
        const char *path = (const char *)sqlite3_column_text(rows, 1);
        if (!role || !path || input_hash_now(role, path) == (uint64_t)sqlite3_column_int64(rows, 2))
            continue;
        count++;
        if (used + strlen(path) + 3 < size)
            used += (size_t)snprintf(names + used, size - used, "%s%s", used ? ", " : "", path);
    }
    sqlite3_finalize(rows);
    return count;
}
