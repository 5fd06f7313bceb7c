/* orrery plot: any chart of a run or a study as a file, for papers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "base/watch.h"
#include "cli/cli.h"
#include "cli/job.h"
#include "cli/output.h"
#include "cli/raster.h"
#include "cli/say.h"
#include "report/chart_svg.h"
#include "report/draw.h"
#include "report/run_charts.h"
#include "sweep/study_charts.h"

struct plot_options {
    struct run_options run; /* first: job_load() reads it */
    const char *chart, *where;
    struct study_chart_request request;
    const char *width, *height, *font, *dpi, *title;
    struct chart_svg_options style;
    double dpi_number;
    const char *format; /* of the file */
};

#define TEXT(option, word, member, what)                                                           \
    {                                                                                              \
        .name = option, .argument = word, .help = what, .take = take_text,                         \
        .offset = offsetof(struct plot_options, member)                                            \
    }
#define FLAG(option, member, what)                                                                 \
    {                                                                                              \
        .name = option, .help = what, .take = take_flag,                                           \
        .offset = offsetof(struct plot_options, member)                                            \
    }

static const struct option options[] = {
    INPUT_OPTIONS,
    TEXT("--chart", "NAME", chart, "which chart; the names are above"),
    TEXT("--x", "COLUMN", request.x, "of a study: across"),
    TEXT("--y", "COLUMN", request.y, "of a study: up"),
    TEXT("--by", "COLUMN", request.by, "of a study: a line for each value"),
    TEXT("--pivot", "DOWN,ACROSS,VALUE", request.pivot,
         "of a study, heat map; then ,least ,most ,mean ,count"),
    TEXT("--where", "CONDITION", where, "of a study: points that it holds for"),
    FLAG("--median", request.is_median, "of a study: lines through the median, not the best"),
    FLAG("--log-x", request.log_x, "of a study: a logarithmic axis across"),
    FLAG("--log-y", request.log_y, "of a study: a logarithmic axis up"),
    TEXT("--output", "FILE", run.output,
         "FILE.svg (default: to standard output), .png, .pdf, .eps"),
    TEXT("--title", "TEXT", title, "a title above"),
    TEXT("--width", "MM", width, "width in mm (160)"),
    TEXT("--height", "MM", height, "height in mm (as the chart needs)"),
    TEXT("--font", "PT", font, "size of its text in points (8.5)"),
    TEXT("--dpi", "N", dpi, "pixels per inch of a PNG (300)"),
    WATCH_OPTIONS,
    {0},
};

/* -- options ----------------------------------------------------------------------------------- */

static enum status read_number(const char *option, const char *text, const double ends[2],
                               double *number, struct diag *diag)
{
    char *end;
    if (!text)
        return STATUS_OK;
    *number = strtod(text, &end);
    if (end != text && *end == '\0' && *number >= ends[0] && *number <= ends[1])
        return STATUS_OK;
    return usage_error(diag, option, "expected a number from %g to %g, found \"%.40s\"", ends[0],
                       ends[1], text);
}

static enum status read_style(struct plot_options *given, struct diag *diag)
{
    static const double lengths[] = {20, 2000}, points[] = {3, 40}, dots[] = {30, 1200};
    given->dpi_number = 300;
    given->style.title = given->title;
    enum status status =
        read_number("--width", given->width, lengths, &given->style.width_mm, diag);
    if (status == STATUS_OK)
        status = read_number("--height", given->height, lengths, &given->style.height_mm, diag);
    if (status == STATUS_OK)
        status = read_number("--font", given->font, points, &given->style.font_pt, diag);
    if (status == STATUS_OK)
        status = read_number("--dpi", given->dpi, dots, &given->dpi_number, diag);
    given->format = raster_format(given->run.output);
    if (status == STATUS_OK && !given->format) {
        status = usage_error(diag, "--output",
                             "expected a name that ends in .svg, .png, .pdf or "
                             ".eps, found \"%.200s\"",
                             given->run.output);
    }
    return status;
}

