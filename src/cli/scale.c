/* orrery scale: one training step on more and more devices. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/work.h"
#include "net/topology/presets.h"
#include "report/scale_report.h"
#include "run/simulate.h"
#include "run/step_summary.h"

enum { MOST_ROWS = 64 };

struct scale_options {
    struct inputs inputs; /* first: INPUT_OPTIONS fills it */
    const char *devices, *format, *output, *plot;
    bool is_strong;
};

static const struct option options[] = {
    INPUT_OPTIONS,
    {.name = "--devices",
     .argument = "LIST",
     .help = "8,16,32 or 8..16384 (doubling); default 8..1024",
     .take = take_text,
     .offset = offsetof(struct scale_options, devices)},
    {.name = "--strong",
     .help = "the global batch stays; by default it grows with the devices from the first",
     .take = take_flag,
     .offset = offsetof(struct scale_options, is_strong)},
    {.name = "--plot",
     .argument = "FILE",
     .help = "draw step time and efficiency there, as SVG",
     .take = take_text,
     .offset = offsetof(struct scale_options, plot)},
    {.name = "--format",
     .argument = "NAME",
     .help = "text (default), json or csv",
     .take = take_text,
     .offset = offsetof(struct scale_options, format)},
    {.name = "--output",
     .argument = "FILE",
     .help = "write the table there (complete, or not at all)",
     .take = take_text,
     .offset = offsetof(struct scale_options, output)},
    {0},
};

/* -- the list of device counts ---------------------------------------------------------------- */

static enum status bad_list(const char *text, struct diag *diag)
{
    return usage_error(diag, "--devices",
                       "expected ascending counts such as 8,16,32, or 8..1024, found \"%.60s\"",
                       text);
}

static bool read_count(const char *text, size_t length, uint32_t *count)
{
    uint64_t value;
    if (!decimal_u64(text, length, &value) || value < 1 || value > CONFIG_MAX_NPUS)
        return false;
    *count = (uint32_t)value;
    return true;
}

static enum status read_devices(const char *text, uint32_t *devices, uint32_t *count,
                                struct diag *diag)
{
    const char *dots = strstr(text, "..");
    uint32_t first, last;
    *count = 0;
    if (dots) {
        if (!read_count(text, (size_t)(dots - text), &first) ||
            !read_count(dots + 2, strlen(dots + 2), &last) || first > last)
            return bad_list(text, diag);
        for (uint64_t n = first; n <= last; n *= 2)
            devices[(*count)++] = (uint32_t)n;
        return STATUS_OK;
    }
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (*count == MOST_ROWS || !read_count(at, length, &devices[*count]) ||
            (*count && devices[*count] <= devices[*count - 1]))
            return bad_list(text, diag);
        ++*count;
        at += length;
        if (!*at)
            return STATUS_OK;
    }
}

/* -- one row --------------------------------------------------------------------------------- */

/* "preset:dgx-h100" of so many devices; a topology of one's own has "{devices}" in it. */
static enum status cluster_of(const char *cluster, uint32_t devices, char *to, size_t size,
                              struct diag *diag)
{
    struct preset_words preset;
    const char *hole = strstr(cluster, "{devices}");
    if (hole) {
        snprintf(to, size, "%.*s%" PRIu32 "%s", (int)(hole - cluster), cluster, devices,
                 hole + strlen("{devices}"));
        return STATUS_OK;
    }
    if (!preset_find(cluster, &preset) || !preset.npus_each || strchr(cluster, ',')) {
        usage_error(diag, "--cluster", "a cluster that can grow is needed, found \"%.80s\"",
                    cluster);
        diag_hint(diag, "a preset that counts machines (preset:dgx-h100), or a topology with "
                        "{devices} in it (switch:{devices})");
        return STATUS_USAGE;
    }
    if (devices % preset.npus_each) {
        diag_fail(diag, STATUS_BAD_CONFIG, "%" PRIu32 " devices are no whole machines of %" PRIu32,
                  devices, preset.npus_each);
        return STATUS_BAD_CONFIG;
    }
    snprintf(to, size, "%s,%s=%" PRIu32, cluster, preset.parameter, devices / preset.npus_each);
    return STATUS_OK;
}

struct row_run {
    struct config config;
    struct group_file groups;
    struct run_result result;
    struct work work;
    struct diag diag;
};

static enum status run_row(struct row_run *run, const struct scale_options *given, uint32_t devices,
                           double batch_ratio)
{
    char cluster[512];
    struct inputs inputs = given->inputs;
    enum status status = cluster_of(inputs.cluster, devices, cluster, sizeof cluster, &run->diag);
    inputs.cluster = cluster;
    if (status == STATUS_OK)
        status = work_configure(&run->work, &inputs, &run->config, &run->groups,
                                &run->result.notices, &run->diag);
    if (status != STATUS_OK)
        return status;
    struct train_plan *plan = &run->work.spec.plan;
    plan->global_batch = (uint64_t)((double)plan->global_batch * batch_ratio + 0.5);
    plan->dp = 0;
    status = work_open(&run->work, &run->config, &run->groups, &run->result.notices, &run->diag);
    if (status == STATUS_OK)
        status = simulate(&run->config, work_load_of(&run->work), &run->groups, NULL, &run->result,
                          &run->diag);
    return status;
}

