#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/job.h"
#include "cli/output.h"
#include "cli/say.h"
#include "goodput/goodput_run.h"
#include "report/goodput_report.h"
#include "run/step_summary.h"

enum { USUAL_RUNS = 100, MOST_RUNS = 100000, MOST_SPARES = 1 << 20 };
#define USUAL_DAYS 30.0

struct goodput_options {
    struct run_options run; /* first: job_load() reads it */
    const char *step_time, *tokens, *devices, *node_size;
    const char *mtbf, *node_mtbf, *failures;
    const char *size, *storage, *write, *stall;
    const char *restart, *detect, *reschedule, *load, *warm_up;
    const char *spares, *repair, *shrink_by;
    const char *interval, *runs, *days, *run_seed;
    bool is_async, shrinks;
};

#define TEXT(option, value, member, what)                                                          \
    {                                                                                              \
        .name = option, .argument = value, .help = what, .take = take_text,                        \
        .offset = offsetof(struct goodput_options, member)                                         \
    }
#define FLAG(option, member, what)                                                                 \
    {                                                                                              \
        .name = option, .help = what, .take = take_flag,                                           \
        .offset = offsetof(struct goodput_options, member)                                         \
    }

static const struct option options[] = {
    {.name = "--cluster",
     .argument = "FILE|TOPOLOGY",
     .help = "what the job runs on: as in orrery run",
     .take = take_text,
     .offset = offsetof(struct inputs, cluster)},
    {.name = "--plan",
     .argument = "TEXT",
     .help = "of a generated job: tp=8,pp=4,seq=8192",
     .take = take_text,
     .offset = offsetof(struct inputs, plan)},
    {.name = "--framework",
     .argument = "NAME|FILE",
     .help = "of a generated job",
     .take = take_text,
     .offset = offsetof(struct inputs, framework)},
    {.name = "--network-backend",
     .argument = "NAME",
     .help = "the network model that times a step",
     .take = take_setting,
     .setting = "network.backend"},
    TEXT("--step-time", "TIME", step_time, "of a step, instead of a job that is simulated"),
    TEXT("--devices", "N", devices, "of the job; with --step-time"),
    TEXT("--tokens", "N", tokens, "of a step; with --step-time"),
    TEXT("--mtbf", "TIME", mtbf, "mean time between failures of a device (50000h)"),
    TEXT("--node-mtbf", "TIME", node_mtbf, "of a node, beside its devices"),
    TEXT("--failures-per-day", "X", failures, "of the whole job, instead"),
    TEXT("--node-size", "N", node_size, "devices that are replaced together (default 8)"),
    TEXT("--checkpoint-size", "SIZE", size, "default: weights and optimizer of the job's model"),
    TEXT("--storage", "RATE", storage, "what all devices together write and load at (2TB/s)"),
    TEXT("--checkpoint-time", "TIME", write, "to write one, instead of size and rate"),
    FLAG("--async", is_async, "it is written beside the work; needs --stall"),
    TEXT("--stall", "TIME", stall, "what steps stop for then: the copy to host memory"),
    TEXT("--restart", "TIME", restart, "from a failure to the first step, or as the sum of these:"),
    TEXT("--detect", "TIME", detect, "until the failure is noticed"),
    TEXT("--reschedule", "TIME", reschedule, "until processes run on all nodes"),
    TEXT("--load", "TIME", load, "of the checkpoint; default: its size at the storage's rate"),
    TEXT("--warm-up", "TIME", warm_up, "compilation, first steps"),
    TEXT("--repair", "TIME", repair, "mean time until a failed node is a spare; default: no limit"),
    TEXT("--spares", "N", spares, "nodes (0: wait for each repair); needs --repair"),
    FLAG("--shrink", shrinks, "go on without the failed node's replicas until it is repaired"),
    TEXT("--shrink-by", "N", shrink_by, "devices idle for a failed node; default: a model replica"),
    TEXT("--interval", "TIME", interval, "between checkpoints; default: the best"),
    TEXT("--runs", "N", runs, "simulated, failure by failure (100; 0: closed form only)"),
    TEXT("--days", "X", days, "that each of them lasts (30, at most 200)"),
    TEXT("--seed", "N", run_seed, "of the runs"),
    {.name = "--format",
     .argument = "NAME",
     .help = "text (default) or json",
     .take = take_text,
     .offset = offsetof(struct run_options, format)},
    {.name = "--output",
     .argument = "FILE",
     .help = "write the report there (complete, or not at all)",
     .take = take_text,
     .offset = offsetof(struct run_options, output)},
    {.name = "--quiet",
     .help = "no notices",
     .take = take_flag,
     .offset = offsetof(struct run_options, quiet)},
    {0},
};

