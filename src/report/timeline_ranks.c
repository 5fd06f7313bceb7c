#include "report/timeline_ranks.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory.h"

static bool read_number(const char **text, uint32_t *number)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    unsigned long value = strtoul(*text, &end, 10);
    *text = end;
    *number = value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
    return true;
}

static bool read_range(const char **text, uint32_t *first, uint32_t *last)
{
    if (!read_number(text, first))
        return false;
    *last = *first;
    if (**text != '-')
        return true;
    ++*text;
    return read_number(text, last) && *last >= *first;
}

/* Marks the ranks of the list; false if it cannot be read. *past: the first that is not below
 * `limit`. */
static bool mark(const char *text, uint32_t limit, bool *is_asked, uint32_t *past)
{
    for (bool more = true; more;) {
        uint32_t first, last;
        if (!read_range(&text, &first, &last) || (*text != ',' && *text != '\0'))
            return false;
        if (last >= limit) {
            *past = first < limit ? limit : first;
            return false;
        }
        for (uint32_t r = first; r <= last; r++)
            is_asked[r] = true;
        more = *text++ == ',';
    }
    return true;
}

enum status timeline_read_ranks(const char *text, uint32_t limit, uint32_t **rank, uint32_t *count,
                                struct diag *diag)
{
    uint32_t past = 0;
    bool *is_asked = calloc((size_t)limit + 1, sizeof *is_asked);
    need_memory(is_asked != NULL);
    *rank = NULL;
    *count = 0;
    if (!mark(text, limit, is_asked, &past)) {
        free(is_asked);
        if (past)
            return diag_fail(diag, STATUS_USAGE,
                             "rank %" PRIu32 " is not there: the job has %" PRIu32 " ranks", past,
                             limit);
        return diag_fail(diag, STATUS_USAGE, "expected ranks such as 0,8-15, found \"%.60s\"",
                         text);
    }
    *rank = malloc(((size_t)limit + 1) * sizeof **rank);
    need_memory(*rank != NULL);
    for (uint32_t r = 0; r < limit; r++)
        if (is_asked[r])
            (*rank)[(*count)++] = r;
    free(is_asked);
    return STATUS_OK;
}
