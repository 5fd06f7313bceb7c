/* kernels.csv by class and device: see kernels.h. */
#include "tests/agree/compute/kernels.h"

#include <stdio.h>
#include <string.h>

#include "tests/agree/compute/compute_parts.h"
#include "tests/agree/compute/errors.h"
#include "tests/agree/published/csv.h"

enum { MOST_DEVICES = 64, MOST_REASONS = 16, MOST_LINES = 64, WORST = 20 };

static const double least_us = 20;

static const char *const columns[KERNEL_COLUMNS] = {
    "id",    "series", "hardware", "op",     "shape",      "time_us",
    "dtype", "bytes",  "note",     "tflops", "value_tb_s", "value_tflops"};

struct table {
    struct arena *arena;
    struct errors errors;
    struct {
        const char *hardware;
        const struct device *device; /* NULL: not in the catalogue */
    } device[MOST_DEVICES];
    uint32_t devices;
    struct {
        const char *reason;
        uint32_t count;
    } unmapped[MOST_REASONS];
    uint32_t reasons;
    const char *line[MOST_LINES]; /* judged, in order of first appearance */
    uint32_t lines;
};

static const struct device *device_of(struct table *table, const char *hardware)
{
    for (uint32_t i = 0; i < table->devices; i++) {
        if (strcmp(table->device[i].hardware, hardware) == 0)
            return table->device[i].device;
    }
    struct device *device = arena_take(table->arena, sizeof *device);
    struct diag diag = DIAG_NONE;
    bool is_known = device_load(device, hardware, table->arena, NULL, &diag) == STATUS_OK;
    if (table->devices < MOST_DEVICES) {
        table->device[table->devices].hardware = hardware;
        table->device[table->devices++].device = is_known ? device : NULL;
    }
    return is_known ? device : NULL;
}

static void count_unmapped(struct table *table, const char *reason)
{
    uint32_t i = 0;
    while (i < table->reasons && strcmp(table->unmapped[i].reason, reason) != 0)
        i++;
    if (i == MOST_REASONS)
        return;
    table->unmapped[i].reason = reason;
    table->unmapped[i].count++;
    if (i == table->reasons)
        table->reasons++;
}

static const char *text_of(struct table *table, const char *form, const char *first,
                           const char *second)
{
    char text[128];
    snprintf(text, sizeof text, form, first, second);
    return arena_text(table->arena, text, strlen(text));
}

/* "norm, NVIDIA": one text per line, so that they are listed once. */
static const char *line_of(struct table *table, const struct kernel_case *one,
                           const struct device *device)
{
    bool is_nvidia = strcmp(device->vendor, "NVIDIA") == 0;
    const char *line = text_of(table, "%s, %s", one->label, is_nvidia ? "NVIDIA" : "AMD and TPU");
    for (uint32_t i = 0; i < table->lines; i++) {
        if (strcmp(table->line[i], line) == 0)
            return table->line[i];
    }
    if (table->lines < MOST_LINES)
        table->line[table->lines++] = line;
    return line;
}

static void add_row(struct table *table, const char *const *cell)
{
    const struct device *device = device_of(table, cell[KERNEL_HARDWARE]);
    struct kernel_case one = {.unmapped = "a device that the catalogue does not have"};
    if (device)
        kernel_map(cell, device, &one);
    double ns = one.unmapped ? 0 : kernel_case_ns(&one, device);
    if (!one.unmapped && !(ns > 0))
        one.unmapped = "the models decline";
    if (one.unmapped) {
        count_unmapped(table, one.unmapped);
        return;
    }
    const char *device_name = one.is_assumed ? "shape assumed" : device->name;
    struct error_row row = {
        .series = text_of(table, "%s, %s", one.label, device_name),
        .line = one.is_assumed ? NULL : line_of(table, &one, device),
        .label = text_of(table, "%s %s", cell[KERNEL_SHAPE], cell[KERNEL_TYPE]),
        .guess = one.guess,
        .measured_us = one.measured_us,
        .ours_us = ns / 1e3,
    };
    if (strcmp(one.label, "attention") == 0)
        row.series = text_of(
            table, "%s", text_of(table, "attention, %s, %s", device_name, cell[KERNEL_TYPE]), "");
    errors_add(&table->errors, &row);
}

static void judge(const struct table *table, FILE *out, struct part_count *count)
{
    for (uint32_t i = 0; i < table->lines; i++) {
        bool is_nvidia = strstr(table->line[i], "NVIDIA") != NULL;
        errors_judge(&table->errors, table->line[i], is_nvidia ? 8 : 20, is_nvidia ? 12 : 20, out,
                     count);
    }
}

enum status agree_kernels(const char *shared, bool brief, FILE *out, struct part_count *count,
                          struct diag *diag)
{
    struct arena arena;
    arena_init(&arena);
    struct table table = {.arena = &arena};
    errors_init(&table.errors, least_us);
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/data/validation/kernels.csv", shared);
    struct csv csv = {.names = columns, .columns = KERNEL_COLUMNS};
    enum status status = csv_load(&csv, path, &arena, diag);
    for (uint32_t i = 0; status == STATUS_OK && i < csv.rows; i++)
        add_row(&table, csv.cell + (size_t)i * KERNEL_COLUMNS);
    if (status == STATUS_OK && !brief) {
        errors_table(&table.errors, out);
        for (uint32_t i = 0; i < table.reasons; i++)
            fprintf(out, "  not mapped: %u rows: %s\n", table.unmapped[i].count,
                    table.unmapped[i].reason);
        errors_worst(&table.errors, WORST, out);
    }
    if (status == STATUS_OK)
        judge(&table, out, count);
    errors_release(&table.errors);
    arena_release(&arena);
    return status;
}
