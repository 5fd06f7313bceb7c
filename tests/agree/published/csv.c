#include "tests/agree/published/csv.h"

#include <string.h>

#include "base/file.h"

enum { CELLS_MOST = 64 };

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

static enum status find_columns(const struct csv *csv, const char **header, uint32_t cells,
                                uint32_t *column, struct diag *diag)
{
    for (uint32_t c = 0; c < csv->columns; c++) {
        column[c] = cells;
        for (uint32_t i = 0; i < cells; i++) {
            if (strcmp(header[i], csv->names[c]) == 0)
                column[c] = i;
        }
        if (column[c] == cells) {
            diag_at(diag, DIAG_LINE, 1);
            return diag_fail(diag, STATUS_BAD_INPUT, "no column is called \"%s\"", csv->names[c]);
        }
    }
    return STATUS_OK;
}

enum status csv_load(struct csv *csv, const char *path, struct arena *arena, struct diag *diag)
{
    promise(csv->columns <= CELLS_MOST);
    csv->rows = 0;
    struct file file;
    enum status status = file_load(&file, path, FILE_NO_LIMIT, diag);
    if (status != STATUS_OK)
        return status;
    const char *at = (const char *)file.bytes, *end = at + file.length;
    size_t lines = 1;
    for (const char *p = at; p < end; p++)
        lines += *p == '\n';
    csv->cell = arena_array(arena, lines * csv->columns, sizeof *csv->cell);
    const char *cell[CELLS_MOST];
    uint32_t column[CELLS_MOST];
    while (at < end && *at == '#') {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        at = line ? line + 1 : end;
    }
    uint32_t cells = read_record(&at, end, arena, cell);
    status = find_columns(csv, cell, cells, column, diag);
    if (status != STATUS_OK)
        diag_in(diag, path);
    while (status == STATUS_OK && (cells = read_record(&at, end, arena, cell)) > 0) {
        const char **row = csv->cell + (size_t)csv->rows++ * csv->columns;
        for (uint32_t c = 0; c < csv->columns; c++)
            row[c] = column[c] < cells ? cell[column[c]] : "";
    }
    file_release(&file);
    return status;
}
