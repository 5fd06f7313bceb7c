/* Profiles: reading the CSV, and putting rows in order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/file.h"
#include "compute/profile_parts.h"

enum { MOST_COLUMNS = 64, CELL = 320, LARGEST = 64 << 20 };

enum column {
    COL_OP,
    COL_M,
    COL_N,
    COL_K,
    COL_BATCH,
    COL_TYPE,
    COL_CLASS,
    COL_NS,
    COL_US,
    COL_MS,
    COL_OTHER
};
static const char *const column_names[] = {
    "op", "m", "n", "k", "batch", "type", "class", "time_ns", "time_us", "time_ms", NULL};

struct csv_reader {
    struct profile *profile;
    struct notices *notices;
    struct diag *diag;
    const char *name;
    uint32_t line;
    enum column column[MOST_COLUMNS];
    uint32_t columns;
    char cell[COL_OTHER][CELL]; /* of this row, "" if there is none */
};

static enum status refuse(const struct csv_reader *reader, const char *field, const char *expected,
                          const char *found)
{
    diag_fail(reader->diag, STATUS_BAD_CONFIG, "expected %s, found \"%.60s\"", expected, found);
    diag_in(reader->diag, reader->name);
    diag_at(reader->diag, DIAG_LINE, reader->line);
    diag_field(reader->diag, "%s", field);
    return STATUS_BAD_CONFIG;
}

/* -- cells ------------------------------------------------------------------------------------- */

/* The next cell of a line into `to`, without blanks around it and quotes; NULL at the line's
 * end. */
static const char *next_cell(const char *at, const char *end, char to[CELL])
{
    size_t used = 0;
    bool is_quoted = false;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    for (; at < end && (is_quoted || *at != ','); at++) {
        if (*at == '"')
            is_quoted = !is_quoted;
        else if (used + 1 < CELL)
            to[used++] = *at;
    }
    while (used > 0 && (to[used - 1] == ' ' || to[used - 1] == '\t' || to[used - 1] == '\r'))
        used--;
    to[used] = '\0';
    return at < end ? at + 1 : NULL;
}

static enum status read_heading(struct csv_reader *reader, const char *at, const char *end)
{
    bool has[COL_OTHER + 1] = {0};
    reader->columns = 0;
    while (at) {
        char cell[CELL];
        at = next_cell(at, end, cell);
        if (reader->columns == MOST_COLUMNS)
            return refuse(reader, "heading", "at most 64 columns", cell);
        uint32_t column = 0;
        while (column < COL_OTHER && strcmp(column_names[column], cell) != 0)
            column++;
        if (column < COL_OTHER && has[column])
            return refuse(reader, "heading", "each column once", cell);
        if (column == COL_OTHER)
            notices_add(reader->notices, NOTICE_IGNORED, "column of a profile", 1, "\"%.60s\"",
                        cell);
        has[column] = true;
        reader->column[reader->columns++] = column;
    }
    int times = has[COL_NS] + has[COL_US] + has[COL_MS];
    if (times != 1)
        return refuse(reader, "heading", "one column time_ns, time_us or time_ms",
                      times ? "several" : "none");
    if (!has[COL_OP] && !(has[COL_M] && has[COL_N] && has[COL_K]))
        return refuse(reader, "heading", "a column op, or columns m, n and k", "neither");
    return STATUS_OK;
}

static enum status read_size(const struct csv_reader *reader, enum column column, uint64_t *size)
{
    const char *cell = reader->cell[column];
    if (!decimal_u64(cell, strlen(cell), size) || *size < 1 || *size > OP_SIZE_MOST)
        return refuse(reader, column_names[column], "a whole number from 1 to 2^48", cell);
    return STATUS_OK;
}

static enum status shape_of_columns(const struct csv_reader *reader, struct op_shape *shape)
{
    *shape = (struct op_shape){.class = OP_CLASS_GEMM, .type = TYPE_BF16, .batch = 1};
    enum status status = read_size(reader, COL_M, &shape->m);
    if (status == STATUS_OK)
        status = read_size(reader, COL_N, &shape->n);
    if (status == STATUS_OK)
        status = read_size(reader, COL_K, &shape->k);
    if (status == STATUS_OK && reader->cell[COL_BATCH][0])
        status = read_size(reader, COL_BATCH, &shape->batch);
    if (status != STATUS_OK)
        return status;
    const char *type = reader->cell[COL_TYPE], *class = reader->cell[COL_CLASS];
    enum data_type found = type[0] ? data_type_find(type) : TYPE_BF16;
    if (found == DATA_TYPE_COUNT)
        return refuse(reader, "type", "a number type", type);
    shape->type = (uint8_t)found;
    shape->out_type = (uint8_t)data_type_result(found);
    shape->class = (uint8_t)(class[0] ? op_class_find(class) : OP_CLASS_GEMM);
    if (!op_class_is_product(shape->class))
        return refuse(reader, "class", "gemm, grouped-gemm or conv (others by a column op)", class);
    op_shape_finish(shape);
    return STATUS_OK;
}

