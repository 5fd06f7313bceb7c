#include <stdlib.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/goodput_ask.h"
#include "cli/output.h"
#include "cli/say.h"

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
    TEXT("--planned-per-day", "X", planned, "stops for maintenance: a checkpoint and a restart"),
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
    REPORT_OPTIONS("text (default) or json"),
    {.name = "--quiet",
     .help = "no notices",
     .take = take_flag,
     .offset = offsetof(struct run_options, quiet)},
    {0},
};

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
    enum status status = goodput_ask(all);
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
        "7.76 --planned-per-day 0.87 "
        "--checkpoint-size 5.7TB --storage 2TB/s --restart 10min\n"
        "  orrery goodput llama3-8b --cluster preset:dgx-h100,nodes=8 --plan tp=2,seq=8192 --mtbf "
        "50000h --storage 20GB/s --detect 2min --reschedule 3min --warm-up 1min --repair 24h\n"
        "  orrery goodput --step-time 10s --devices 4096 --mtbf 40000h --checkpoint-time 60s "
        "--async "
        "--stall 3s --restart 8min --repair 12h --spares 2 --interval 20min --runs 0\n",
    .options = options,
    .run = run_goodput,
};