struct estimating {
    const struct goodput_options *asked;
    struct goodput_input input;
    struct goodput_report report;
    double parameter_bytes; /* of a checkpoint of the job; 0: not known */
    uint32_t replica;       /* devices of a model replica; 0: not known */
    char name[300];
    struct job job;
    struct out_file out;
    bool has_out, is_json;
    double interval_s; /* 0: the best */
    struct diag diag;
};

/* -- reading ----------------------------------------------------------------------------------- */

/* A time in s, above 0 unless `or_zero`; `*s` stays if there is none. */
static enum status read_time(const char *option, const char *text, bool or_zero, double *s,
                             struct diag *diag)
{
    double ns;
    struct diag wrong = DIAG_NONE;
    if (!text)
        return STATUS_OK;
    if (units_parse_duration(text, NULL, &ns, NULL, &wrong) != STATUS_OK || !(ns < 1e21) ||
        (ns <= 0 && !or_zero))
        return usage_error(diag, option,
                           "expected a time%s such as 30s, 10min or 50000h, found "
                           "\"%.40s\"",
                           or_zero ? "" : " above 0", text);
    *s = ns / 1e9;
    return STATUS_OK;
}

static enum status read_count(const char *option, const char *text, uint64_t least, uint64_t most,
                              uint64_t *to, struct diag *diag)
{
    if (!text)
        return STATUS_OK;
    if (!decimal_u64(text, strlen(text), to) || *to < least || *to > most)
        return usage_error(diag, option, "expected a number from %llu to %llu, found \"%.40s\"",
                           (unsigned long long)least, (unsigned long long)most, text);
    return STATUS_OK;
}

static enum status read_real(const char *option, const char *text, double most, double *to,
                             struct diag *diag)
{
    if (!text)
        return STATUS_OK;
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value > 0) || value > most)
        return usage_error(diag, option, "expected a number above 0, at most %g, found \"%.40s\"",
                           most, text);
    *to = value;
    return STATUS_OK;
}

/* -- the step ---------------------------------------------------------------------------------- */

static enum status given_step(struct estimating *all)
{
    const struct goodput_options *asked = all->asked;
    struct goodput_input *input = &all->input;
    uint64_t devices = 0, tokens = 0;
    if (asked->run.inputs.word || asked->run.inputs.cluster)
        return usage_error(&all->diag, "--step-time", "is instead of a job");
    if (!asked->devices)
        return usage_error(&all->diag, "--devices", "is needed with --step-time");
    enum status status =
        read_time("--step-time", asked->step_time, false, &input->step_s, &all->diag);
    if (status == STATUS_OK)
        status = read_count("--devices", asked->devices, 1, UINT32_MAX, &devices, &all->diag);
    if (status == STATUS_OK)
        status = read_count("--tokens", asked->tokens, 1, UINT64_MAX, &tokens, &all->diag);
    input->devices = (uint32_t)devices;
    input->tokens = (double)tokens;
    snprintf(all->name, sizeof all->name, "a job");
    return status;
}

/* What a checkpoint of the job holds: weights, optimizer states and master copies. */
static double checkpoint_bytes(const struct job_spec *spec)
{
    const struct train_plan *plan = &spec->plan;
    uint64_t parameters = model_spec_parameters(&spec->model);
    return (double)data_type_bytes(plan->weight_type, parameters) +
           (double)data_type_bytes(plan->optimizer_type, 2 * parameters) +
           (plan->master_weights ? (double)data_type_bytes(TYPE_FP32, parameters) : 0);
}