static enum status read_shape(const struct csv_reader *reader, struct op_shape *shape)
{
    if (!reader->cell[COL_OP][0])
        return shape_of_columns(reader, shape);
    enum status status = op_shape_parse(shape, reader->cell[COL_OP], reader->diag);
    if (status == STATUS_OK)
        return STATUS_OK;
    diag_in(reader->diag, reader->name);
    diag_at(reader->diag, DIAG_LINE, reader->line);
    return reader->diag->status = STATUS_BAD_CONFIG;
}

static enum status read_time(const struct csv_reader *reader, double *ns)
{
    enum column column = reader->cell[COL_NS][0]   ? COL_NS
                         : reader->cell[COL_US][0] ? COL_US
                                                   : COL_MS;
    const char *cell = reader->cell[column];
    char *end;
    double time = strtod(cell, &end);
    *ns = time * (column == COL_NS ? 1 : column == COL_US ? 1e3 : 1e6);
    if (end == cell || *end || !(*ns >= 1e-3) || *ns > 1e21)
        return refuse(reader, column_names[column], "a time of 1 ps or more", cell);
    return STATUS_OK;
}

static void add_row(struct profile *profile, const struct op_shape *shape, double ns)
{
    if (profile->row_count == profile->room) {
        const struct profile_row *rows = profile->row;
        profile->room = profile->room ? 2 * profile->room : 64;
        profile->row = arena_array(profile->arena, profile->room, sizeof *profile->row);
        if (rows)
            memcpy(profile->row, rows, profile->row_count * sizeof *rows);
    }
    struct profile_row *row = &profile->row[profile->row_count++];
    struct op_shape kind;
    *row = (struct profile_row){.shape = *shape, .ns = ns, .samples = 1};
    profile_split(shape, row->size, &kind);
}

static enum status read_line(struct csv_reader *reader, const char *at, const char *end)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < COL_OTHER; c++)
        reader->cell[c][0] = '\0';
    while (at) {
        char spare[CELL];
        enum column column = count < reader->columns ? reader->column[count] : COL_OTHER;
        at = next_cell(at, end, column == COL_OTHER ? spare : reader->cell[column]);
        count++;
    }
    if (count != reader->columns) {
        char found[32], expected[48];
        snprintf(found, sizeof found, "%u", count);
        snprintf(expected, sizeof expected, "%u cells as in the heading", reader->columns);
        return refuse(reader, "row", expected, found);
    }
    struct op_shape shape;
    double ns = 0;
    enum status status = read_shape(reader, &shape);
    if (status == STATUS_OK)
        status = read_time(reader, &ns);
    if (status == STATUS_OK)
        add_row(reader->profile, &shape, ns);
    return status;
}

/* -- the file ---------------------------------------------------------------------------------- */

static bool is_left_out(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r'))
        at++;
    return at == end || *at == '#';
}

static enum status read_all(struct csv_reader *reader, const char *text, size_t length)
{
    enum status status = STATUS_OK;
    const char *last = text + length;
    for (const char *at = text; at < last && status == STATUS_OK;) {
        const char *end = memchr(at, '\n', (size_t)(last - at));
        end = end ? end : last;
        reader->line++;
        if (is_left_out(at, end))
            ;
        else if (reader->columns == 0)
            status = read_heading(reader, at, end);
        else
            status = read_line(reader, at, end);
        at = end + 1;
    }
    if (status == STATUS_OK && reader->profile->row_count == 0)
        status = refuse(reader, "file", "a heading and at least one row", "none");
    return status;
}

enum status profile_parse(const struct profile **profile, const char *name, const char *text,
                          size_t length, struct arena *arena, struct notices *notices,
                          struct diag *diag)
{
    struct csv_reader reader = {.notices = notices, .diag = diag, .name = name};
    reader.profile = arena_take(arena, sizeof *reader.profile);
    reader.profile->arena = arena;
    enum status status = read_all(&reader, text, length);
    if (status != STATUS_OK)
        return status;
    profile_seal(reader.profile);
    *profile = reader.profile;
    return STATUS_OK;
}

enum status profile_load(const struct profile **profile, const char *path, struct arena *arena,
                         struct notices *notices, struct diag *diag)
{
    struct file file;
    enum status status = file_load(&file, path, LARGEST, diag);
    if (status == STATUS_BAD_INPUT) /* what file.h calls it; here it is a configuration file */
        status = diag->status = STATUS_BAD_CONFIG;
    if (status != STATUS_OK)
        return status;
    status =
        profile_parse(profile, path, (const char *)file.bytes, file.length, arena, notices, diag);
    file_release(&file);
    return status;
}
