#include <string.h>
#include <unistd.h>

#include "base/watch.h"
#include "cli/cli.h"
#include "cli/explain_bounds.h"
#include "cli/output.h"
#include "cli/say.h"
#include "config/names.h"
#include "report/explain_report.h"
#include "run/perturb.h"
#include "run/what_if.h"

enum { USUAL_ROWS = 12, MOST_TOP = 100000, SMALL_EVENTS = 1 << 18 };

static enum status add_what_if(struct explain_options *options, const char *name, const char *text,
                               struct diag *diag)
{
    if (options->count == MOST_WHAT_IFS)
        return usage_error(diag, name, "at most %d runs more are made", MOST_WHAT_IFS);
    if (what_if_parse(&options->what_if[options->count], text, diag) != STATUS_OK) {
        diag_field(diag, "%s", name);
        return diag->status;
    }
    options->count++;
    return STATUS_OK;
}

static enum status take_free(void *to, const struct option *option, const char *value,
                             struct diag *diag)
{
    return add_what_if(to, option->name, value, diag);
}

static enum status take_no_contention(void *to, const struct option *option, const char *value,
                                      struct diag *diag)
{
    (void)value;
    return add_what_if(to, option->name, "contention", diag);
}

static enum status take_rows(void *to, const struct option *option, const char *value,
                             struct diag *diag)
{
    struct explain_options *options = to;
    return take_count(option, value, MOST_TOP, "rows", &options->rows, diag);
}

static const struct option options[] = {
    INPUT_OPTIONS,
    {.name = "--free",
     .argument = "WHAT",
     .help =
         "run again without the time of rank:N, collective:KIND, group:NAME, op:NAME, messages, "
         "link:NAME, launches",
     .take = take_free},
    {.name = "--infinite",
     .argument = "WHAT",
     .help = "the same for compute, network or memory, of all ranks",
     .take = take_free},
    {.name = "--no-contention",
     .help = "run again on the network model without contention",
     .take = take_no_contention},
    {.name = "--ladder",
     .help = "run again with a perfect network, perfect overlap, no contention, infinite compute "
             "or memory, no launches, no stragglers",
     .take = take_flag,
     .offset = offsetof(struct explain_options, ladder)},
    {.name = "--measure",
     .help = "run again with each part 1 % longer, beside what the path says that is worth; "
             "small jobs (262144 events) always are",
     .take = take_flag,
     .offset = offsetof(struct explain_options, measure)},
    {.name = "--no-measure",
     .help = "not small jobs either",
     .take = take_flag,
     .offset = offsetof(struct explain_options, trust)},
    {.name = "--top", .argument = "N", .help = "text: rows of each table (12)", .take = take_rows},
    REPORT_OPTIONS("text (default) or json"),
    WATCH_OPTIONS,
    {0},
};

/* -- running --------------------------------------------------------------------------------- */

/* The path cannot know that another order of ops, or others on the links, makes 1 % worth something
 * else: what is cheap to ask is asked. */
static bool is_measured(const struct explaining *all)
{
    const struct explain_options *asked = all->options;
    return asked->measure || (!asked->trust && all->job.result.events <= SMALL_EVENTS);
}

/* Finite differences of the parts that have a parameter. */
static enum status measure_parts(struct explaining *all, const struct simulate_watch *hook)
{
    struct job *job = &all->job;
    struct blame_table *parts = &all->blame.by[BLAME_BY_PART];
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < parts->count && status == STATUS_OK; i++) {
        struct blame_row *row = &parts->row[i];
        struct perturbed perturbed;
        struct run_result result;
        row->is_measured = perturb_begin(&perturbed, &job->config, (enum path_part)row->part,
                                         row->dim, PERTURB_RATIO);
        if (!row->is_measured)
            continue;
        struct diag diag = DIAG_NONE;
        result_init(&result);
        status = simulate(&job->config, work_load_of(&job->work), &job->groups, hook, &result,
                          all->options->measure ? &job->diag : &diag);
        if (status != STATUS_OK && status != STATUS_INTERRUPTED && !all->options->measure) {
            status = STATUS_OK; /* nobody asked: it ends past --max-time, say */
            row->is_measured = false;
        }
        row->measured_ps = (int64_t)result.end_ps - (int64_t)job->result.end_ps;
        result_release(&result);
        perturb_end(&perturbed);
    }
    return status;
}