static void fill_row(struct scale_row *row, const struct scale_options *given, double batch_ratio)
{
    struct row_run *run = calloc(1, sizeof *run);
    need_memory(run != NULL);
    run->diag = DIAG_NONE;
    config_init(&run->config);
    group_file_init(&run->groups);
    result_init(&run->result);
    work_init(&run->work);
    row->status = run_row(run, given, row->devices, batch_ratio);
    if (row->status == STATUS_OK) {
        row->step = step_summary(&run->work.spec, &run->config);
        row->step.model = row->step.framework = row->step.device = NULL; /* go with the run */
        scale_row_fill(row, &run->result);
    } else {
        const char *hint = run->diag.hint;
        snprintf(row->reason, sizeof row->reason, "%.160s%s%.60s", run->diag.message,
                 hint[0] ? "; " : "", hint);
    }
    work_release(&run->work);
    result_release(&run->result);
    group_file_release(&run->groups);
    config_release(&run->config);
    free(run);
}

/* -- the command ------------------------------------------------------------------------------ */

static const struct scale_format *find_format(const char *name, struct diag *diag)
{
    for (const struct scale_format *format = scale_formats; format->name; format++) {
        if (strcmp(format->name, name ? name : "text") == 0)
            return format;
    }
    usage_error(diag, "--format", "expected text, json or csv, found \"%.60s\"", name);
    return NULL;
}

static enum status write_plot(const struct scale_table *table, const char *path, struct diag *diag)
{
    struct out_file out;
    enum status status = path ? output_open(&out, path, diag) : STATUS_OK;
    if (!path || status != STATUS_OK)
        return status;
    scale_plot(table, out.stream);
    return output_commit(&out, diag);
}

static enum status write_table(const struct scale_options *given, const struct scale_format *format,
                               const struct scale_table *table, struct diag *diag)
{
    enum status status = write_plot(table, given->plot, diag);
    struct out_file out;
    if (status == STATUS_OK)
        status = output_open(&out, given->output, diag);
    if (status != STATUS_OK)
        return status;
    format->write(table, out.stream);
    return output_commit(&out, diag);
}

static enum status scale(const struct scale_options *given, struct diag *diag)
{
    const struct scale_format *format = find_format(given->format, diag);
    if (!format)
        return STATUS_USAGE;
    if (!given->inputs.word || !given->inputs.cluster) {
        usage_error(diag, NULL, "a job and --cluster are needed");
        diag_hint(diag, "orrery scale llama3-8b --cluster preset:dgx-h100");
        return STATUS_USAGE;
    }
    uint32_t devices[MOST_ROWS];
    struct scale_row row[MOST_ROWS] = {0};
    struct scale_table table = {given->inputs.word, given->inputs.cluster, given->is_strong, row,
                                0};
    enum status status =
        read_devices(given->devices ? given->devices : "8..1024", devices, &table.count, diag);
    if (status != STATUS_OK)
        return status;
    bool has_one = false;
    for (uint32_t i = 0; i < table.count; i++) {
        row[i].devices = devices[i];
        fill_row(&row[i], given, given->is_strong ? 1 : (double)devices[i] / devices[0]);
        has_one |= row[i].status == STATUS_OK;
    }
    if (!has_one) {
        diag_fail(diag, row[0].status, "%s", row[0].reason);
        return row[0].status;
    }
    return write_table(given, format, &table, diag);
}

static int run_scale(int argc, char **argv)
{
    struct scale_options given = {0};
    struct diag diag = DIAG_NONE;
    int code;
    if (!options_begin(&command_scale, argc, argv, &given, take_input_word, &code))
        return code;
    enum status status = scale(&given, &diag);
    if (status != STATUS_OK)
        command_failed(&diag);
    return status_exit_code(status);
}

const struct command command_scale = {
    .name = "scale",
    .summary = "one training step on more and more devices: time and efficiency",
    .usage = "JOB --cluster CLUSTER [--devices LIST] [OPTIONS]",
    .about = "Generates and simulates one step of a job (a model's name or a job's file) at each\n"
             "number of devices. The plan's degrees stay, data parallelism takes what is added.\n",
    .examples =
        "  orrery scale llama3-8b --cluster preset:dgx-h100 --plan seq=8192,global-batch=8\n"
        "  orrery scale job.yaml --cluster preset:dgx-h100 --devices 512..16384 --plot scale.svg\n"
        "  orrery scale job.yaml --cluster 'switch:{devices},bw=100GB/s' --devices 4,8 --strong\n",
    .options = options,
    .run = run_scale,
};
