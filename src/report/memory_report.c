#include "report/memory_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"
#include "report/columns.h"

enum { MOST_ROWS = 32, SHOWN = 32, ALIGN_TEXT = 8 + LIFE_KIND_COUNT };

static void add_bytes(struct columns *table, uint64_t bytes)
{
    char text[SHOWN];
    columns_add(table, "%s", units_show_bytes(text, sizeof text, (double)bytes));
}

/* Kinds that no rank held at its peak have no column. */
static bool has_kind(const struct run_result *result, int kind)
{
    for (uint32_t i = 0; i < result->memory_count; i++)
        if (result->memory[i].most_of[kind])
            return true;
    return false;
}

/* `align` lives as long as the table. */
static void begin_table(struct columns *table, const struct run_result *result,
                        char align[ALIGN_TEXT])
{
    static const char *const before[] = {"", "ranks", "at most", "at", "fixed"};
    memset(align, 0, ALIGN_TEXT);
    memcpy(align, "lrrrr", 5);
    size_t used = 5;
    for (int kind = 0; kind < LIFE_KIND_COUNT; kind++)
        if (has_kind(result, kind))
            align[used++] = 'r';
    columns_init(table, align);
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        columns_add(table, "%s", before[i]);
    for (int kind = 0; kind < LIFE_KIND_COUNT; kind++)
        if (has_kind(result, kind))
            columns_add(table, "%s", life_name((enum life_kind)kind));
}

static void add_row(struct columns *table, const struct run_result *result,
                    const struct memory_row *row)
{
    char time[SHOWN];
    columns_add(table, "%s", row->trace);
    columns_add(table, "%" PRIu32, row->ranks);
    add_bytes(table, row->most_bytes);
    columns_add(table, "%s", units_show_time(time, sizeof time, row->most_ps));
    add_bytes(table, row->fixed_bytes);
    for (int kind = 0; kind < LIFE_KIND_COUNT; kind++)
        if (has_kind(result, kind))
            add_bytes(table, row->most_of[kind]);
}

/* Most first; equal ones in the order of the result. */
static int compare(const void *left, const void *right)
{
    const struct memory_row *const *a = left, *const *b = right;
    if ((*a)->most_bytes != (*b)->most_bytes)
        return (*a)->most_bytes > (*b)->most_bytes ? -1 : 1;
    return (*a > *b) - (*a < *b);
}

void memory_text(const struct run_result *result, FILE *out)
{
    if (result->memory_count == 0)
        return;
    const struct memory_row **row = malloc(result->memory_count * sizeof *row);
    need_memory(row != NULL);
    for (uint32_t i = 0; i < result->memory_count; i++)
        row[i] = &result->memory[i];
    bool is_cut = result->memory_count > MOST_ROWS;
    if (is_cut)
        qsort(row, result->memory_count, sizeof *row, compare);
    struct columns table;
    char align[ALIGN_TEXT];
    begin_table(&table, result, align);
    for (uint32_t i = 0; i < result->memory_count && i < MOST_ROWS; i++)
        add_row(&table, result, row[i]);
    fputs("device memory: the most that a rank held at once, and what of it at that moment", out);
    if (is_cut)
        fprintf(out, "; the %d of %" PRIu32 " traces that held most", MOST_ROWS,
                result->memory_count);
    fputc('\n', out);
    columns_print(&table, out);
    fputc('\n', out);
    columns_release(&table);
    free(row);
}

void memory_json(const struct run_result *result, struct json_writer *json)
{
    if (result->memory_count == 0)
        return;
    json_list_begin(json, "device_memory", JSON_LINES);
    for (uint32_t i = 0; i < result->memory_count; i++) {
        const struct memory_row *row = &result->memory[i];
        json_map_begin(json, NULL, JSON_INLINE);
        json_text(json, "trace", row->trace);
        json_u64(json, "ranks", row->ranks);
        json_u64(json, "most_bytes", row->most_bytes);
        json_u64(json, "most_at_ps", row->most_ps);
        json_u64(json, "fixed_bytes", row->fixed_bytes);
        for (int kind = 0; kind < LIFE_KIND_COUNT; kind++)
            json_u64(json, life_name((enum life_kind)kind), row->most_of[kind]);
        json_map_end(json);
    }
    json_list_end(json);
}
