#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/visible.h"
#include "base/watch.h"
#include "cli/cli.h"
#include "cli/html_out.h"
#include "cli/job.h"
#include "cli/link_out.h"
#include "cli/output.h"
#include "cli/say.h"
#include "cli/timeline_out.h"
#include "config/names.h"
#include "run/step_memory.h"
#include "run/step_summary.h"

static const struct option options[] = {
    INPUT_OPTIONS,
    REPORT_OPTIONS("text (default), json, csv or astra"),
    {.name = "--all-ranks",
     .help = "text: a row for every rank, however many there are",
     .take = take_flag,
     .offset = offsetof(struct run_options, all_ranks)},
    {.name = "--against",
     .argument = "NAME",
     .help = "run on this network model too, and show the difference by collective",
     .take = take_text,
     .offset = offsetof(struct run_options, against)},
    {.name = "--links",
     .argument = "FILE",
     .help = "write what every link did there, as CSV",
     .take = take_text,
     .offset = offsetof(struct run_options, links)},
    {.name = "--heat-map",
     .argument = "FILE",
     .help = "draw the network there as SVG, with the utilisation of its links",
     .take = take_text,
     .offset = offsetof(struct run_options, heat_map)},
    TIMELINE_OPTIONS,
    {.name = "--html",
     .argument = "FILE",
     .help = "write the run there as a page: charts, timeline, network, tables, all in one file",
     .take = take_text,
     .offset = offsetof(struct run_options, html)},
    {.name = "--host-figures",
     .help = "add time and memory of this machine to the report",
     .take = take_flag,
     .offset = offsetof(struct run_options, host_figures)},
    {.name = "--print-config",
     .help = "show every effective value and its source; no run",
     .take = take_flag,
     .offset = offsetof(struct run_options, print_config)},
    {.name = "--ignore-memory",
     .help = "a job that does not fit in its devices' memory is no finding",
     .take = take_flag,
     .offset = offsetof(struct run_options, ignore_memory)},
    WATCH_OPTIONS,
    {0},
};

static enum status open_output(struct job *job)
{
    enum status status = output_open(&job->out, job->options->output, &job->diag);
    job->has_out = status == STATUS_OK;
    return status;
}

static enum status commit_output(struct job *job)
{
    job->has_out = false;
    return output_commit(&job->out, &job->diag);
}

