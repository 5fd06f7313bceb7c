/* orrery scale: one training step on more and more devices. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/scale_rows.h"

enum { MOST_ROWS = 64 };

static const struct option options[] = {
    {.name = "--devices",
     .argument = "LIST",
     .help = "8,16,32 or 8..16384 (doubling); default 8..1024",
     .take = take_text,
     .offset = offsetof(struct scale_options, devices)},
    {.name = "--topology",
     .argument = "TEXT",
     .help = "the network of each row, if --cluster is a file: 'rail:8x{devices/8}'",
     .take = take_text,
     .offset = offsetof(struct scale_options, topology)},
    {.name = "--strong",
     .help = "the global batch stays; by default it grows with the devices from the first",
     .take = take_flag,
     .offset = offsetof(struct scale_options, is_strong)},
    {.name = "--ignore-memory",
     .help = "no exit code for it if no row fits in its devices' memory",
     .take = take_flag,
     .offset = offsetof(struct scale_options, ignore_memory)},
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
    {.name = "--quiet",
     .help = "no progress line on a terminal",
     .take = take_flag,
     .offset = offsetof(struct scale_options, quiet)},
    INPUT_OPTIONS,
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

/* An output that cannot be written is found before the rows are run. */
static enum status try_output(const char *path, struct diag *diag)
{
    struct out_file out;
    enum status status = path ? output_open(&out, path, diag) : STATUS_OK;
    if (path && status == STATUS_OK)
        output_abandon(&out);
    return status;
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

/* True if one could be run. */
static bool run_rows(const struct scale_study *study, struct scale_table *table)
{
    bool shows = !study->given->quiet && isatty(STDERR_FILENO), has_one = false;
    for (uint32_t i = 0; i < table->count; i++) {
        struct scale_row *row = &table->row[i];
        if (shows)
            fprintf(stderr, "\r\x1b[K%" PRIu32 " devices (%" PRIu32 " of %" PRIu32 ")",
                    row->devices, i + 1, table->count);
        double grown = (double)row->devices / table->row[0].devices;
        scale_row_run(row, study, table->is_strong ? 1 : grown);
        has_one |= row->status == STATUS_OK;
    }
    if (shows)
        fputs("\r\x1b[K", stderr);
    return has_one;
}

static bool has_fitting(const struct scale_table *table)
{
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->row[i].status == STATUS_OK && step_fits(&table->row[i].step.memory))
            return true;
    }
    return false;
}

static enum status none_fits(const struct scale_options *given, struct diag *diag)
{
    diag_hint(diag, "--plan auto finds plans that fit, and so does orrery plan %.60s CLUSTER",
              given->inputs.word);
    return diag_fail(diag, STATUS_DOES_NOT_FIT, "no row fits in its devices' memory");
}

/* Where no row ran, the command fails with the first one's reason: these are the others. */
static void say_others(const struct scale_table *table)
{
    for (uint32_t i = 1; i < table->count; i++) {
        if (strcmp(table->row[i].diag.message, table->row[i - 1].diag.message) != 0)
            fprintf(stderr, "orrery: %" PRIu32 " devices: %s\n", table->row[i].devices,
                    table->row[i].diag.message);
    }
}

static enum status scale(const struct scale_options *given, struct diag *diag)
{
    const struct scale_format *format = find_format(given->format, diag);
    if (!format)
        return STATUS_USAGE;
    struct scale_study study;
    uint32_t devices[MOST_ROWS], count = 0;
    enum status status = scale_study_init(&study, given, diag);
    if (status == STATUS_OK)
        status = read_devices(given->devices ? given->devices : "8..1024", devices, &count, diag);
    if (status == STATUS_OK)
        status = try_output(given->plot, diag);
    if (status == STATUS_OK)
        status = try_output(given->output, diag);
    if (status != STATUS_OK)
        return status;
    struct scale_row row[MOST_ROWS] = {0};
    struct scale_table table = {given->inputs.word,
                                given->topology ? given->topology : given->inputs.cluster,
                                given->is_strong,
                                study.is_auto,
                                row,
                                count};
    for (uint32_t i = 0; i < count; i++)
        row[i].devices = devices[i];
    if (!run_rows(&study, &table)) {
        say_others(&table);
        *diag = row[0].diag;
        return row[0].status;
    }
    status = write_table(given, format, &table, diag);
    if (status == STATUS_OK && !given->ignore_memory && !has_fitting(&table))
        status = none_fits(given, diag);
    return status;
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
             "number of devices. The plan's degrees stay, data parallelism takes what is added,\n"
             "and the batch grows along (weak scaling) or stays (--strong). With --plan auto the\n"
             "fastest plan that fits is searched for each number of devices (orrery plan).\n",
    .examples =
        "  orrery scale llama3-8b --cluster preset:dgx-h100 --plan zero=3,seq=8192,global-batch=8\n"
        "  orrery scale llama3-70b --cluster preset:dgx-h100 --plan auto --devices 64..1024\n"
        "  orrery scale job.yaml --cluster preset:dgx-h100 --devices 64..1024 --plot scale.svg\n"
        "  orrery scale job.yaml --cluster mine.yaml --topology 'rail:8x{devices/8}' --strong\n",
    .options = options,
    .run = run_scale,
};
