#include "sweep/sql.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum status sql_fail(const struct store *store, const char *doing, struct diag *diag)
{
    int code = store->db ? sqlite3_errcode(store->db) & 0xff : SQLITE_NOMEM;
    diag_fail(diag, code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? STATUS_BAD_INPUT : STATUS_IO,
              "%s: %s", doing, store->db ? sqlite3_errmsg(store->db) : "no memory");
    diag_in(diag, store->path);
    if (code == SQLITE_FULL)
        diag_hint(diag, "make room and give the same command again: what ended is kept");
    else if (code == SQLITE_CANTOPEN && !store->is_writer)
        diag_hint(diag, "is it there? orrery sweep STUDY.yaml writes STUDY.db");
    else if (code == SQLITE_READONLY || code == SQLITE_CANTOPEN || code == SQLITE_PERM)
        diag_hint(diag, "file and folder must be writable: --store FILE names another place");
    else if (code == SQLITE_CORRUPT)
        diag_hint(diag,
                  "move it away: the study then runs anew (sqlite3 FILE .recover may save rows)");
    else if (code == SQLITE_NOTADB)
        diag_hint(diag, "it is no store of results: another name, or move it away");
    return diag->status;
}

enum status sql_run(const struct store *store, const char *text, struct diag *diag)
{
    if (sqlite3_exec(store->db, text, NULL, NULL, NULL) == SQLITE_OK)
        return STATUS_OK;
    return sql_fail(store, "the store cannot be used", diag);
}

sqlite3_stmt *sql_prepare(const struct store *store, const char *text, struct diag *diag)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(store->db, text, -1, &statement, NULL) != SQLITE_OK)
        sql_fail(store, "the store cannot be used", diag);
    return statement;
}

enum status sql_finish(const struct store *store, sqlite3_stmt *statement, const char *doing,
                       struct diag *diag)
{
    enum status status = STATUS_OK;
    if (sqlite3_step(statement) != SQLITE_DONE)
        status = sql_fail(store, doing, diag);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return status;
}

char *sql_text(const struct store *store, const char *query, const char *bound)
{
    struct diag none = DIAG_NONE;
    sqlite3_stmt *statement = sql_prepare(store, query, &none);
    char *copy = NULL;
    if (statement && bound)
        sqlite3_bind_text(statement, 1, bound, -1, SQLITE_STATIC);
    if (statement && sqlite3_step(statement) == SQLITE_ROW &&
        sqlite3_column_type(statement, 0) != SQLITE_NULL) {
        copy = strdup((const char *)sqlite3_column_text(statement, 0));
        need_memory(copy != NULL);
    }
    sqlite3_finalize(statement);
    return copy;
}

int64_t sql_number(const struct store *store, const char *query, int64_t otherwise)
{
    struct diag none = DIAG_NONE;
    sqlite3_stmt *statement = sql_prepare(store, query, &none);
    if (statement && sqlite3_step(statement) == SQLITE_ROW)
        otherwise = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return otherwise;
}
