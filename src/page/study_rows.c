#include "page/study_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Of each measure so many least and most; so many failures. */
enum { ENDS = 50, FAILURES = 500 };

struct entry {
    double x, y;
    uint32_t row;
};

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static bool is_ok(const struct store_row *row)
{
    return strcmp(row->state, "ok") == 0;
}

/* The points that have both, by x, then y. */
static uint32_t collect(const struct store_table *table, int x, int y, struct entry *entry)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct store_row *row = &table->row[i];
        if (is_ok(row) && !isnan(row->value[x]) && !isnan(row->value[y]))
            entry[count++] = (struct entry){row->value[x], row->value[y], i};
    }
    qsort(entry, count, sizeof *entry, compare_entries);
    return count;
}

/* The front of least time with least (sign 1) or most (sign -1) of a measure. */
static void keep_front(const struct entry *entry, uint32_t count, double sign, bool *keep)
{
    double best = INFINITY, best_x = -INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        double y = sign * entry[i].y;
        if (y < best || (y == best && entry[i].x == best_x)) {
            keep[entry[i].row] = true;
            best = y;
            best_x = entry[i].x;
        }
    }
}

/* Sorted by time and least y first: for the front of most y the last of equal times is the one. */
static void reverse_equal(struct entry *entry, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        entry[i].y = -entry[i].y;
    qsort(entry, count, sizeof *entry, compare_entries);
    for (uint32_t i = 0; i < count; i++)
        entry[i].y = -entry[i].y;
}

static void keep_notable(const struct store_table *table, bool *keep)
{
    struct entry *entry = malloc(((size_t)table->count + 1) * sizeof *entry);
    need_memory(entry != NULL);
    for (int m = 0; m < MEASURE_COUNT; m++) {
        uint32_t count = collect(table, m, m, entry);
        for (uint32_t i = 0; i < count && i < ENDS; i++)
            keep[entry[i].row] = keep[entry[count - 1 - i].row] = true;
        if (m == MEASURE_TIME) /* against itself, each point would be one of a front */
            continue;
        count = collect(table, MEASURE_TIME, m, entry);
        keep_front(entry, count, 1, keep);
        reverse_equal(entry, count);
        keep_front(entry, count, -1, keep);
    }
    free(entry);
    uint32_t failures = 0;
    for (uint32_t i = 0; i < table->count && failures < FAILURES; i++) {
        if (table->row[i].is_done && !is_ok(&table->row[i])) {
            keep[i] = true;
            failures++;
        }
    }
}

struct study_rows study_rows_choose(const struct store_table *table, uint32_t most,
                                    struct arena *arena)
{
    bool *keep = calloc((size_t)table->count + 1, sizeof *keep);
    need_memory(keep != NULL);
    uint32_t kept = 0, others = 0;
    bool is_all = table->count <= most;
    if (!is_all)
        keep_notable(table, keep);
    for (uint32_t i = 0; i < table->count; i++)
        kept += keep[i];
    uint64_t room = is_all ? table->count : kept < most ? most - kept : 0;
    uint64_t rest = table->count - kept;
    struct study_rows rows = {arena_array(arena, (size_t)table->count + 1, sizeof *rows.row), 0};
    for (uint32_t i = 0; i < table->count; i++) {
        if (!keep[i]) { /* `room` of `rest`, evenly */
            uint64_t before = others * room / rest, after = (others + 1) * room / rest;
            others++;
            keep[i] = after > before;
        }
        if (keep[i])
            rows.row[rows.count++] = i;
    }
    free(keep);
    return rows;
}
