/* gemm.csv: every row timed by the chain of models on the device that its hardware names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "compute/op_time.h"
#include "tests/agree/compute/compute_parts.h"
#include "tests/agree/compute/errors.h"
#include "tests/agree/published/csv.h"

enum { SERIES, FAMILY, HARDWARE, DTYPE, M, N, K, BATCH, TIME, GROUPS, NOTE, COLUMNS };
static const char *const columns[] = {"series", "family", "hardware", "dtype",  "m",   "n",
                                      "k",      "batch",  "time_us",  "groups", "note"};

struct device_row {
    const char *hardware;
    struct device device;
};

struct gemm_part {
    struct arena arena;
    struct notices notices;
    struct csv csv;
    struct device_row *device;
    uint32_t devices;
    struct errors errors;
    uint32_t left_out;
};

/* -- one row ---------------------------------------------------------------------------------- */

/* The number type of the cell: what stands before "(" or "-in-". */
static enum data_type type_of(const char *cell)
{
    char name[24];
    const char *end = strstr(cell, "-in-");
    size_t length = end ? (size_t)(end - cell) : strcspn(cell, "(");
    snprintf(name, sizeof name, "%.*s", (int)(length < 23 ? length : 23), cell);
    return data_type_find(name);
}

static uint64_t number_of(const char *cell)
{
    uint64_t number;
    return decimal_u64(cell, strlen(cell), &number) ? number : 0;
}

static bool shape_of(const struct csv *csv, uint32_t row, struct op_shape *shape)
{
    const char *const *cell = &csv->cell[(size_t)row * csv->columns];
    enum data_type type = type_of(cell[DTYPE]);
    uint64_t groups = number_of(cell[GROUPS]);
    *shape = (struct op_shape){.class = groups ? OP_CLASS_GROUPED_GEMM : OP_CLASS_GEMM,
                               .m = number_of(cell[M]),
                               .n = number_of(cell[N]),
                               .k = number_of(cell[K]),
                               .batch = groups ? groups : number_of(cell[BATCH])};
    if (type == DATA_TYPE_COUNT || shape->m == 0 || shape->n == 0 || shape->k == 0)
        return false;
    if (groups) /* the table has the rows of one group */
        shape->m *= groups;
    shape->type = (uint8_t)type;
    shape->out_type = (uint8_t)data_type_result(type);
    op_shape_finish(shape);
    return true;
}

/* Rows of one of the two cores of a chip: "tpu7x", and LLMCompass's TPUs. */
static void halve(struct device *device)
{
    device->cores /= 2;
    for (uint32_t type = 0; type < DATA_TYPE_COUNT; type++)
        device->peak_flops[type] /= 2;
    device->vector_flops /= 2;
    device->special_flops /= 2;
    device->memory_Bps /= 2;
    device->cache_bytes /= 2;
    device->cache_Bps /= 2;
}

static const struct device *device_of(struct gemm_part *part, const char *hardware,
                                      const char *series)
{
    for (uint32_t i = 0; i < part->devices; i++) {
        if (strcmp(part->device[i].hardware, hardware) == 0)
            return part->device[i].device.name ? &part->device[i].device : NULL;
    }
    struct device_row *row = &part->device[part->devices++];
    struct diag diag = DIAG_NONE;
    row->hardware = hardware;
    if (device_load(&row->device, hardware, &part->arena, &part->notices, &diag) != STATUS_OK) {
        row->device.name = NULL;
        return NULL;
    }
    bool is_google = strcmp(row->device.vendor, "Google") == 0;
    if (strstr(hardware, "one of 2 TensorCores") ||
        (is_google && strncmp(series, "llmcompass", 10) == 0 && row->device.cores == 2))
        halve(&row->device);
    return &row->device;
}

/* By which line a row is judged; NULL: by none. */
static const char *line_of(const struct device *device, enum data_type type)
{
    if (strcmp(device->vendor, "NVIDIA") == 0) {
        bool is_judged = type == TYPE_BF16 || type == TYPE_FP16 || type == TYPE_FP8;
        return is_judged && device->generation != GENERATION_PASCAL ? "NVIDIA" : NULL;
    }
    return strcmp(device->vendor, "AMD") == 0      ? "AMD"
           : strcmp(device->vendor, "Google") == 0 ? "TPU"
                                                   : NULL;
}

/* Host time that a series has in its measurements (README of the data, point 3; notes). */
static double launch_us(const char *series)
{
    if (strncmp(series, "llmcompass", 10) == 0)
        return 20; /* torch.matmul, synchronised around it */
    return 0;
}

/* Is the GPU warm and are its numbers random, so that it runs under its power limit? */
static bool is_steady(const char *series, const char *note)
{
    return strstr(note, "thermally steady") || strncmp(series, "vidur", 5) == 0;
}

static double stream_ns(const struct device *device, uint64_t numbers, uint64_t read,
                        uint64_t write, bool is_scalar)
{
    struct op_shape shape = {.class = OP_CLASS_ELEMENTWISE,
                             .type = TYPE_BF16,
                             .out_type = TYPE_BF16,
                             .m = numbers,
                             .read_bytes = read,
                             .write_bytes = write};
    struct op_time_options options = {.is_scalar = is_scalar};
    struct op_time time;
    const char *why;
    op_shape_finish(&shape);
    op_time(device, &shape, &options, &time, &why);
    return time.ns;
}

/*
 * The linear layer of TensorRT-LLM's flow takes bf16 and quantises it before an fp8 or fp4 product:
 * fp8 by the largest value of the tensor (a pass that reads, a small kernel for the scale, a pass
 * that reads and writes; one number at a time), fp4 in one pass by blocks of 16.
 */
