/*
 * fit_gemm - fits the `measured.gemm` of a device to a table of measurements, and prints it.
 *
 * fit_gemm DEVICE TYPE PARAMETERS perf|rows FILE WORD..
 *   PARAMETERS  which to move, by comma: start,tile,efficiency,sustained,burst,tile-loss,
 *               wave-ratio,bandwidth-ratio,cache-ratio; the rest stays as the device's file has it
 *   perf FILE   xla_gemm_perf_table.csv; WORDs: device and dtypes column, "sm_90" "bf16xbf16->bf16"
 *   rows FILE   gemm.csv; WORDs: beginnings of series; a leading + takes them as sustained,
 *               @US at the end takes off a launch that they include; $HARDWARE keeps rows whose
 *               hardware has it
 *   $HOLD=0 or 1 leaves out every second family of rows from the fit, and reports their error.
 * The loss is the mean of |ln(ours / measured)|, at most 0.4 a row, rows below 20 us at half
 * weight; coordinate descent.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "compute/op_time.h"

struct row {
    struct op_shape shape;
    double us;
    bool is_sustained, is_held_out;
};
static struct row rows[20000];
static int count;
static struct device device;
static enum data_type type;
static double launch_us;

static struct {
    const char *name;
    double *at;
    bool is_share;
} parameters[] = {{"start", &device.gemm.start_ns, 0},
                  {"tile", &device.gemm.tile_ns, 0},
                  {"efficiency", NULL, 1},
                  {"sustained", NULL, 1},
                  {"burst", &device.gemm.burst_ns, 0},
                  {"tile-loss", &device.gemm.tile_loss, 0},
                  {"wave-ratio", &device.gemm.wave_ratio, 1},
                  {"bandwidth-ratio", &device.gemm.bandwidth_ratio, 1},
                  {"ramp", &device.gemm.ramp_ns, 0},
                  {"cache-ratio", &device.gemm.cache_ratio, 0}};
enum { PARAMETERS = sizeof parameters / sizeof parameters[0] };

static int by_size(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static double ours(const struct row *row)
{
    struct op_time time;
    const char *why;
    struct op_time_options options = {.model = OP_MODEL_GEMM, .is_sustained = row->is_sustained};
    op_time(&device, &row->shape, &options, &time, &why);
    return time.ns / 1000;
}

/* Of the rows that are fitted, or of those held out. */
static double loss_of(bool is_held_out, bool report)
{
    static double error[20000];
    double sum = 0, weights = 0, mean = 0, bias = 0;
    int large = 0;
    for (int i = 0; i < count; i++) {
        if (rows[i].is_held_out != is_held_out)
            continue;
        double e = ours(&rows[i]) / rows[i].us;
        double weight = rows[i].us < 20 ? 0.5 : 1;
        sum += weight * fmin(fabs(log(e)), 0.4);
        weights += weight;
        if (rows[i].us >= 20) {
            error[large++] = fabs(e - 1) * 100;
            mean += fabs(e - 1) * 100;
            bias += (e - 1) * 100;
        }
    }
    if (report) {
        qsort(error, (size_t)large, sizeof *error, by_size);
        printf("# loss %.4f; from 20 us: %d rows, median %.1f mean %.1f p90 %.1f bias %+.1f %%\n",
               sum / weights, large, error[large / 2], mean / large, error[large * 9 / 10],
               bias / large);
    }
    return sum / weights;
}

static double loss(bool report)
{
    return loss_of(false, report);
}

static void descend(const char *which)
{
    double best = loss(false);
    for (double step = 0.3; step > 0.004; step *= 0.6) {
        for (int turn = 0; turn < 2; turn++) {
            for (int i = 0; i < PARAMETERS; i++) {
                if (!strstr(which, parameters[i].name))
                    continue;
                if (strcmp(parameters[i].name, "tile") == 0 && !strstr(which, "tile,"))
                    continue;
                double kept = *parameters[i].at;
                for (int sign = -1; sign <= 1; sign += 2) {
                    double value = kept * (1 + sign * step);
                    if (parameters[i].is_share && value > 1)
                        value = 1;
                    *parameters[i].at = value;
                    double found = loss(false);
                    if (found < best - 1e-7) {
                        best = found;
                        kept = value;
                    }
                }
                *parameters[i].at = kept;
            }
        }
    }
}