static enum status simulated_step(struct estimating *all)
{
    struct job *job = &all->job;
    if (all->asked->devices || all->asked->tokens)
        return usage_error(&all->diag, all->asked->devices ? "--devices" : "--tokens",
                           "is for --step-time: a job knows its own");
    enum status status = job_load(job);
    if (status == STATUS_OK)
        status = simulate(&job->config, work_load_of(&job->work), &job->groups, NULL, &job->result,
                          &job->diag);
    if (status != STATUS_OK) {
        diag_fail(&job->diag, status, "the step did not end: %s", status_help(status));
        all->diag = job->diag;
        return status;
    }
    all->input.step_s = (double)job->result.end_ps / 1e12;
    all->input.devices = job->config.network.npu_count;
    snprintf(all->name, sizeof all->name, "%.290s", job_name(job));
    if (job->work.has_job) {
        const struct step_figures step = step_summary(&job->work.spec, &job->config);
        all->input.tokens = (double)step.tokens;
        all->parameter_bytes = checkpoint_bytes(&job->work.spec);
        all->replica = all->input.devices / job->work.spec.plan.dp;
    }
    return STATUS_OK;
}

static enum status find_step(struct estimating *all)
{
    const struct inputs *inputs = &all->asked->run.inputs;
    if (all->asked->step_time)
        return given_step(all);
    if (inputs->word || inputs->cluster)
        return simulated_step(all);
    usage_error(&all->diag, NULL, "no job was given");
    diag_hint(&all->diag, "a model and --cluster, a RESULT, or --step-time 4s --devices 1024");
    return STATUS_USAGE;
}

/* -- failures, checkpoints, restarts ----------------------------------------------------------- */

static enum status read_failures(struct estimating *all)
{
    const struct goodput_options *asked = all->asked;
    struct goodput_input *input = &all->input;
    double device_s = 0, node_s = 0, per_day = 0;
    uint64_t node = input->devices < 8 ? input->devices : 8;
    enum status status =
        read_count("--node-size", asked->node_size, 1, input->devices, &node, &all->diag);
    if (status == STATUS_OK)
        status = read_time("--mtbf", asked->mtbf, false, &device_s, &all->diag);
    if (status == STATUS_OK)
        status = read_time("--node-mtbf", asked->node_mtbf, false, &node_s, &all->diag);
    if (status == STATUS_OK)
        status = read_real("--failures-per-day", asked->failures, 1e6, &per_day, &all->diag);
    if (status != STATUS_OK)
        return status;
    if (per_day > 0 && (device_s > 0 || node_s > 0))
        return usage_error(&all->diag, "--failures-per-day",
                           "is instead of --mtbf and --node-mtbf");
    input->node_devices = (uint32_t)node;
    input->failures_per_s = per_day / 86400;
    if (device_s > 0)
        input->failures_per_s += input->devices / device_s;
    if (node_s > 0)
        input->failures_per_s += ceil((double)input->devices / (double)node) / node_s;
    if (input->failures_per_s > 0)
        return STATUS_OK;
    usage_error(&all->diag, NULL, "how often does something fail?");
    diag_hint(&all->diag, "--mtbf 50000h of a device, --node-mtbf, or --failures-per-day 8");
    return STATUS_USAGE;
}

