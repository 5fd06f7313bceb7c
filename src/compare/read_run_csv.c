/* Per-rank CSV of `orrery run --format csv`: "# schema orrery.ranks/1, ..", then named columns. */
#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "compare/reader.h"
#include "compare/rank_times.h"

#define SCHEMA "# schema orrery.ranks/1"

enum { MOST_COLUMNS = 128 };

struct column {
    const char *name;
    size_t length;
};

struct table_reader {
    const struct reading *reading;
    struct column column[MOST_COLUMNS];
    uint32_t count;
    uint64_t line;
};

/* The next field of a line; false after the last. */
static bool next_field(const char **at, const char *end, struct column *field)
{
    if (!*at)
        return false;
    const char *comma = memchr(*at, ',', (size_t)(end - *at));
    *field = (struct column){*at, (size_t)((comma ? comma : end) - *at)};
    *at = comma ? comma + 1 : NULL;
    return true;
}

static enum status read_heading(struct table_reader *table, const char *text, size_t length)
{
    const char *at = text;
    struct column column;
    while (next_field(&at, text + length, &column)) {
        if (table->count == MOST_COLUMNS)
            return reading_fail_line(table->reading, table->line, "more than %d columns",
                                     MOST_COLUMNS);
        table->column[table->count++] = column;
    }
    for (uint32_t i = 0; i < table->count; i++)
        if (table->column[i].length == 4 && memcmp(table->column[i].name, "rank", 4) == 0)
            return STATUS_OK;
    return reading_fail_line(table->reading, table->line, "expected a column \"rank\"");
}

static enum status read_row(struct table_reader *table, const char *text, size_t length)
{
    const struct reading *reading = table->reading;
    const char *at = text;
    struct column field;
    struct rank_times times;
    uint32_t i = 0;
    rank_times_begin(&times);
    for (; next_field(&at, text + length, &field); i++) {
        uint64_t value;
        if (i == table->count)
            return reading_fail_line(reading, table->line, "more fields than the heading has");
        if (!decimal_u64(field.name, field.length, &value))
            return reading_fail_line(reading, table->line,
                                     "%.*s: expected a whole number, found \"%.*s\"",
                                     (int)table->column[i].length, table->column[i].name,
                                     (int)(field.length < 40 ? field.length : 40), field.name);
        rank_times_take(&times, table->column[i].name, table->column[i].length, value);
    }
    if (i < table->count)
        return reading_fail_line(reading, table->line, "%" PRIu32 " fields, of %" PRIu32, i,
                                 table->count);
    if (!rank_times_end(&times, reading->outcome))
        return reading_fail_line(reading, table->line, "a time of 106 days or more");
    return STATUS_OK;
}

static enum status read_csv(const struct reading *reading)
{
    struct table_reader table = {.reading = reading};
    const char *text;
    size_t length, at = 0;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && reading_line(reading, &at, &text, &length)) {
        table.line++;
        if (length && *text == '#')
            continue;
        status = table.count ? read_row(&table, text, length) : read_heading(&table, text, length);
    }
    if (status == STATUS_OK && !table.count)
        return reading_fail_line(reading, 0, "the heading is missing");
    return status;
}

static bool is_csv(const char *head, size_t length)
{
    return length >= strlen(SCHEMA) && memcmp(head, SCHEMA, strlen(SCHEMA)) == 0;
}

const struct reader reader_run_csv = {
    .name = "orrery ranks",
    .from = "orrery run --format csv",
    .is_mine = is_csv,
    .read = read_csv,
};