static char *cells[32];
static int split(char *line)
{
    int n = 0;
    bool quoted = false;
    char *out = line;
    cells[n++] = line;
    for (char *c = line; *c && *c != '\n' && *c != '\r'; c++) {
        if (*c == '"')
            quoted = !quoted;
        else if (*c == ',' && !quoted && n < 32) {
            *out++ = 0;
            cells[n++] = out;
        } else
            *out++ = *c;
    }
    *out = 0;
    return n;
}

static void add(const char *m, const char *n, const char *k, const char *b, const char *us,
                bool is_sustained)
{
    struct row *row = &rows[count++];
    *row = (struct row){.us = atof(us) - launch_us, .is_sustained = is_sustained};
    const char *hold = getenv("HOLD");
    uint64_t family = hash_bytes(cells[2], strlen(cells[2]), 1);
    row->is_held_out = hold && family % 2 == (uint64_t)atoi(hold);
    row->shape = (struct op_shape){.class = OP_CLASS_GEMM,
                                   .type = (uint8_t)type,
                                   .out_type = (uint8_t)data_type_result(type),
                                   .m = strtoull(m, 0, 10),
                                   .n = strtoull(n, 0, 10),
                                   .k = strtoull(k, 0, 10),
                                   .batch = strtoull(b, 0, 10)};
    op_shape_finish(&row->shape);
}

static bool same_type(const char *cell)
{
    char name[32];
    snprintf(name, sizeof name, "%.*s",
             (int)(strstr(cell, "-in-") ? strstr(cell, "-in-") - cell : (long)strcspn(cell, "(")),
             cell);
    enum data_type found = data_type_find(name);
    bool are_halves = (type == TYPE_BF16 || type == TYPE_FP16) &&
                      (found == TYPE_BF16 || found == TYPE_FP16); /* one rate */
    return found == type || are_halves;
}

static void load(const char *kind, const char *path, char **words)
{
    FILE *file = fopen(path, "r");
    static char line[4096];
    while (file && fgets(line, sizeof line, file)) {
        int n = split(line);
        if (strcmp(kind, "perf") == 0) {
            if (n >= 8 && strcmp(cells[0], words[0]) == 0 && strcmp(cells[5], words[1]) == 0)
                add(cells[2], cells[3], cells[4], cells[1], cells[7], false);
            continue;
        }
        for (char **word = words; *word; word++) {
            bool is_sustained = **word == '+';
            const char *start = *word + is_sustained;
            size_t length = strcspn(start, "@");
            launch_us = start[length] ? atof(start + length + 1) : 0;
            if (n >= 11 && strncmp(cells[1], start, length) == 0 && same_type(cells[5]) &&
                !cells[15][0] && (!getenv("HARDWARE") || strstr(cells[4], getenv("HARDWARE"))))
                add(cells[6], cells[7], cells[8], cells[9], cells[10], is_sustained);
        }
    }
    if (file)
        fclose(file);
}

int main(int argc, char **argv)
{
    struct arena arena;
    struct notices notices;
    struct diag diag = DIAG_NONE;
    arena_init(&arena);
    notices_init(&notices);
    if (argc < 7 || device_load(&device, argv[1], &arena, &notices, &diag) != STATUS_OK) {
        diag_print(&diag, stderr);
        return 2;
    }
    type = data_type_find(argv[2]);
    enum data_type as = device_multiplies_as(&device, type);
    if (device.gemm.efficiency[as] == 0)
        device.gemm.efficiency[as] = device.gemm.efficiency[TYPE_BF16];
    if (device.gemm.sustained[as] == 0)
        device.gemm.sustained[as] = device.gemm.sustained[TYPE_BF16];
    parameters[2].at = &device.gemm.efficiency[as];
    parameters[3].at = &device.gemm.sustained[as];
    load(argv[4], argv[5], argv + 6);
    printf("# %s %s: %d rows\n", device.name, data_type_name(type), count);
    loss(true);
    descend(argv[3]);
    loss(true);
    if (getenv("HOLD"))
        loss_of(true, true);
    for (int i = 0; i < PARAMETERS; i++)
        printf("%s: %.4g%s", parameters[i].name, *parameters[i].at,
               i + 1 < PARAMETERS ? ", " : "\n");
    if (getenv("SHOW"))
        for (int i = 0; i < count; i++) {
            char text[OP_SHAPE_TEXT];
            printf("%-32s %10.1f %10.1f %+6.1f\n",
                   op_shape_print(&rows[i].shape, text, sizeof text), rows[i].us, ours(&rows[i]),
                   100 * (ours(&rows[i]) / rows[i].us - 1));
        }
    return 0;
}