/* Names of charts, NULL-terminated, for messages. */
static void chart_names(const char **name, bool is_study)
{
    for (const struct study_chart *row = study_charts; is_study && row->name; row++)
        *name++ = row->name;
    for (const struct run_chart *row = run_charts; !is_study && row->name; row++)
        *name++ = row->name;
    if (!is_study)
        *name++ = "network";
    *name = NULL;
}

static enum status no_chart(const struct plot_options *given, bool is_study, struct diag *diag)
{
    const char *name[24];
    char known[300] = "";
    chart_names(name, is_study);
    for (size_t i = 0, used = 0; name[i] && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", name[i]);
    usage_error(diag, "--chart", "a %s has the charts %s%s%.60s%s", is_study ? "study" : "run",
                known, given->chart ? "; found \"" : "", given->chart ? given->chart : "",
                given->chart ? "\"" : "");
    const char *nearest = given->chart ? suggest_nearest(given->chart, name) : NULL;
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    return STATUS_USAGE;
}

/* -- the file ---------------------------------------------------------------------------------- */

static enum status write_file(const struct plot_options *given, const char *svg, size_t length,
                              struct diag *diag)
{
    struct out_file out;
    enum status status = output_open(&out, given->run.output, diag);
    if (status != STATUS_OK)
        return status;
    if (strcmp(given->format, "svg") == 0)
        fwrite(svg, 1, length, out.stream);
    else
        status = raster_write(svg, length, given->format, given->dpi_number, out.stream, diag);
    if (status == STATUS_OK)
        return output_commit(&out, diag);
    output_abandon(&out);
    return status;
}

/* `fabric` NULL: the chart. */
static enum status write_drawing(const struct plot_options *given, const struct chart *chart,
                                 const struct job *job, struct diag *diag)
{
    char *svg = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&svg, &length);
    need_memory(memory != NULL);
    if (chart)
        chart_svg(&chart, 1, &given->style, memory);
    else
        draw_svg(job->config.network.fabric, job->result.link_count ? job->result.link : NULL,
                 (double)job->result.end_ps / (double)PS_PER_NS, memory);
    need_memory(fclose(memory) == 0);
    enum status status = write_file(given, svg, length, diag);
    free(svg);
    return status;
}

/* -- a study ----------------------------------------------------------------------------------- */

static enum status plot_results(const struct plot_options *given, struct results *results,
                                struct diag *diag)
{
    struct chart chart;
    const struct study_chart *row = study_charts;
    while (row->name && (!given->chart || strcmp(row->name, given->chart) != 0))
        row++;
    if (!row->name)
        return no_chart(given, true, diag);
    enum status status = STATUS_OK;
    if (given->where)
        status = results_filter(results, given->where, diag);
    if (status == STATUS_OK)
        status = row->fill(&chart, results, &given->request, diag);
    if (status != STATUS_OK)
        return status;
    status = write_drawing(given, &chart, NULL, diag);
    chart_release(&chart);
    return status;
}

static enum status plot_study(const struct plot_options *given, const char *path, struct diag *diag)
{
    struct store *store = store_open(path, false, diag);
    if (!store)
        return diag->status;
    struct store_table table;
    struct results results;
    enum status status = store_read(store, &table, diag);
    results_init(&results, &table);
    if (status == STATUS_OK)
        status = plot_results(given, &results, diag);
    results_release(&results);
    store_table_release(&table);
    store_close(store);
    return status;
}

/* -- a run ------------------------------------------------------------------------------------- */

static enum status simulate_for(const struct run_chart *row, struct job *job)
{
    const struct run_options *run = job->options;
    bool needs_path = row && strcmp(row->name, "critical-path") == 0;
    bool progress = !run->quiet && (run->progress || isatty(STDERR_FILENO) != 0);
    struct watch *watch = watch_start(progress, job->wall_limit_s);
    const struct simulate_watch hook = {watch_poll, watch};
    const struct simulate_also also = {.watch = watch ? &hook : NULL,
                                       .timeline = needs_path ? &job->timeline : NULL,
                                       .blame = needs_path ? &job->blame : NULL};
    enum status status = simulate_also(&job->config, work_load_of(&job->work), &job->groups, &also,
                                       &job->result, &job->diag);
    watch_stop(watch);
    job->has_path = needs_path && status == STATUS_OK;
    if (status == STATUS_OK)
        return job_check_end(job);
    if (job->diag.status == STATUS_OK)
        diag_fail(&job->diag, status, "the run did not end (%s)", status_help(status));
    return status;
}