static double quantise_us(const struct device *device, const struct op_shape *shape,
                          const char *note)
{
    uint64_t numbers = shape->m * shape->k;
    if (!strstr(note, "TensorRT-LLM torch flow"))
        return 0;
    if (shape->type == TYPE_FP8)
        return (stream_ns(device, numbers, 2 * numbers, 4, true) +
                stream_ns(device, 1, 4, 4, true) +
                stream_ns(device, numbers, 2 * numbers, numbers, false)) /
               1e3;
    if (shape->type == TYPE_FP4)
        return stream_ns(device, numbers, 2 * numbers, numbers / 2 + numbers / 16, false) / 1e3;
    return 0;
}

static const char *guess_of(const char *series, const struct device *device,
                            const struct op_shape *shape)
{
    double tiles = ceil((double)shape->m / 128) * ceil((double)shape->n / 256);
    if (strncmp(series, "deepbench", 9) == 0)
        return shape->k > 100000 ? "K of 500,000: this library splits less than ours"
                                 : "cuBLAS 8 and 9: transposes and odd sizes cost more";
    if (strncmp(series, "mamf", 4) == 0)
        return "the best of a search over shapes";
    if (strncmp(series, "deepgemm", 8) == 0)
        return "scales by blocks of 128; the result is not written beside the next tile's product";
    if (strncmp(series, "llmcompass", 10) == 0)
        return "the launch that it includes is not known to 10 us";
    if (shape->type == TYPE_FP8 && shape->n <= 2048)
        return "quantising the input weighs more than the product";
    if (tiles < device->cores)
        return "less than a wave: the library took another tile or split than the least";
    if (tiles < 3 * device->cores)
        return "few waves: the library took another tile, or the last wave overlaps";
    return device->generation == GENERATION_BLACKWELL ? "clocks: data/perf knows no long kernel"
                                                      : "clocks and the power limit";
}

static void add_row(struct gemm_part *part, uint32_t row)
{
    const char *const *cell = &part->csv.cell[(size_t)row * part->csv.columns];
    struct op_shape shape;
    const struct device *device = device_of(part, cell[HARDWARE], cell[SERIES]);
    double measured_us = strtod(cell[TIME], NULL);
    if (!device || !(measured_us > 0) || !shape_of(&part->csv, row, &shape)) {
        part->left_out++;
        return;
    }
    struct op_time_options options = {.is_sustained = is_steady(cell[SERIES], cell[NOTE])};
    struct op_time time;
    const char *why;
    op_time(device, &shape, &options, &time, &why);
    char *label = arena_take(&part->arena, OP_SHAPE_TEXT);
    char *series = arena_take(&part->arena, 96);
    bool is_mixed = strcmp(cell[SERIES], "mamf") == 0;
    snprintf(series, 96, "%s %s%s%s", cell[SERIES], data_type_name(shape.type), is_mixed ? " " : "",
             is_mixed ? device->vendor : "");
    errors_add(&part->errors,
               &(struct error_row){.series = series,
                                   .family = cell[FAMILY],
                                   .line = line_of(device, shape.type),
                                   .label = op_shape_print(&shape, label, OP_SHAPE_TEXT),
                                   .guess = guess_of(cell[SERIES], device, &shape),
                                   .measured_us = measured_us,
                                   .ours_us = time.ns / 1e3 + launch_us(cell[SERIES]) +
                                              quantise_us(device, &shape, cell[NOTE])});
}

/* -- the table -------------------------------------------------------------------------------- */

static void print_rows(const struct errors *errors, const char *path)
{
    FILE *out = path && path[0] ? fopen(path, "w") : NULL;
    if (!out)
        return;
    for (uint32_t i = 0; i < errors->count; i++)
        fprintf(out, "%s,%s,%.4f,%.4f\n", errors->row[i].series, errors->row[i].label,
                errors->row[i].measured_us, errors->row[i].ours_us);
    fclose(out);
}

static void print_part(struct gemm_part *part, bool brief, FILE *out, struct part_count *count)
{
    if (!brief) {
        errors_table(&part->errors, out);
        errors_families(&part->errors, 10, out);
        errors_worst(&part->errors, 20, out);
    }
    if (part->left_out)
        fprintf(out, "  %u rows left out: no time, type or device\n", part->left_out);
    errors_judge(&part->errors, "NVIDIA", 8, 12, out, count);
    errors_judge(&part->errors, "AMD", 20, 0, out, count);
    errors_judge(&part->errors, "TPU", 20, 0, out, count);
    print_rows(&part->errors, getenv("ORRERY_ROWS"));
}

enum status agree_gemm(const char *shared, bool brief, FILE *out, struct part_count *count,
                       struct diag *diag)
{
    struct gemm_part part = {.csv = {.names = columns, .columns = COLUMNS}};
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/data/validation/gemm.csv", shared);
    arena_init(&part.arena);
    notices_init(&part.notices);
    errors_init(&part.errors, 20);
    enum status status = csv_load(&part.csv, path, &part.arena, diag);
    if (status == STATUS_OK) {
        part.device = arena_array(&part.arena, part.csv.rows + 1, sizeof *part.device);
        for (uint32_t i = 0; i < part.csv.rows; i++)
            add_row(&part, i);
        print_part(&part, brief, out, count);
    }
    errors_release(&part.errors);
    notices_release(&part.notices);
    arena_release(&part.arena);
    return status;
}
