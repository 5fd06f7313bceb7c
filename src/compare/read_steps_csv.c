/*
 * CSV of measured step times. The first line that is no comment names the columns, in any order:
 *
 *   step,time_ms          step,rank,time [us]          iteration,step_time_s
 *   1,152.3               1,0,152300                   1,0.1523
 *
 * A time column's name holds "time", "duration" or "latency"; its unit is at the end of the name,
 * after a '_', a blank, '(' or '[', or is --time-unit, or stands behind each value ("152.3ms").
 * A step column is "step" or "iteration" (without one, steps are 0, 1, ..), a rank column "rank".
 * Other columns are counted. '#' begins a comment; so does an empty line.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/decimal.h"
#include "base/units.h"
#include "compare/reader.h"

enum { MOST_COLUMNS = 64, MOST_NAME = 64 };

enum column_use { COLUMN_OTHER, COLUMN_STEP, COLUMN_RANK, COLUMN_TIME };

struct steps_reader {
    const struct reading *reading;
    enum column_use use[MOST_COLUMNS];
    uint32_t count;
    const char *unit; /* of a bare time, or NULL */
    uint64_t line, rows;
};

struct field {
    const char *text;
    size_t length;
};

static bool next_field(const char **at, const char *end, struct field *field)
{
    if (!*at)
        return false;
    const char *comma = memchr(*at, ',', (size_t)(end - *at));
    const char *from = *at, *to = comma ? comma : end;
    *at = comma ? comma + 1 : NULL;
    while (from < to && (*from == ' ' || *from == '\t' || *from == '"'))
        from++;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t' || to[-1] == '"'))
        to--;
    *field = (struct field){from, (size_t)(to - from)};
    return true;
}

/* A small copy, in small letters. */
static const char *lower(char to[MOST_NAME], const struct field *field)
{
    size_t length = field->length < MOST_NAME - 1 ? field->length : MOST_NAME - 1;
    for (size_t i = 0; i < length; i++)
        to[i] = (char)tolower((unsigned char)field->text[i]);
    to[length] = '\0';
    return to;
}

static bool is_time(const char *name)
{
    return strstr(name, "time") || strstr(name, "duration") || strstr(name, "latency");
}

/* The unit at the end of a column's name, or NULL. */
static const char *unit_of(const char *name)
{
    static const char *const units[] = {"ps", "ns", "us", "ms", "s", NULL};
    size_t length = strlen(name);
    if (length && strchr(")]", name[length - 1]))
        length--;
    for (const char *const *unit = units; *unit; unit++) {
        size_t size = strlen(*unit);
        if (length > size && memcmp(name + length - size, *unit, size) == 0 &&
            strchr("_ ([", name[length - size - 1]))
            return *unit;
    }
    return NULL;
}

static enum status read_heading(struct steps_reader *steps, const char *text, size_t length)
{
    const char *at = text;
    struct field field;
    char name[MOST_NAME];
    bool has_time = false;
    for (; next_field(&at, text + length, &field); steps->count++) {
        if (steps->count == MOST_COLUMNS)
            return reading_fail_line(steps->reading, steps->line, "more than %d columns",
                                     MOST_COLUMNS);
        enum column_use *use = &steps->use[steps->count];
        lower(name, &field);
        if (strcmp(name, "step") == 0 || strcmp(name, "iteration") == 0)
            *use = COLUMN_STEP;
        else if (strcmp(name, "rank") == 0)
            *use = COLUMN_RANK;
        else if (is_time(name) && !has_time) {
            *use = COLUMN_TIME;
            steps->unit = unit_of(name);
            has_time = true;
        } else
            notices_add(&steps->reading->outcome->notices, NOTICE_IGNORED, "column", 1, "%s", name);
    }
    if (!has_time)
        return reading_fail_line(steps->reading, steps->line, "no column of times in the heading");
    if (!steps->unit)
        steps->unit = steps->reading->options->time_unit;
    return STATUS_OK;
}

