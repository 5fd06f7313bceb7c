/* A paper's formulas: weights with their states, and activations, of the first stage's layers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/agree/memory/memory_parts.h"
#include "tests/agree/published/csv.h"
#include "workloads/generate/memory_model.h"

#define COLUMN_LIST(X)                                                                             \
    X(model)                                                                                       \
    X(layers)                                                                                      \
    X(hidden)                                                                                      \
    X(heads)                                                                                       \
    X(seq)                                                                                         \
    X(vocab)                                                                                       \
    X(tp)                                                                                          \
    X(pp)                                                                                          \
    X(vpp)                                                                                         \
    X(micro_batch)                                                                                 \
    X(global_batch)                                                                                \
    X(recompute)                                                                                   \
    X(seq_parallel)                                                                                \
    X(quantity)                                                                                    \
    X(value)

enum column {
#define X(name) COLUMN_##name,
    COLUMN_LIST(X)
#undef X
        COLUMN_COUNT
};

static const char *const columns[] = {
#define X(name) #name,
    COLUMN_LIST(X)
#undef X
};

struct shelf {
    struct arena arena;
    struct notices notices;
};

static uint64_t number(const char *const *cell, enum column column)
{
    return strtoull(cell[column], NULL, 10);
}

static struct model_spec model_of(const char *const *cell)
{
    uint64_t hidden = number(cell, COLUMN_hidden), heads = number(cell, COLUMN_heads);
    return (struct model_spec){.name = cell[COLUMN_model],
                               .layers = (uint32_t)number(cell, COLUMN_layers),
                               .hidden = hidden,
                               .ffn = 4 * hidden,
                               .vocab = number(cell, COLUMN_vocab),
                               .max_seq = number(cell, COLUMN_seq),
                               .heads = (uint32_t)heads,
                               .kv_heads = (uint32_t)heads,
                               .head_dim = (uint32_t)(hidden / heads),
                               .position = POSITION_LEARNED,
                               .norms_per_layer = 2,
                               .dropout = 0.1,
                               .moe = {.every = 1, .imbalance = 1}};
}

static struct train_plan plan_of(const char *const *cell)
{
    struct train_plan plan;
    train_plan_defaults(&plan);
    plan.tp = (uint32_t)number(cell, COLUMN_tp);
    plan.pp = (uint32_t)number(cell, COLUMN_pp);
    plan.interleave = (uint32_t)number(cell, COLUMN_vpp);
    plan.seq = number(cell, COLUMN_seq);
    plan.micro_batch = number(cell, COLUMN_micro_batch);
    plan.global_batch = number(cell, COLUMN_global_batch);
    plan.sequence_parallel = number(cell, COLUMN_seq_parallel) > 0;
    const char *recompute = cell[COLUMN_recompute];
    if (strcmp(recompute, "full") == 0)
        plan.recompute = RECOMPUTE_FULL;
    else if (strcmp(recompute, "selective") == 0)
        plan.recompute = RECOMPUTE_SELECTIVE;
    return plan;
}

/* Bytes of the first stage's layers: the formulas leave out embedding, head, biases and norms. */
static enum status layers_of(const char *const *cell, const struct train_plan *wanted,
                             struct shelf *shelf, struct stage_memory *memory, struct diag *diag)
{
    struct model_spec model = model_of(cell);
    struct train_plan plan = *wanted;
    struct framework framework;
    struct layer_book book;
    enum status status =
        framework_load(&framework, "megatron-2021", &shelf->arena, &shelf->notices, diag);
    if (status == STATUS_OK)
        status = train_plan_check(&plan, &model, &shelf->notices, diag);
    if (status != STATUS_OK)
        return status;
    framework.fused_attention = false;
    layer_book_make(&book, &model, &plan, &framework, &shelf->arena);
    enum piece_kind ends[] = {PIECE_EMBEDDING, PIECE_HEAD};
    for (int i = 0; i < 2; i++)
        book.piece[ends[i]].activation_bytes = book.piece[ends[i]].parameters = 0;
    struct layer_piece *layer = &book.piece[PIECE_DENSE_LAYER];
    layer->parameters = 12 * model.hidden * model.hidden / plan.tp;
    struct memory_input input = {&model, &plan, &framework, &book};
    memory_of_stage(memory, &input, 0);
    return STATUS_OK;
}

static enum status ours(const char *const *cell, struct shelf *shelf, double *value,
                        struct diag *diag)
{
    struct train_plan plan = plan_of(cell);
    struct stage_memory memory;
    enum status status = layers_of(cell, &plan, shelf, &memory, diag);
    if (status != STATUS_OK)
        return status;
    const uint64_t *bytes = memory.bytes;
    double gib = 1024.0 * 1024 * 1024, activations = (double)bytes[MEMORY_ACTIVATIONS];
    if (strncmp(cell[COLUMN_quantity], "params", 6) == 0) {
        *value =
            (double)(bytes[MEMORY_WEIGHTS] + bytes[MEMORY_GRADIENTS] + bytes[MEMORY_OPTIMIZER]) /
            gib;
        return STATUS_OK;
    }
    *value = activations / gib;
    if (!strchr(cell[COLUMN_quantity], '%'))
        return STATUS_OK;
    plan.sequence_parallel = false;
    plan.recompute = RECOMPUTE_NONE;
    status = layers_of(cell, &plan, shelf, &memory, diag);
    *value = 100 * activations / (double)memory.bytes[MEMORY_ACTIVATIONS];
    return status;
}

/* GiB are exact; percentages were read off a plot (figure 7). */
static bool agrees(const char *const *cell, double value)
{
    double published = strtod(cell[COLUMN_value], NULL);
    double tolerance = strchr(cell[COLUMN_quantity], '%') ? 0.15 : 1e-9 * published;
    return fabs(value - published) <= tolerance;
}

enum status memory_footprint(const char *path, FILE *out, struct memory_score *score,
                             struct diag *diag)
{
    struct shelf shelf;
    arena_init(&shelf.arena);
    notices_init(&shelf.notices);
    struct csv csv = {.names = columns, .columns = COLUMN_COUNT};
    enum status status = csv_load(&csv, path, &shelf.arena, diag);
    uint32_t same = 0;
    for (uint32_t i = 0; i < csv.rows && status == STATUS_OK; i++) {
        const char *const *cell = &csv.cell[i * COLUMN_COUNT];
        double value = 0;
        status = ours(cell, &shelf, &value, diag);
        bool is_same = status == STATUS_OK && agrees(cell, value);
        same += is_same;
        if (out && !is_same)
            fprintf(out, "  %-6s %-10s sp %s  %-32s published %s, ours %.6g\n", cell[COLUMN_model],
                    cell[COLUMN_recompute], cell[COLUMN_seq_parallel], cell[COLUMN_quantity],
                    cell[COLUMN_value], value);
    }
    if (status == STATUS_OK && out)
        fprintf(out,
                "formulas of Korthikanti 2022: %u of %u rows (GiB exactly, percentages to 0.15 "
                "points)\n",
                same, csv.rows);
    if (same == csv.rows && csv.rows > 0)
        score->passed++;
    else
        score->failed++;
    notices_release(&shelf.notices);
    arena_release(&shelf.arena);
    return status;
}
