/* Tables of names. Ranks and stages: difference_ranks.c. */
#include "stats/difference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/table.h"
#include "stats/difference_parts.h"

enum { MOST_KEY = 240 };

void difference_init(struct difference *difference)
{
    *difference = (struct difference){.a_ps = 0};
    arena_init(&difference->arena);
}

void difference_release(struct difference *difference)
{
    arena_release(&difference->arena);
}

/* -- one table --------------------------------------------------------------------------------- */

/* A row of one side. */
struct entry {
    const char *name;
    size_t length; /* of what counts of the name */
    enum rank_term term;
    time_ps time_ps;
};

struct merge {
    struct difference *difference;
    struct difference_table *table;
    struct names names;
    uint32_t room;
};

static void add(struct merge *merge, const struct entry *entry, bool is_b)
{
    char key[MOST_KEY];
    struct difference_table *table = merge->table;
    struct arena *arena = &merge->difference->arena;
    int length = snprintf(key, sizeof key, "%c%.*s", 'a' + (int)entry->term, (int)entry->length,
                          entry->name);
    size_t used = (size_t)length < sizeof key ? (size_t)length : sizeof key - 1;
    uint32_t index = names_add(&merge->names, key, used);
    if (index == table->count) {
        table->row = arena_grow(arena, table->row, table->count, &merge->room, sizeof *table->row);
        table->row[table->count++] = (struct difference_row){
            .name = arena_text(arena, entry->name, entry->length), .term = entry->term};
    }
    struct difference_row *row = &table->row[index];
    *(is_b ? &row->b_ps : &row->a_ps) += entry->time_ps;
    *(is_b ? &row->in_b : &row->in_a) = true;
}

static uint64_t size_of(const struct difference_row *row)
{
    int64_t size = difference_of(row->a_ps, row->b_ps);
    return size < 0 ? 0 - (uint64_t)size : (uint64_t)size;
}

static int most_first(const void *left, const void *right)
{
    const struct difference_row *a = left, *b = right;
    if (size_of(a) != size_of(b))
        return size_of(a) > size_of(b) ? -1 : 1;
    return strcmp(a->name, b->name);
}

static int by_term(const void *left, const void *right)
{
    const struct difference_row *a = left, *b = right;
    if (a->term != b->term)
        return a->term < b->term ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* -- the mean rank ----------------------------------------------------------------------------- */

static void add_terms(struct merge *merge, const struct rank_terms *terms, int by, bool is_b)
{
    const struct terms_table *table = &terms->by[by];
    apportion_sum *sum = malloc((table->count + 1) * sizeof *sum);
    time_ps *mean = malloc((table->count + 1) * sizeof *mean);
    need_memory(sum && mean);
    for (uint32_t i = 0; i < table->count; i++)
        sum[i] = table->row[i].sum_ps;
    apportion(sum, table->count, 1, terms->rank_count, mean);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct terms_row *row = &table->row[i];
        const struct entry entry = {row->name, strlen(row->name), row->term, mean[i]};
        add(merge, &entry, is_b);
    }
    free(sum);
    free(mean);
}

/* -- the critical path ------------------------------------------------------------------------- */

/* Rule 2: "17 (8 alike)" is rank 17, "W/step.3.et" is "step.3.et". */
static struct entry entry_of(const struct blame_row *row, enum blame_by by)
{
    struct entry entry = {.name = row->name, .time_ps = row->time_ps};
    if (by == BLAME_BY_STAGE)
        entry.name = difference_stage_name(row->name);
    entry.length = by == BLAME_BY_RANK ? strcspn(row->name, " ") : strlen(entry.name);
    return entry;
}

static void add_path(struct merge *merge, const struct path_blame *blame, int by, bool is_b)
{
    for (uint32_t i = 0; i < blame->by[by].count; i++) {
        const struct entry entry = entry_of(&blame->by[by].row[i], (enum blame_by)by);
        add(merge, &entry, is_b);
    }
}

/* -- all --------------------------------------------------------------------------------------- */

static void make_table(struct difference *difference, int by, const struct difference_side *a,
                       const struct difference_side *b)
{
    struct merge merge = {.difference = difference, .table = &difference->by[by]};
    names_init(&merge.names);
    for (int is_b = 0; is_b < 2; is_b++) {
        const struct difference_side *side = is_b ? b : a;
        if (by < DIFFERENCE_PATH)
            add_terms(&merge, side->terms, by - DIFFERENCE_MEAN, is_b);
        else
            add_path(&merge, side->blame, by - DIFFERENCE_PATH, is_b);
    }
    names_release(&merge.names);
    if (merge.table->count)
        qsort(merge.table->row, merge.table->count, sizeof *merge.table->row,
              by == DIFFERENCE_MEAN + TERMS_BY_PART ? by_term : most_first);
}

enum status difference_make(struct difference *difference, const struct difference_side *a,
                            const struct difference_side *b, struct diag *diag)
{
    difference->a_ps = a->terms->end_ps;
    difference->b_ps = b->terms->end_ps;
    for (int by = 0; by < DIFFERENCE_COUNT; by++)
        make_table(difference, by, a, b);
    difference_find_ranks(difference, a, b);
    difference_find_stages(difference, a, b);
    return difference_check(difference, diag);
}

static enum status fail(time_ps a, time_ps b, const struct difference *difference,
                        struct diag *diag)
{
    return diag_fail(diag, STATUS_LAW,
                     "a table of the difference sums to %" PRIu64 " and %" PRIu64
                     " ps, the runs take %" PRIu64 " and %" PRIu64 " ps",
                     a, b, difference->a_ps, difference->b_ps);
}

static enum status check_ranks(const struct difference *difference,
                               const struct difference_ranks *rank, uint32_t count,
                               struct diag *diag)
{
    for (uint32_t i = 0; i < count; i++) {
        time_ps a = 0, b = 0;
        for (int term = 0; term < RANK_TERM_COUNT; term++) {
            a += rank[i].a_ps[term];
            b += rank[i].b_ps[term];
        }
        if (a != difference->a_ps || b != difference->b_ps)
            return fail(a, b, difference, diag);
    }
    return STATUS_OK;
}

enum status difference_check(const struct difference *difference, struct diag *diag)
{
    for (int by = 0; by < DIFFERENCE_COUNT; by++) {
        time_ps a = 0, b = 0;
        for (uint32_t i = 0; i < difference->by[by].count; i++) {
            a += difference->by[by].row[i].a_ps;
            b += difference->by[by].row[i].b_ps;
        }
        if (a != difference->a_ps || b != difference->b_ps)
            return fail(a, b, difference, diag);
    }
    enum status status = check_ranks(difference, difference->rank, difference->rank_count, diag);
    return status == STATUS_OK
               ? check_ranks(difference, difference->stage, difference->stage_count, diag)
               : status;
}
