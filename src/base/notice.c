#include "base/notice.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "base/visible.h"
#include "base/memory.h"

void notices_init(struct notices *notices)
{
    *notices = (struct notices){0};
}

void notices_release(struct notices *notices)
{
    free(notices->row);
    notices_init(notices);
}

/* Repairs change the input: each has a row; the last one counts what is beyond so many. */
enum { MOST_REPAIRS = 100 };

static struct notice *find_row(struct notices *notices, enum notice_kind kind, const char *key)
{
    size_t rows_left = kind == NOTICE_REPAIRED ? MOST_REPAIRS : 1;
    for (size_t i = 0; i < notices->count; i++) {
        if (notices->row[i].kind == kind && strcmp(notices->row[i].key, key) == 0 && !--rows_left)
            return &notices->row[i];
    }
    return NULL;
}

static struct notice *add_row(struct notices *notices)
{
    if (notices->count == notices->capacity) {
        notices->capacity = notices->capacity ? 2 * notices->capacity : 16;
        notices->row = realloc(notices->row, notices->capacity * sizeof *notices->row);
        need_memory(notices->row != NULL);
    }
    return &notices->row[notices->count++];
}

void notices_add(struct notices *notices, enum notice_kind kind, const char *key, uint64_t count,
                 const char *format, ...)
{
    struct notice *row = find_row(notices, kind, key);
    if (row) {
        row->count += count;
        return;
    }
    row = add_row(notices);
    *row = (struct notice){.kind = kind, .key = key, .count = count};
    va_list args;
    va_start(args, format);
    visible_format(row->example, sizeof row->example, format, args);
    va_end(args);
}

const char *notice_kind_name(enum notice_kind kind)
{
    static const char *const names[] = {
        [NOTICE_IGNORED] = "ignored",     [NOTICE_GUESSED] = "guessed",
        [NOTICE_DEFAULTED] = "defaulted", [NOTICE_CLAMPED] = "clamped",
        [NOTICE_REPAIRED] = "repaired",   [NOTICE_ODDITY] = "oddity",
    };
    return names[kind];
}

const char *notice_show(char *to, size_t size, const struct notice *notice)
{
    snprintf(to, size, "%s: %s, %" PRIu64 " %s%s%s", notice_kind_name(notice->kind), notice->key,
             notice->count, notice->count == 1 ? "time" : "times", notice->example[0] ? ": " : "",
             notice->example);
    return to;
}