static enum status read_checkpoint(struct estimating *all)
{
    const struct goodput_options *asked = all->asked;
    struct goodput_input *input = &all->input;
    struct goodput_report *report = &all->report;
    struct diag wrong = DIAG_NONE;
    uint64_t bytes = 0;
    if (asked->size &&
        (units_parse_bytes(asked->size, NULL, &bytes, NULL, &wrong) != STATUS_OK || bytes == 0))
        return usage_error(&all->diag, "--checkpoint-size",
                           "expected a size such as 5TB, found "
                           "\"%.40s\"",
                           asked->size);
    if (asked->storage && units_parse_bandwidth(asked->storage, NULL, &report->storage_Bps, NULL,
                                                &wrong) != STATUS_OK)
        return usage_error(&all->diag, "--storage",
                           "expected a rate such as 2TB/s, found \"%.40s\"", asked->storage);
    report->checkpoint_bytes = bytes ? (double)bytes : all->parameter_bytes;
    bool is_known = report->checkpoint_bytes > 0 && report->storage_Bps > 0;
    if (!asked->write && !is_known) {
        usage_error(&all->diag, NULL, "how long does it take to write a checkpoint?");
        diag_hint(&all->diag,
                  report->checkpoint_bytes > 0
                      ? "--storage 2TB/s, or --checkpoint-time 30s"
                      : "--checkpoint-size 5TB --storage 2TB/s, or --checkpoint-time 30s");
        return STATUS_USAGE;
    }
    if (asked->write && asked->size)
        return usage_error(&all->diag, "--checkpoint-time", "is instead of --checkpoint-size");
    if (asked->write)
        report->checkpoint_bytes = 0;
    else
        input->write_s = report->checkpoint_bytes / report->storage_Bps;
    if (asked->is_async != (asked->stall != NULL))
        return usage_error(&all->diag, asked->is_async ? "--async" : "--stall",
                           asked->is_async ? "needs --stall: what steps stop for while the state "
                                             "is copied"
                                           : "is for --async");
    enum status status =
        read_time("--checkpoint-time", asked->write, false, &input->write_s, &all->diag);
    input->is_async = asked->is_async;
    input->stall_s = input->write_s;
    return status == STATUS_OK
               ? read_time("--stall", asked->stall, true, &input->stall_s, &all->diag)
               : status;
}

static enum status read_restart(struct estimating *all)
{
    const struct goodput_options *asked = all->asked;
    double detect = 0, reschedule = 0, load = 0, warm_up = 0;
    bool has_parts = asked->detect || asked->reschedule || asked->load || asked->warm_up;
    if (asked->restart && has_parts)
        return usage_error(&all->diag, "--restart", "is instead of its parts");
    if (!asked->restart && !has_parts) {
        usage_error(&all->diag, NULL, "how long does a restart take?");
        diag_hint(&all->diag, "--restart 10min, or --detect, --reschedule, --load, --warm-up");
        return STATUS_USAGE;
    }
    if (!asked->load && all->report.checkpoint_bytes > 0)
        load = all->report.checkpoint_bytes / all->report.storage_Bps;
    const struct {
        const char *option, *text;
        double *s;
    } rows[] = {{"--restart", asked->restart, &all->input.restart_s},
                {"--detect", asked->detect, &detect},
                {"--reschedule", asked->reschedule, &reschedule},
                {"--load", asked->load, &load},
                {"--warm-up", asked->warm_up, &warm_up}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum status status = read_time(rows[i].option, rows[i].text, true, rows[i].s, &all->diag);
        if (status != STATUS_OK)
            return status;
    }
    if (has_parts)
        all->input.restart_s = detect + reschedule + load + warm_up;
    return STATUS_OK;
}

static enum status read_spares(struct estimating *all)
{
    const struct goodput_options *asked = all->asked;
    struct goodput_input *input = &all->input;
    uint64_t spares = 0;
    uint64_t by = all->replica > input->node_devices ? all->replica : input->node_devices;
    enum status status = read_time("--repair", asked->repair, false, &input->repair_s, &all->diag);
    if (status == STATUS_OK)
        status = read_count("--spares", asked->spares, 0, MOST_SPARES, &spares, &all->diag);
    if (status == STATUS_OK)
        status = read_count("--shrink-by", asked->shrink_by, 1, input->devices, &by, &all->diag);
    if (status != STATUS_OK)
        return status;
    if ((asked->spares || asked->shrinks) && !asked->repair)
        return usage_error(&all->diag, asked->spares ? "--spares" : "--shrink", "needs --repair");
    if (asked->spares && asked->shrinks)
        return usage_error(&all->diag, "--spares", "is instead of --shrink");
    input->spares = (uint32_t)spares;
    input->policy = asked->shrinks ? GOODPUT_SHRINK : GOODPUT_REPLACE;
    input->node_ratio = (double)by / input->devices;
    return STATUS_OK;
}

