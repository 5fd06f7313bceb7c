#include <string.h>

#include "base/decimal.h"
#include "base/suggest.h"
#include "net/traffic/flow_file_parts.h"

enum column { COLUMN_ID, COLUMN_SRC, COLUMN_DST, COLUMN_BYTES, COLUMN_START, COLUMN_DEPS, COLUMNS };
static const char *const column_names[] = {"id", "src", "dst", "bytes", "start", "deps", NULL};
enum { NO_COLUMN = -1, MOST_CELLS = 16 };

struct cell {
    const char *text;
    size_t length;
};

struct csv {
    struct flow_reader *reader;
    int place[COLUMNS]; /* which cell of a line, or NO_COLUMN */
    uint32_t cells;     /* that a line has */
};

/* Cuts `line` at commas, blanks around cells off; more than MOST_CELLS are counted, not kept. */
static uint32_t cut(const struct flow_line *line, struct cell *cell)
{
    uint32_t count = 0;
    const char *begin = line->text, *end = line->text + line->length;
    for (;;) {
        const char *comma = memchr(begin, ',', (size_t)(end - begin));
        const char *stop = comma ? comma : end;
        const char *last = stop;
        while (begin < last && (*begin == ' ' || *begin == '\t'))
            begin++;
        while (last > begin && (last[-1] == ' ' || last[-1] == '\t'))
            last--;
        if (count < MOST_CELLS)
            cell[count] = (struct cell){begin, (size_t)(last - begin)};
        count++;
        if (!comma)
            return count;
        begin = comma + 1;
    }
}

static enum status read_name(struct csv *csv, const struct cell *cell, uint32_t at)
{
    char name[24];
    size_t length = cell->length < sizeof name - 1 ? cell->length : sizeof name - 1;
    memcpy(name, cell->text, length);
    name[length] = '\0';
    for (int c = 0; c < COLUMNS; c++) {
        if (strcmp(name, column_names[c]) != 0)
            continue;
        if (csv->place[c] != NO_COLUMN)
            return flow_reader_fail(csv->reader, name, "the column is there twice");
        csv->place[c] = (int)at;
        return STATUS_OK;
    }
    flow_reader_fail(csv->reader, NULL,
                     "expected columns of id,src,dst,bytes,start,deps, found \"%s\"", name);
    const char *nearest = suggest_nearest(name, column_names);
    if (nearest)
        diag_hint(csv->reader->diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(csv->reader->diag, "the first line names the columns: src,dst,bytes");
    return STATUS_BAD_INPUT;
}

static enum status read_header(struct csv *csv)
{
    struct flow_line line;
    struct cell cell[MOST_CELLS];
    flow_reader_line(csv->reader, &line);
    csv->cells = cut(&line, cell);
    for (int c = 0; c < COLUMNS; c++)
        csv->place[c] = NO_COLUMN;
    for (uint32_t i = 0; i < csv->cells && i < MOST_CELLS; i++) {
        if (read_name(csv, &cell[i], i) != STATUS_OK)
            return STATUS_BAD_INPUT;
    }
    for (int c = COLUMN_SRC; c <= COLUMN_BYTES; c++) {
        if (csv->place[c] == NO_COLUMN)
            return flow_reader_fail(csv->reader, column_names[c], "the column is missing");
    }
    return STATUS_OK;
}

static const struct cell *cell_of(const struct csv *csv, const struct cell *cell,
                                  enum column column)
{
    static const struct cell none = {"", 0};
    return csv->place[column] == NO_COLUMN ? &none : &cell[csv->place[column]];
}

static enum status read_deps(struct csv *csv, const struct cell *cell)
{
    const char *at = cell->text, *end = at + cell->length;
    while (at < end) {
        const char *begin = at;
        while (at < end && *at != ' ' && *at != ';')
            at++;
        uint64_t id;
        if (at == begin) {
            at++;
            continue;
        }
        if (!decimal_u64(begin, (size_t)(at - begin), &id))
            return flow_reader_fail(csv->reader, "deps", "expected ids, found \"%.*s\"",
                                    (int)(at - begin < 60 ? at - begin : 60), begin);
        flow_reader_want(csv->reader, id);
    }
    return STATUS_OK;
}

static enum status read_flow(struct csv *csv, const struct cell *cell)
{
    struct flow_reader *reader = csv->reader;
    const struct cell *src = cell_of(csv, cell, COLUMN_SRC), *dst = cell_of(csv, cell, COLUMN_DST);
    const struct cell *bytes = cell_of(csv, cell, COLUMN_BYTES);
    const struct cell *start = cell_of(csv, cell, COLUMN_START);
    const struct cell *id = cell_of(csv, cell, COLUMN_ID);
    struct traffic_flow flow = {0};
    uint64_t number = 0;
    if (id->length > 0 && !decimal_u64(id->text, id->length, &number))
        return flow_reader_fail(reader, "id", "expected a number, found \"%.*s\"",
                                (int)(id->length < 60 ? id->length : 60), id->text);
    if (flow_reader_rank(reader, "src", src->text, src->length, &flow.src) != STATUS_OK ||
        flow_reader_rank(reader, "dst", dst->text, dst->length, &flow.dst) != STATUS_OK ||
        flow_reader_bytes(reader, bytes->text, bytes->length, &flow.bytes) != STATUS_OK)
        return reader->diag->status;
    if (start->length > 0 &&
        flow_reader_start(reader, start->text, start->length, &flow.start_ps) != STATUS_OK)
        return reader->diag->status;
    if (flow_reader_add(reader, &flow, id->length > 0 ? &number : NULL) != STATUS_OK)
        return reader->diag->status;
    return read_deps(csv, cell_of(csv, cell, COLUMN_DEPS));
}

enum status flow_file_csv(struct flow_reader *reader)
{
    struct csv csv = {.reader = reader};
    struct flow_line line;
    struct cell cell[MOST_CELLS];
    enum status status = read_header(&csv);
    while (status == STATUS_OK && flow_reader_line(reader, &line)) {
        uint32_t cells = cut(&line, cell);
        if (cells != csv.cells)
            return flow_reader_fail(
                reader, NULL, "expected %u cells as in the first line, found %u", csv.cells, cells);
        status = read_flow(&csv, cell);
    }
    return status;
}
