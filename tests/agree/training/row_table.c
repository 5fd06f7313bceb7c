/* Reads the tables of published runs. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/table.h"
#include "tests/agree/published/csv.h"
#include "tests/agree/training/training.h"

/* Columns that only one of the two tables has. */
static const char *const not_in_training[] = {"act", "accel_per_node", NULL};
static const char *const not_in_mlperf[] = {
    "head_dim", "gated_mlp", "moe_experts",    "moe_topk", "ep",
    "moe_ffn",  "mem_gib",   "chips_per_node", NULL};

static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

enum {
    COLUMNS = 0
#define X(name) +1
    TRAIN_COLUMN_LIST(X)
#undef X
};

static const char *const column_names[] = {
#define X(name) #name,
    TRAIN_COLUMN_LIST(X)
#undef X
};

static void fill(struct train_row *row, const struct csv *csv, uint32_t index,
                 const uint32_t *place)
{
    const char **cell = csv->cell + (size_t)index * csv->columns;
    const char *texts[COLUMNS];
    for (uint32_t c = 0; c < COLUMNS; c++)
        texts[c] = place[c] == TABLE_NONE ? "" : cell[place[c]];
    uint32_t c = 0;
#define X(name) row->cell.name = texts[c++];
    TRAIN_COLUMN_LIST(X)
#undef X
}

struct loading {
    struct train_table *table;
    uint32_t room;
    bool is_incomplete;
    struct names core; /* ids of judge_core.csv */
    struct arena *arena;
};

static void add_row(struct loading *loading, const struct csv *csv, uint32_t index,
                    const uint32_t *place, bool is_mlperf)
{
    struct train_row *row = &loading->table->row[loading->table->count];
    memset(row, 0, sizeof *row);
    fill(row, csv, index, place);
    row->measured_s = strtod(row->cell.step_time_s, NULL);
    bool is_complete = strcmp(row->cell.complete, "1") == 0;
    bool is_wanted = is_complete != loading->is_incomplete && row->measured_s > 0;
    if (!is_wanted || loading->table->count == loading->room)
        return;
    row->is_mlperf = is_mlperf;
    row->is_core = names_find(&loading->core, row->cell.id, strlen(row->cell.id)) != TABLE_NONE;
    row_map(row);
    loading->table->count++;
}

static enum status load_file(struct loading *loading, const char *folder, const char *file,
                             struct diag *diag)
{
    bool is_mlperf = strstr(file, "mlperf") != NULL;
    const char *wanted[COLUMNS];
    uint32_t place[COLUMNS], count = 0;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        bool is_absent = is_among(column_names[c], is_mlperf ? not_in_mlperf : not_in_training);
        place[c] = is_absent ? TABLE_NONE : count;
        if (!is_absent)
            wanted[count++] = column_names[c];
    }
    char path[4200];
    snprintf(path, sizeof path, "%.4000s/%.100s", folder, file);
    struct csv csv = {.names = wanted, .columns = count};
    enum status status = csv_load(&csv, path, loading->arena, diag);
    for (uint32_t i = 0; status == STATUS_OK && i < csv.rows; i++)
        add_row(loading, &csv, i, place, is_mlperf);
    return status;
}

static enum status load_core(struct loading *loading, const char *folder, struct diag *diag)
{
    static const char *const wanted[] = {"id"};
    char path[4200];
    snprintf(path, sizeof path, "%.4000s/judge_core.csv", folder);
    struct csv csv = {.names = wanted, .columns = 1};
    enum status status = csv_load(&csv, path, loading->arena, diag);
    for (uint32_t i = 0; status == STATUS_OK && i < csv.rows; i++)
        names_add(&loading->core, csv.cell[i], strlen(csv.cell[i]));
    return status;
}

enum status train_table_load(struct train_table *table, const char *folder, bool is_incomplete,
                             struct arena *arena, struct diag *diag)
{
    enum { MOST_ROWS = 20000 };
    struct loading loading = {
        .table = table, .room = MOST_ROWS, .is_incomplete = is_incomplete, .arena = arena};
    table->count = 0;
    table->row = arena_array(arena, MOST_ROWS + 1, sizeof *table->row);
    names_init(&loading.core);
    enum status status = load_core(&loading, folder, diag);
    if (status == STATUS_OK)
        status = load_file(&loading, folder, "training.csv", diag);
    if (status == STATUS_OK)
        status = load_file(&loading, folder, "mlperf_training.csv", diag);
    names_release(&loading.core);
    return status;
}