static enum status read_runs(struct estimating *all)
{
    const struct goodput_options *asked = all->asked;
    struct goodput_report *report = &all->report;
    uint64_t runs = USUAL_RUNS;
    report->days = USUAL_DAYS;
    enum status status = read_count("--runs", asked->runs, 0, MOST_RUNS, &runs, &all->diag);
    if (status == STATUS_OK)
        status = read_real("--days", asked->days, GOODPUT_MOST_DAYS, &report->days, &all->diag);
    if (status == STATUS_OK)
        status = read_count("--seed", asked->run_seed, 0, UINT64_MAX, &report->seed, &all->diag);
    if (status == STATUS_OK)
        status = read_time("--interval", asked->interval, false, &all->interval_s, &all->diag);
    report->runs = (uint32_t)runs;
    report->is_interval_given = all->interval_s > 0;
    double least = goodput_least_interval(&all->input);
    if (status == STATUS_OK && all->interval_s > 0 && all->interval_s < least)
        return usage_error(&all->diag, "--interval",
                           "at least %.4g s: a step, and the time to write a checkpoint", least);
    return status;
}

static enum status read_all(struct estimating *all)
{
    const char *format = all->asked->run.format;
    all->is_json = format && strcmp(format, "json") == 0;
    if (format && !all->is_json && strcmp(format, "text") != 0)
        return usage_error(&all->diag, "--format", "expected text or json, found \"%.60s\"",
                           format);
    enum status (*const readers[])(struct estimating *) = {
        find_step, read_failures, read_checkpoint, read_restart, read_spares, read_runs};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof readers / sizeof *readers && status == STATUS_OK; i++)
        status = readers[i](all);
    return status;
}

/* -- rows -------------------------------------------------------------------------------------- */

static struct sample_estimate run_many(const struct goodput_report *report,
                                       const struct goodput_input *input, double interval_s)
{
    double *useful = calloc(report->runs, sizeof *useful);
    need_memory(useful != NULL);
    for (uint32_t i = 0; i < report->runs; i++)
        useful[i] =
            goodput_run(input, interval_s, report->days, report->seed, i).share[SHARE_USEFUL];
    struct sample_estimate mean = samples_mean(useful, report->runs, NULL);
    free(useful);
    return mean;
}

static void add_row(struct estimating *all, const char *name, double interval_s, bool simulates)
{
    struct goodput_report *report = &all->report;
    double least = goodput_least_interval(&all->input);
    struct goodput_row *row = &report->row[report->row_count++];
    interval_s = interval_s < least ? least : interval_s;
    *row = (struct goodput_row){.name = name, .form = goodput_at(&all->input, interval_s)};
    row->is_simulated = simulates && report->runs > 1;
    if (row->is_simulated)
        row->useful = run_many(report, &all->input, interval_s);
}

static void add_rows(struct estimating *all)
{
    double best = goodput_best_interval(&all->input);
    static const struct {
        const char *name;
        double times;
    } around[] = {{"best / 4", 0.25}, {"best / 2", 0.5}, {"best x 2", 2}, {"best x 4", 4}};
    if (all->interval_s > 0)
        add_row(all, "given", all->interval_s, true);
    add_row(all, "best", best, true);
    if (all->input.stall_s > 0) {
        add_row(all, "Young's", goodput_young_interval(&all->input), false);
        add_row(all, "Daly's", goodput_daly_interval(&all->input), false);
    }
    for (size_t i = 0; i < sizeof around / sizeof *around; i++)
        add_row(all, around[i].name, around[i].times * best, false);
}