static enum status run_all(struct explaining *all)
{
    struct job *job = &all->job;
    const struct run_options *run = &all->options->run;
    bool progress = !run->quiet && (run->progress || isatty(STDERR_FILENO) != 0);
    struct watch *watch = watch_start(progress, job->wall_limit_s);
    const struct simulate_watch hook = {watch_poll, watch};
    const struct simulate_also also = {.watch = watch ? &hook : NULL,
                                       .timeline = &all->timeline,
                                       .blame = &all->blame,
                                       .sensitivity = &all->sensitivity};
    enum status status = simulate_also(&job->config, work_load_of(&job->work), &job->groups, &also,
                                       &job->result, &job->diag);
    if (status == STATUS_OK)
        status = job_check_end(job);
    if (status == STATUS_OK)
        status = explain_run_bounds(all, also.watch);
    if (status == STATUS_OK && is_measured(all))
        status = measure_parts(all, also.watch);
    enum watch_reason reason = watch_stop(watch);
    if (status == STATUS_INTERRUPTED && reason == WATCH_WALL_LIMIT)
        status = diag_fail(&job->diag, STATUS_LIMIT, "the wall limit of %s was reached",
                           run->wall_limit);
    if (status != STATUS_OK && job->diag.status == STATUS_OK) {
        diag_fail(&job->diag, status, "the run did not end (%s), and there is no path to explain",
                  status_help(status));
        diag_hint(&job->diag, "orrery run, with the same words, says more");
    }
    return status;
}

/* -- the report ------------------------------------------------------------------------------ */

static enum status write_report(struct explaining *all)
{
    struct job *job = &all->job;
    const struct explain_report report = {
        .version = ORRERY_VERSION,
        .command = job_command(job),
        .config = &job->config,
        .workload = work_load_of(&job->work),
        .job = job_name(job),
        .network = net_backend_names[job->config.network.backend],
        .result = &job->result,
        .blame = &all->blame,
        .sensitivity = &all->sensitivity,
        .bound = all->bound,
        .bound_count = all->bound_count,
        .is_measured = is_measured(all),
        .most_rows = all->options->rows,
    };
    bool is_text = strcmp(job->format->name, "text") == 0;
    (is_text ? explain_text : explain_json)(&report, job->out.stream);
    job->has_out = false;
    enum status status = output_commit(&job->out, &job->diag);
    if (status == STATUS_OK && is_text && !all->options->run.quiet)
        say_notices(&job->result.notices, stderr);
    return status;
}

static enum status explain(struct explaining *all)
{
    struct job *job = &all->job;
    enum status status = job_load(job);
    if (status == STATUS_OK && !job_report_holds_all(job))
        status = usage_error(&job->diag, "--format", "expected text or json, found \"%.60s\"",
                             job->format->name);
    for (uint32_t i = 0; i < all->options->count && status == STATUS_OK; i++)
        status = what_if_check(&all->options->what_if[i], &job->config, work_load_of(&job->work),
                               &job->diag);
    if (status == STATUS_OK) {
        status = output_open(&job->out, all->options->run.output, &job->diag);
        job->has_out = status == STATUS_OK;
    }
    if (status == STATUS_OK)
        status = run_all(all);
    return status == STATUS_OK ? write_report(all) : status;
}

static int run_explain(int argc, char **argv)
{
    struct explain_options asked = {.rows = USUAL_ROWS};
    int code;
    if (!options_begin(&command_explain, argc, argv, &asked, take_input_word, &code))
        return code;
    struct explaining all = {.options = &asked};
    job_init(&all.job, &asked.run);
    timeline_init(&all.timeline);
    path_blame_init(&all.blame);
    sensitivity_init(&all.sensitivity);
    enum status status = explain(&all);
    if (status != STATUS_OK)
        command_failed(&all.job.diag);
    sensitivity_release(&all.sensitivity);
    path_blame_release(&all.blame);
    timeline_release(&all.timeline);
    job_release(&all.job);
    return status_exit_code(status);
}

const struct command command_explain = {
    .name = "explain",
    .summary = "where the time of a run goes: its critical path, and what could be saved",
    .usage = "RESULT | CONFIG.yaml | JOB --cluster CLUSTER | --workload PREFIX --network FILE "
             "--system FILE",
    .about =
        "Runs the job as `orrery run` does and follows its critical path from the end to the\n"
        "start: each instant is attributed once, by part, collective, class, link, stage, rank\n"
        "and op; the sums are exact. Per part it says what the time scales with, what 1 % is\n"
        "worth, and how far that holds. --free, --infinite and --no-contention run the job\n"
        "again with something taking no time: a table of bounds. --ladder makes the usual ones.\n"
        "A RESULT is a JSON report of a run, or STUDY.db:POINT, and must end as it did.\n"
        "Links are named as in --changes of `orrery topo`: link:spine, link:leaf0--spine1.\n",
    .examples = "  orrery explain llama3-8b --cluster preset:dgx-h100,nodes=1 --plan "
                "tp=8,global-batch=4,seq=4096\n"
                "  orrery explain configs/examples/all_reduce.yaml --workload "
                "configs/examples/dp8/workload --replicate --free rank:3 --infinite compute\n"
                "  orrery explain llama3-8b --cluster preset:dgx-h100,nodes=2 --plan "
                "pp=2,tp=8,global-batch=4,seq=4096 --infinite network --no-contention --measure\n"
                "  orrery explain llama3-8b --cluster preset:dgx-h100,nodes=2 --plan "
                "dp=2,tp=8,global-batch=4,seq=4096 --ladder --free link:spine --free group:tp\n",
    .options = options,
    .run = run_explain,
};
