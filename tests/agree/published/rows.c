/* The table: RFC 4180 with quoted fields, columns found by the names in the header. */
#include <string.h>

#include "base/file.h"
#include "tests/agree/published/published.h"

static const char *const names[COLUMN_COUNT] = {
    "id",    "series",        "family",     "source",  "hardware",   "op",         "gpus",
    "nodes", "gpus_per_node", "bytes",      "time_us", "busbw_gbps", "algbw_gbps", "dtype",
    "intra", "lib",           "provenance", "note",    "inter"};

enum { CELLS_MOST = 40 };

/* Reads one record; returns its number of cells, 0 at the end. */
static uint32_t read_record(const char **at, const char *end, struct arena *arena,
                            const char **cell)
{
    uint32_t count = 0;
    while (*at < end && count < CELLS_MOST) {
        const char *start = *at;
        bool quoted = *start == '"';
        const char *stop = quoted ? start + 1 : start;
        while (stop < end && (quoted ? *stop != '"' || (stop + 1 < end && stop[1] == '"')
                                     : *stop != ',' && *stop != '\n' && *stop != '\r'))
            stop += quoted && *stop == '"' ? 2 : 1;
        start += quoted;
        cell[count++] = arena_text(arena, start, (size_t)(stop - start));
        stop += quoted && stop < end;
        while (stop < end && *stop == '\r')
            stop++;
        bool more = stop < end && *stop == ',';
        *at = stop < end ? stop + 1 : end;
        if (!more)
            break;
    }
    return count;
}

static enum status find_columns(const char **cell, uint32_t cells, const char *path, int *column,
                                struct diag *diag)
{
    for (int c = 0; c < COLUMN_COUNT; c++) {
        column[c] = -1;
        for (uint32_t i = 0; i < cells; i++) {
            if (strcmp(cell[i], names[c]) == 0)
                column[c] = (int)i;
        }
        if (column[c] < 0) {
            diag_in(diag, path);
            diag_at(diag, DIAG_LINE, 1);
            return diag_fail(diag, STATUS_BAD_INPUT, "no column is called \"%s\"", names[c]);
        }
    }
    return STATUS_OK;
}

enum status published_load(const char *path, struct arena *arena, struct published_row **rows,
                           uint32_t *count, struct diag *diag)
{
    struct file file;
    enum status status = file_load(&file, path, FILE_NO_LIMIT, diag);
    if (status != STATUS_OK)
        return status;
    const char *at = (const char *)file.bytes, *end = at + file.length;
    uint32_t lines = 0;
    for (const char *p = at; p < end; p++)
        lines += *p == '\n';
    *rows = arena_array(arena, lines + 1, sizeof **rows);
    *count = 0;
    const char *cell[CELLS_MOST];
    int column[COLUMN_COUNT];
    uint32_t cells = read_record(&at, end, arena, cell);
    status = find_columns(cell, cells, path, column, diag);
    while (status == STATUS_OK && (cells = read_record(&at, end, arena, cell)) > 0) {
        struct published_row *row = &(*rows)[(*count)++];
        for (int c = 0; c < COLUMN_COUNT; c++)
            row->text[c] = (uint32_t)column[c] < cells ? cell[column[c]] : "";
    }
    file_release(&file);
    return status;
}
