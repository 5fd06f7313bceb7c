/* A point of a study, out of its store, as a run. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "cli/rerun.h"
#include "sweep/store.h"

enum { SHORTEST_PREFIX = 4 };

static enum status unknown_point(const struct rerun *rerun, const struct store_table *table,
                                 const char *point, struct diag *diag)
{
    if (!*point)
        diag_fail(diag, STATUS_USAGE, "a store of %" PRIu32 " points: say which, %.100s:0",
                  table->count, rerun->name);
    else
        diag_fail(diag, STATUS_USAGE,
                  "there is no point \"%.40s\": expected 0 to %" PRIu32
                  ", or the beginning of an identity",
                  point, table->count - 1);
    diag_in(diag, rerun->name);
    diag_hint(diag, "orrery results STUDY.db lists them");
    return STATUS_USAGE;
}

/* By number, else by the beginning of its identity. */
static enum status find_point(const struct rerun *rerun, const struct store_table *table,
                              const char *point, const struct store_row **row, struct diag *diag)
{
    uint64_t ordinal;
    size_t length = strlen(point);
    *row = NULL;
    if (length && decimal_u64(point, length, &ordinal) && ordinal < table->count) {
        *row = &table->row[ordinal];
        return STATUS_OK;
    }
    for (uint32_t i = 0; length >= SHORTEST_PREFIX && i < table->count; i++) {
        if (strncmp(table->row[i].identity, point, length) != 0)
            continue;
        if (*row) {
            diag_fail(diag, STATUS_USAGE,
                      "points %" PRIu32 " and %" PRIu32 " have identities that begin with %.40s",
                      (*row)->ordinal, table->row[i].ordinal, point);
            diag_in(diag, rerun->name);
            return STATUS_USAGE;
        }
        *row = &table->row[i];
    }
    return *row ? STATUS_OK : unknown_point(rerun, table, point, diag);
}

/* A point without a time has nothing to be run again for. */
static enum status check_ended(const struct rerun *rerun, const struct store_row *row,
                               struct diag *diag)
{
    if (row->is_done && !isnan(row->value[MEASURE_TIME]))
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_INPUT, "point %" PRIu32 " has no result: %.24s%s%.300s",
              row->ordinal, row->state, *row->reason ? ", " : "", row->reason);
    diag_in(diag, rerun->name);
    if (!row->is_done)
        diag_hint(diag, "orrery sweep STUDY.yaml runs what is pending");
    return STATUS_BAD_INPUT;
}

/* The study as it was then; its points must be those of the store. */
static enum status open_study(struct rerun *rerun, const struct store_table *table,
                              uint32_t ordinal, uint32_t *place, struct diag *diag)
{
    enum status status = study_parse(&rerun->study, table->path, table->study, strlen(table->study),
                                     &sweep_keys, diag);
    if (status == STATUS_OK)
        status = sweep_keys_check(&rerun->study, diag);
    struct arena arena;
    struct points points;
    arena_init(&arena);
    if (status == STATUS_OK)
        status = points_find(&points, &rerun->study, &arena, diag);
    if (status == STATUS_OK && points.count != table->count)
        status = diag_fail(diag, STATUS_BAD_INPUT,
                           "the study in %.100s has %" PRIu32 " points, the store %" PRIu32,
                           rerun->name, points.count, table->count);
    if (status == STATUS_OK)
        *place = points.place[ordinal];
    arena_release(&arena);
    return status;
}

/* "0.1.0+9f3c..": the version alone. */
static void keep_version(struct rerun *rerun, const char *program)
{
    snprintf(rerun->version, sizeof rerun->version, "%.*s", (int)strcspn(program, "+"), program);
}

static enum status fill(struct rerun *rerun, struct store *store, const struct store_table *table,
                        const char *point, struct diag *diag)
{
    const struct store_row *row;
    uint32_t place = 0;
    enum status status = find_point(rerun, table, point, &row, diag);
    if (status == STATUS_OK)
        status = check_ended(rerun, row, diag);
    if (status == STATUS_OK)
        status = open_study(rerun, table, row->ordinal, &place, diag);
    if (status == STATUS_OK)
        status = point_inputs_fill(rerun->point, &rerun->study, place, diag);
    if (status != STATUS_OK)
        return status;
    rerun->has_end = true;
    rerun->end_s = row->value[MEASURE_TIME];
    keep_version(rerun, table->program);
    rerun->changed_count =
        store_changed(store, row->ordinal, rerun->changed, sizeof rerun->changed);
    return STATUS_OK;
}

enum status rerun_open_point(struct rerun *rerun, const char *path, const char *point,
                             struct inputs *inputs, struct diag *diag)
{
    struct store *store = store_open(path, false, diag);
    if (!store)
        return diag->status;
    struct store_table table;
    rerun->is_point = true;
    rerun->point = malloc(sizeof *rerun->point);
    need_memory(rerun->point != NULL);
    point_inputs_init(rerun->point);
    arena_init(&rerun->study.arena);
    enum status status = store_read(store, &table, diag);
    if (status == STATUS_OK)
        status = fill(rerun, store, &table, point, diag);
    if (status == STATUS_OK)
        *inputs = rerun->point->inputs;
    store_table_release(&table);
    store_close(store);
    return status;
}