static double clock_s(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Runs the job; a page without timeline if there is no room for one. */
static enum status simulate_job(struct job *job, const struct simulate_watch *hook)
{
    const struct run_options *asked = job->options;
    struct simulate_also also = {
        .watch = hook,
        .timeline = asked->timeline.file || asked->html ? &job->timeline : NULL,
        .links = asked->timeline.file && job->timeline_request.links ? &job->links : NULL,
        .blame = asked->html ? &job->blame : NULL,
        .sensitivity = asked->html ? &job->sensitivity : NULL};
    if (!asked->html) /* a page needs all of it */
        job->timeline.want = timeline_request_want(&job->timeline_request);
    enum status status = simulate_also(&job->config, work_load_of(&job->work), &job->groups, &also,
                                       &job->result, &job->diag);
    if (status == STATUS_NO_MEMORY && also.blame && !asked->timeline.file)
        return html_out_run_plain(job, hook);
    job->has_path = also.blame && status == STATUS_OK;
    job->has_timeline = also.timeline && job->result.class_of_rank;
    return status;
}

/* Runs the job, and with --against the other one after it. */
static enum status simulate_both(struct job *job, const struct simulate_watch *hook)
{
    enum status status = simulate_job(job, hook);
    if (status != STATUS_OK || !job->options->against)
        return status;
    status = simulate(&job->other_config, work_load_of(&job->work), &job->groups, hook, &job->other,
                      &job->diag);
    if (status != STATUS_OK && job->diag.status == STATUS_OK)
        diag_fail(&job->diag, status, "the run on %s did not end", job->options->against);
    return status;
}

static enum status simulate_watched(struct job *job)
{
    const struct run_options *run_options = job->options;
    bool progress = !run_options->quiet && (run_options->progress || isatty(STDERR_FILENO) != 0);
    double start_s = clock_s(CLOCK_MONOTONIC);
    struct watch *watch = watch_start(progress, job->wall_limit_s);
    const struct simulate_watch hook = {watch_poll, watch};
    enum status status = simulate_both(job, watch ? &hook : NULL);
    enum watch_reason reason = watch_stop(watch);
    if (status == STATUS_INTERRUPTED && reason == WATCH_WALL_LIMIT) {
        job->result.status = status = STATUS_LIMIT;
        diag_fail(&job->diag, STATUS_LIMIT, "the wall limit of %s was reached",
                  run_options->wall_limit);
    }
    struct rusage usage = {0};
    getrusage(RUSAGE_SELF, &usage);
    job->result.host = (struct host_figures){
        .wall_s = clock_s(CLOCK_MONOTONIC) - start_s,
        .user_s = clock_s(CLOCK_PROCESS_CPUTIME_ID),
        .peak_rss_bytes = (uint64_t)usage.ru_maxrss * 1024,
    };
    return status;
}

/* One line for a finding that simulate() left without words. */
static void say_finding(struct job *job, enum status status)
{
    const struct run_result *result = &job->result;
    char time[32];
    units_show_time(time, sizeof time,
                    status == STATUS_LIMIT ? job->config.max_time_ps : result->end_ps);
    if (status == STATUS_INTERRUPTED)
        diag_fail(&job->diag, status, "stopped by a signal at simulated %s", time);
    else if (status == STATUS_LIMIT)
        diag_fail(&job->diag, status, "the limit of %s of simulated time was reached", time);
    else if (status == STATUS_STUCK)
        diag_fail(&job->diag, status, "nothing can happen after simulated %s", time);
    else
        diag_fail(&job->diag, status, "%s", status_help(status));
    if (status != STATUS_LAW)
        diag_hint(
            &job->diag,
            "%" PRIu32 " of %" PRIu32 " ranks finished, %" PRIu64 " of %" PRIu64 " nodes done",
            result->finished_count, result->rank_count, result->node_done, result->node_total);
}

/* What formats without room for words leave out goes to standard error. */
static void print_words(const struct job *job)
{
    const struct run_result *result = &job->result;
    if (job_report_holds_all(job))
        return;
    for (uint32_t i = 0; i < result->wait_for_count; i++) {
        fputs("orrery: ", stderr);
        visible_put(stderr, result->wait_for[i], 0, INT_MAX);
        fputc('\n', stderr);
    }
    if (!job->options->quiet)
        say_notices(&result->notices, stderr);
}

static enum status write_timeline(struct job *job, struct diag *diag)
{
    const struct timeline_run run = {&job->config, &job->timeline, &job->links, &job->result};
    return timeline_out(job->options->timeline.file, &job->timeline_request, job_name(job), &run,
                        diag);
}

static enum status write_report(struct job *job)
{
    const struct against against = {&job->other, net_backend_names[job->config.network.backend],
                                    net_backend_names[job->other_config.network.backend]};
    struct step_figures step = {0};
    if (job->work.has_job)
        step = step_summary(&job->work.spec, &job->config);
    const struct report_context context = {
        .version = ORRERY_VERSION,
        .command = job_command(job),
        .workload = work_load_of(&job->work),
        .against = job->options->against && job->other.class_of_rank ? &against : NULL,
        .step = job->work.has_job ? &step : NULL,
        .full = job->options->all_ranks,
        .with_host = job->options->host_figures,
    };
    struct diag diag = DIAG_NONE; /* a finding keeps its own message */
    enum status status = STATUS_OK;
    if (job->options->timeline.file) /* first: it may have a notice for the report */
        status = write_timeline(job, &diag);
    if (status == STATUS_OK && job->options->html)
        status = html_out(job, &context, &diag);
    if (status == STATUS_OK)
        status = job->format->write(&job->result, &job->config, &context, job->out.stream, &diag);
    if (status == STATUS_OK && job->options->links)
        status = link_out_table(job->options->links, &job->result, &job->config, &diag);
    if (status == STATUS_OK && job->options->heat_map)
        status = link_out_heat_map(job->options->heat_map, &job->result, &job->config, &diag);
    if (status == STATUS_OK) /* last: a report means that all is there */
        status = commit_output(job);
    if (status != STATUS_OK && diag.status != STATUS_OK)
        job->diag = diag;
    return status;
}

/* A job that does not fit has its times in the report all the same. */
static enum status check_memory(struct job *job)
{
    if (!job->work.has_job || job->options->ignore_memory)
        return STATUS_OK;
    struct step_memory memory;
    step_memory_find(&memory, &job->work.spec, &job->config);
    return step_memory_check(&memory, &job->config, &job->diag);
}

static enum status run_job(struct job *job)
{
    enum status status = job_load(job);
    if (status == STATUS_OK)
        status = timeline_request_read(&job->timeline_request, &job->options->timeline,
                                       job->config.network.npu_count, &job->diag);
    if (status == STATUS_OK)
        status = open_output(job);
    if (status != STATUS_OK)
        return status;
    if (job->options->print_config) {
        config_print(&job->config, job->out.stream);
        return commit_output(job);
    }
    status = simulate_watched(job);
    if (job->result.class_of_rank == NULL) /* nothing ran */
        return status;
    if (status == STATUS_OK && job_check_end(job) != STATUS_OK)
        return job->diag.status; /* no report of another run than was asked for */
    if (status != STATUS_OK)
        say_finding(job, status);
    enum status written = write_report(job);
    if (written != STATUS_OK)
        return written;
    print_words(job);
    return status == STATUS_OK ? check_memory(job) : status;
}

static int run_with(int argc, char **argv, const char *format)
{
    struct run_options run_options = {.format = format};
    int code;
    if (!options_begin(&command_run, argc, argv, &run_options, take_input_word, &code))
        return code;
    struct job job;
    job_init(&job, &run_options);
    enum status status = run_job(&job);
    code = status_exit_code(status);
    if (status != STATUS_OK) {
        promise(job.diag.status != STATUS_OK);
        command_failed(&job.diag);
    }
    job_release(&job);
    return code;
}

static int run_run(int argc, char **argv)
{
    return run_with(argc, argv, NULL);
}

int run_as_astra(int argc, char **argv)
{
    return run_with(argc, argv, "astra");
}

const struct command command_run = {
    .name = "run",
    .summary = "simulate a workload and print the report",
    .usage = "CONFIG.yaml | RESULT | JOB --cluster CLUSTER | --workload PREFIX --network FILE "
             "--system FILE",
    .about = "Runs Chakra traces on a network, configured by one file of ours\n"
             "(configs/README.md) or by the files of ASTRA-sim; or a training job,\n"
             "generated from the name of a model or a job's file (workloads/generate). A RESULT\n"
             "(a JSON report of a run, STUDY.db:POINT) is run again, and must end as it did.\n",
    .examples =
        "  orrery run configs/examples/all_reduce.yaml --workload configs/examples/dp8/workload "
        "--replicate\n"
        "  orrery run --workload W/all_reduce --system sys.json --network net.yml\n"
        "  orrery run cluster.yaml --workload W/step.et --replicate --format json --output r.json\n"
        "  orrery run cluster.yaml --workload W/step.et --replicate --print-config\n"
        "  orrery run llama3-8b --cluster preset:dgx-h100,nodes=1 --plan "
        "tp=8,global-batch=2,seq=2048 "
        "--timeline step.pftrace --timeline-ranks 0,3-4\n"
        "  orrery run llama3-8b --cluster preset:dgx-h100,nodes=2 --plan "
        "zero=3,seq=8192,global-batch=16 --html run.html\n",
    .options = options,
    .run = run_run,
};