static void add_choice(struct estimating *all, const struct goodput_input *input, const char *name)
{
    struct goodput_report *report = &all->report;
    struct goodput_choice *choice = &report->choice[report->choice_count++];
    choice->input = *input;
    snprintf(choice->name, sizeof choice->name, "%s", name);
    double interval_s = all->interval_s > 0 ? all->interval_s : goodput_best_interval(input);
    choice->form = goodput_at(input, interval_s);
    choice->is_simulated = report->runs > 1;
    if (choice->is_simulated)
        choice->useful = run_many(report, input, interval_s);
}

/* Waiting, 1, 2, 4, .. spares until hardly any failure finds none, and running smaller. */
static void add_choices(struct estimating *all)
{
    struct goodput_input input = all->input;
    if (!(input.repair_s > 0))
        return;
    input.policy = GOODPUT_REPLACE;
    input.spares = 0;
    add_choice(all, &input, "wait for the repair");
    for (input.spares = 1; all->report.choice_count < 10; input.spares *= 2) {
        char name[48];
        snprintf(name, sizeof name, "%u spare%s", input.spares, input.spares > 1 ? "s" : "");
        add_choice(all, &input, name);
        if (goodput_no_spare(&input) < 1e-4)
            break;
    }
    input.spares = 0;
    input.policy = GOODPUT_SHRINK;
    add_choice(all, &input, "run smaller");
}

static enum status write_report(struct estimating *all)
{
    struct goodput_report *report = &all->report;
    report->version = ORRERY_VERSION;
    report->job = all->name;
    report->input = &all->input;
    report->notices = &all->job.result.notices;
    enum status status = output_open(&all->out, all->asked->run.output, &all->diag);
    if (status != STATUS_OK)
        return status;
    (all->is_json ? goodput_json : goodput_text)(report, all->out.stream);
    status = output_commit(&all->out, &all->diag);
    if (status == STATUS_OK && !all->is_json && !all->asked->run.quiet)
        say_notices(&all->job.result.notices, stderr);
    return status;
}

static int run_goodput(int argc, char **argv)
{
    struct goodput_options asked = {.is_async = false};
    int code;
    if (!options_begin(&command_goodput, argc, argv, &asked, take_input_word, &code))
        return code;
    struct estimating *all = calloc(1, sizeof *all);
    need_memory(all != NULL);
    struct run_options run = asked.run;
    run.format = NULL;
    all->asked = &asked;
    all->diag = DIAG_NONE;
    job_init(&all->job, &run);
    enum status status = read_all(all);
    if (status == STATUS_OK) {
        add_rows(all);
        add_choices(all);
        status = write_report(all);
    }
    if (status != STATUS_OK)
        command_failed(&all->diag);
    job_release(&all->job);
    free(all);
    return status_exit_code(status);
}

const struct command command_goodput = {
    .name = "goodput",
    .summary = "useful tokens a day of a job whose devices fail: checkpoint interval and spares",
    .usage = "JOB --cluster CLUSTER | RESULT | --step-time TIME --devices N",
    .about = "Simulates a step (or takes its time), and works out what failures, checkpoints and\n"
             "restarts leave of a day: goodput, where the rest goes, the best time between\n"
             "checkpoints beside Young's and Daly's, and with --repair what spares, waiting and\n"
             "running smaller are worth. In closed form, and simulated failure by failure beside\n"
             "it. The model and its formulas: src/goodput/goodput.h.\n",
    .examples =
        "  orrery goodput --step-time 4.5s --devices 16384 --tokens 16777216 --failures-per-day "
        "7.76 "
        "--checkpoint-size 5.7TB --storage 2TB/s --restart 10min\n"
        "  orrery goodput llama3-8b --cluster preset:dgx-h100,nodes=8 --plan tp=2,seq=8192 --mtbf "
        "50000h --storage 20GB/s --detect 2min --reschedule 3min --warm-up 1min --repair 24h\n"
        "  orrery goodput --step-time 10s --devices 4096 --mtbf 40000h --checkpoint-time 60s "
        "--async "
        "--stall 3s --restart 8min --repair 12h --spares 2 --interval 20min --runs 0\n",
    .options = options,
    .run = run_goodput,
};