static enum status fail_field(struct steps_reader *steps, const char *what,
                              const struct field *field)
{
    return reading_fail_line(steps->reading, steps->line, "expected %s, found \"%.*s\"", what,
                             (int)(field->length < 40 ? field->length : 40), field->text);
}

static enum status read_time(struct steps_reader *steps, const struct field *field, int64_t *ps)
{
    char text[MOST_NAME];
    struct diag diag = DIAG_NONE;
    double ns;
    if (field->length >= sizeof text)
        return fail_field(steps, "a time", field);
    memcpy(text, field->text, field->length);
    text[field->length] = '\0';
    if (units_parse_duration(text, steps->unit, &ns, NULL, &diag) != STATUS_OK) {
        fail_field(steps, steps->unit ? "a time" : "a time with its unit", field);
        if (!steps->unit)
            diag_hint(
                steps->reading->diag,
                "name the column time_ms, or give --time-unit ms: a bare number says nothing");
        return STATUS_BAD_INPUT;
    }
    if (!(ns < 9.2e15))
        return fail_field(steps, "a time below 106 days", field);
    *ps = (int64_t)time_rounded(ns, false);
    return STATUS_OK;
}

static enum status read_row(struct steps_reader *steps, const char *text, size_t length)
{
    const char *at = text;
    struct field field;
    struct outcome_step row = {.step = steps->rows++, .rank = UINT32_MAX};
    uint32_t i = 0;
    uint64_t value;
    for (; next_field(&at, text + length, &field); i++) {
        enum column_use use = i < steps->count ? steps->use[i] : COLUMN_OTHER;
        if (use == COLUMN_TIME && read_time(steps, &field, &row.time_ps) != STATUS_OK)
            return STATUS_BAD_INPUT;
        if (use != COLUMN_STEP && use != COLUMN_RANK)
            continue;
        if (!decimal_u64(field.text, field.length, &value) ||
            (use == COLUMN_RANK && value >= UINT32_MAX))
            return fail_field(steps, use == COLUMN_RANK ? "a rank" : "a step's number", &field);
        if (use == COLUMN_STEP)
            row.step = value;
        else
            row.rank = (uint32_t)value;
    }
    if (i != steps->count)
        return reading_fail_line(steps->reading, steps->line,
                                 "%" PRIu32 " fields, where the heading has %" PRIu32, i,
                                 steps->count);
    outcome_add_step(steps->reading->outcome, row.step, row.rank, row.time_ps);
    return STATUS_OK;
}

static enum status read_csv(const struct reading *reading)
{
    struct steps_reader steps = {.reading = reading};
    const char *text;
    size_t length, at = 0;
    enum status status = STATUS_OK;
    if (steps.reading->options->time_unit)
        steps.unit = steps.reading->options->time_unit;
    while (status == STATUS_OK && reading_line(reading, &at, &text, &length)) {
        steps.line++;
        if (!length || *text == '#')
            continue;
        status = steps.count ? read_row(&steps, text, length) : read_heading(&steps, text, length);
    }
    if (status == STATUS_OK && !steps.rows)
        return reading_fail_line(reading, 0, "there is no step in it");
    return status;
}

/* The first line that is no comment names a time and nothing that is no text. */
static bool is_steps(const char *head, size_t length)
{
    const char *end = head + length;
    while (head < end) {
        const char *stop = memchr(head, '\n', (size_t)(end - head));
        size_t line = (size_t)((stop ? stop : end) - head);
        if (line && *head != '#' && *head != '\r') {
            char name[MOST_NAME * 4];
            if (memchr(head, '\0', line) || strchr("{[<", *head) || line >= sizeof name)
                return false;
            for (size_t i = 0; i < line; i++)
                name[i] = (char)tolower((unsigned char)head[i]);
            name[line] = '\0';
            return is_time(name) && !strchr(name, ':') && !strchr(name, '=');
        }
        head += line + 1;
    }
    return false;
}

const struct reader reader_steps_csv = {
    .name = "step times",
    .from = "CSV of measured steps: step,time_ms",
    .is_mine = is_steps,
    .read = read_csv,
};