static enum status plot_row(const struct plot_options *given, const struct run_chart *row,
                            struct job *job)
{
    struct chart chart;
    struct rank_groups groups;
    rank_groups_init(&groups, &job->result);
    const struct run_charts_source source = {&job->result, &job->config, &groups,
                                             job->has_path ? &job->blame : NULL};
    enum status status;
    if (!row->fill(&chart, &source)) {
        status =
            usage_error(&job->diag, "--chart", "this run has nothing for the chart %s", row->name);
        diag_hint(&job->diag, "it shows %s", row->summary);
    } else {
        status = write_drawing(given, &chart, NULL, &job->diag);
        chart_release(&chart);
    }
    rank_groups_release(&groups);
    return status;
}

static enum status plot_run(const struct plot_options *given, struct job *job)
{
    const struct run_chart *row = run_charts;
    bool is_network = given->chart && strcmp(given->chart, "network") == 0;
    while (row->name && (!given->chart || strcmp(row->name, given->chart) != 0))
        row++;
    if (!row->name && !is_network)
        return no_chart(given, false, &job->diag);
    enum status status = job_load(job);
    if (status == STATUS_OK)
        status = simulate_for(is_network ? NULL : row, job);
    if (status != STATUS_OK)
        return status;
    if (!is_network)
        return plot_row(given, row, job);
    if (job->config.network.fabric)
        return write_drawing(given, NULL, job, &job->diag);
    status = usage_error(&job->diag, "--chart", "this network model sees no links");
    diag_hint(&job->diag, "use --network-backend flow or link");
    return status;
}

/* -- the command ------------------------------------------------------------------------------- */

static int run_plot(int argc, char **argv)
{
    struct plot_options given = {0};
    struct job job;
    char store[4096];
    const char *point;
    int code;
    if (!options_begin(&command_plot, argc, argv, &given, take_input_word, &code))
        return code;
    job_init(&job, &given.run);
    const char *word = given.run.inputs.word;
    bool is_study = word && rerun_is_store(word, store, sizeof store, &point) && !*point;
    enum status status = read_style(&given, &job.diag);
    if (status == STATUS_OK)
        status = is_study ? plot_study(&given, store, &job.diag) : plot_run(&given, &job);
    if (status != STATUS_OK)
        command_failed(&job.diag);
    job_release(&job);
    return status_exit_code(status);
}

static void print_charts(FILE *out)
{
    fputs("\nCharts of a study:\n", out);
    for (const struct study_chart *row = study_charts; row->name; row++)
        fprintf(out, "  %-14s %s\n", row->name, row->summary);
    fputs("Charts of a run:\n", out);
    for (const struct run_chart *row = run_charts; row->name; row++)
        fprintf(out, "  %-14s %s\n", row->name, row->summary);
    fprintf(out, "  %-14s %s\n", "network",
            "the network, its links coloured by how busy they were");
}

const struct command command_plot = {
    .name = "plot",
    .summary = "a chart of a run or a study as SVG, PNG, PDF or EPS, for papers",
    .usage = "STUDY.db | RESULT | CONFIG.yaml | JOB --cluster CLUSTER",
    .about = "Draws one chart: of a study from its store, of a run after running it (again).\n"
             "The same input gives the same file, byte for byte. PNG, PDF and EPS are made by\n"
             "rsvg-convert (Debian: librsvg2-bin).\n",
    .more = print_charts,
    .examples = "  orrery plot study.db --chart scaling --x plan.tp --y tokens_per_s --by plan.pp "
                "--output scaling.svg\n"
                "  orrery plot study.db --chart pareto --width 84 --font 7 --output pareto.png\n"
                "  orrery plot study.db --chart heat-map --pivot plan.tp,plan.pp,time_s,least "
                "--output heat.pdf\n"
                "  orrery plot llama3-8b --cluster preset:dgx-h100,nodes=1 --plan "
                "tp=8,global-batch=4,seq=4096 --chart breakdown\n",
    .options = options,
    .run = run_plot,
};
