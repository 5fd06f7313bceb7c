/* Published peaks of memory beside the worst stage of the model, by series. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/agree/memory/memory_parts.h"
#include "tests/agree/training/training.h"
#include "compute/device.h"
#include "workloads/generate/memory_model.h"

#define GIB                 1073741824.0
#define MOST_MEDIAN_RATIO   0.10
#define LEAST_FITTING_RATIO 0.95

struct run {
    const char *family;
    double measured_gib, ours_gib;
    struct stage_memory memory;
};

struct runs {
    struct run *run;
    uint32_t count, refused;
};

static enum status measure(struct train_row *row, struct arena *arena, struct notices *notices,
                           struct run *run, struct diag *diag)
{
    struct framework framework;
    struct layer_book book;
    enum status status = framework_load(&framework, row->framework_name, arena, notices, diag);
    if (status == STATUS_OK)
        status = row_model(row, arena, notices, diag);
    if (status == STATUS_OK)
        status = row_plan(row, &framework, notices, diag);
    if (status != STATUS_OK)
        return status;
    layer_book_make(&book, &row->model, &row->plan, &framework, arena);
    struct memory_input input = {&row->model, &row->plan, &framework, &book};
    memory_worst_stage(&run->memory, &input);
    run->family = row->cell.family;
    run->measured_gib = strtod(row->cell.mem_gib, NULL);
    run->ours_gib = (double)run->memory.total_bytes / GIB;
    return STATUS_OK;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double error_of(const struct run *run)
{
    return run->ours_gib / run->measured_gib - 1;
}

/* Median absolute error of the rows of `family` (NULL: all). */
static double median(const struct runs *runs, const char *family, double *mean, uint32_t *count)
{
    double *error = calloc(runs->count + 1, sizeof *error), sum = 0, middle = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < runs->count && error; i++)
        if (!family || strcmp(runs->run[i].family, family) == 0) {
            error[n++] = fabs(error_of(&runs->run[i]));
            sum += error[n - 1];
        }
    if (n) {
        qsort(error, n, sizeof *error, by_size);
        middle = error[n / 2];
    }
    free(error);
    *mean = n ? sum / n : 0;
    *count = n;
    return middle;
}

static bool is_first(const struct runs *runs, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (strcmp(runs->run[i].family, runs->run[index].family) == 0)
            return false;
    return true;
}

static void print(const struct runs *runs, FILE *out)
{
    fprintf(out, "published peaks of memory: GiB of the worst stage\n"
                 "  measured   ours  error   weights grads optim.  activ. transient buffers  of\n");
    for (uint32_t i = 0; i < runs->count; i++) {
        const struct run *run = &runs->run[i];
        fprintf(out, "  %8.2f %6.2f %+5.1f %%  ", run->measured_gib, run->ours_gib,
                100 * error_of(run));
        for (int c = MEMORY_WEIGHTS; c <= MEMORY_BUFFERS; c++)
            fprintf(out, " %6.2f", (double)run->memory.bytes[c] / GIB);
        fprintf(out, "  %s\n", run->family);
    }
    for (uint32_t i = 0; i < runs->count; i++) {
        double mean;
        uint32_t count;
        if (!is_first(runs, i))
            continue;
        double middle = median(runs, runs->run[i].family, &mean, &count);
        fprintf(out, "  %-40s %3u rows, median %.1f %%, mean %.1f %%\n", runs->run[i].family, count,
                100 * middle, 100 * mean);
    }
    if (runs->refused)
        fprintf(out, "  %u rows whose plan is refused\n", runs->refused);
}

static void judge(const struct runs *runs, FILE *out, struct memory_score *score)
{
    double mean;
    uint32_t count;
    double middle = median(runs, NULL, &mean, &count);
    if (out)
        fprintf(out, "  all: %u rows, median %.1f %%, mean %.1f %%\n", count, 100 * middle,
                100 * mean);
    if (count && middle <= MOST_MEDIAN_RATIO && !runs->refused)
        score->passed++;
    else
        score->failed++;
}

/* -- what ran did fit ------------------------------------------------------------------------- */

struct fits {
    const char *name; /* of a framework */
    uint32_t rows, fitting;
};

static struct fits *fits_of(struct fits *fits, uint32_t *count, const char *name)
{
    for (uint32_t i = 0; i < *count; i++)
        if (strcmp(fits[i].name, name) == 0)
            return &fits[i];
    fits[*count] = (struct fits){.name = name};
    return &fits[(*count)++];
}

static void print_fits(const struct fits *fits, uint32_t count, FILE *out)
{
    fprintf(out, "published runs, which all ran: those that fit in their devices by our count\n");
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "  %-28s %4u of %4u rows\n", fits[i].name, fits[i].fitting, fits[i].rows);
}

/* Every complete row but those that train adapters only, whose weights need no gradients. */
static enum status judge_fits(struct train_table *table, struct arena *arena,
                              struct notices *notices, FILE *out, struct memory_score *score,
                              struct diag *diag)
{
    struct fits *fits = arena_array(arena, table->count + 1, sizeof *fits), all = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        struct train_row *row = &table->row[i];
        struct device device;
        struct run run;
        struct diag own = DIAG_NONE;
        if (row->is_frozen)
            continue;
        enum status status = device_load(&device, row->device_name, arena, notices, diag);
        if (status != STATUS_OK)
            return status;
        if (measure(row, arena, notices, &run, &own) != STATUS_OK)
            continue;
        bool does_fit = (double)run.memory.total_bytes <= device.memory_bytes;
        struct fits *one = fits_of(fits, &count, row->framework_name);
        one->rows++;
        all.rows++;
        one->fitting += does_fit;
        all.fitting += does_fit;
    }
    if (out) {
        print_fits(fits, count, out);
        fprintf(out,
                "  (MaxText's recipes keep some activations on the host, which is not modelled)\n");
        fprintf(out, "  all: %u of %u rows, %.1f %%\n", all.fitting, all.rows,
                100.0 * all.fitting / (all.rows ? all.rows : 1));
    }
    if (all.rows && all.fitting >= LEAST_FITTING_RATIO * all.rows)
        score->passed++;
    else
        score->failed++;
    return STATUS_OK;
}

enum status memory_runs(const char *folder, FILE *out, struct memory_score *score,
                        struct diag *diag)
{
    struct arena arena;
    struct notices notices;
    struct train_table table = {0};
    arena_init(&arena);
    notices_init(&notices);
    enum status status = train_table_load(&table, folder, false, &arena, diag);
    struct runs runs = {.run = arena_array(&arena, table.count + 1, sizeof *runs.run)};
    for (uint32_t i = 0; i < table.count && status == STATUS_OK; i++) {
        struct diag own = DIAG_NONE;
        if (!table.row[i].cell.mem_gib[0])
            continue;
        if (measure(&table.row[i], &arena, &notices, &runs.run[runs.count], &own) == STATUS_OK)
            runs.count++;
        else
            runs.refused++;
    }
    if (status == STATUS_OK && out)
        print(&runs, out);
    if (status == STATUS_OK)
        judge(&runs, out, score);
    if (status == STATUS_OK)
        status = judge_fits(&table, &arena, &notices, out, score, diag);
    notices_release(&notices);
    arena_release(&arena);
    return status;
}
