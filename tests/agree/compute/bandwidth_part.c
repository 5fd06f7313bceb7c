/*
 * OpenXLA's measured bandwidth over size (data/perf/xla_hbm_bw_vs_size.csv), from 8 KiB to 8 GiB:
 * the curve that a start and one rate make. Its times are of a kernel launched by the host: the
 * device's launch time is in them.
 */
#include <stdlib.h>
#include <string.h>

#include "compute/model/memory_bound.h"
#include "tests/agree/compute/compute_parts.h"
#include "tests/agree/compute/errors.h"
#include "tests/agree/published/csv.h"

enum { ARCH, BYTES, TIME, BANDWIDTH_COLUMNS };

static const char *const columns[BANDWIDTH_COLUMNS] = {"arch", "bytes", "time_us"};

static const struct {
    const char *arch, *device, *line;
} devices[] = {{"Ampere", "a100-sxm-80gb", "bandwidth over size, Ampere"},
               {"Hopper", "h100-sxm", "bandwidth over size, Hopper"},
               {"Blackwell", "b200", "bandwidth over size, Blackwell"}};

enum { DEVICES = sizeof devices / sizeof devices[0] };

static double ns_of(const struct device *device, uint64_t bytes)
{
    struct op_shape shape = {
        .class = OP_CLASS_ELEMENTWISE, .type = TYPE_INT8, .out_type = TYPE_INT8, .m = bytes / 2};
    struct op_time time = {0};
    const char *why;
    op_shape_finish(&shape);
    op_model_memory_bound.time(device, &shape, &(struct op_time_options){0}, &time, &why);
    return time.ns + device->launch_ns;
}

static enum status add_rows(const struct csv *csv, size_t index, struct errors *errors,
                            struct arena *arena, struct diag *diag)
{
    struct device device;
    enum status status = device_load(&device, devices[index].device, arena, NULL, diag);
    for (uint32_t i = 0; status == STATUS_OK && i < csv->rows; i++) {
        const char *const *cell = csv->cell + (size_t)i * BANDWIDTH_COLUMNS;
        if (strcmp(cell[ARCH], devices[index].arch) != 0)
            continue;
        errors_add(errors, &(struct error_row){
                               .series = devices[index].line,
                               .line = devices[index].line,
                               .label = cell[BYTES],
                               .measured_us = strtod(cell[TIME], NULL),
                               .ours_us = ns_of(&device, strtoull(cell[BYTES], NULL, 10)) / 1e3});
    }
    return status;
}

enum status agree_bandwidth(const char *shared, bool brief, FILE *out, struct part_count *count,
                            struct diag *diag)
{
    struct arena arena;
    arena_init(&arena);
    struct errors errors;
    errors_init(&errors, 20);
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/data/perf/xla_hbm_bw_vs_size.csv", shared);
    struct csv csv = {.names = columns, .columns = BANDWIDTH_COLUMNS};
    enum status status = csv_load(&csv, path, &arena, diag);
    for (size_t i = 0; status == STATUS_OK && i < DEVICES; i++)
        status = add_rows(&csv, i, &errors, &arena, diag);
    if (status == STATUS_OK && !brief)
        errors_table(&errors, out);
    for (size_t i = 0; status == STATUS_OK && i < DEVICES; i++)
        errors_judge(&errors, devices[i].line, 8, 12, out, count);
    errors_release(&errors);
    arena_release(&arena);
    return status;
}
