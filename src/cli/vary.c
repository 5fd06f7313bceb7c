#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/decimal.h"
#include "base/memory.h"
#include "base/workers.h"
#include "cli/cli.h"
#include "cli/job.h"
#include "cli/output.h"
#include "cli/say.h"
#include "model/jitter.h"
#include "net/topology/fabric.h"
#include "report/describe.h"
#include "report/vary_report.h"
#include "run/step_summary.h"

enum { MOST_JOBS = 32, MOST_WORDS = 32, USUAL_SAMPLES = 1000 };
#define USUAL_UNTIL 0.01

struct vary_options {
    struct run_options run; /* first: job_load() reads it */
    const char *word[MOST_WORDS];
    uint32_t word_count;
    const char *samples, *until, *workers;
    bool sources;
};

#define TEXT(option, value, member, what)                                                          \
    {                                                                                              \
        .name = option, .argument = value, .help = what, .take = take_text,                        \
        .offset = offsetof(struct vary_options, member)                                            \
    }

static const struct option options[] = {
    INPUT_OPTIONS,
    TEXT("--until", "RATIO", until,
         "stop when median and p95 are known to within so much: 1% (default), or 0: never"),
    TEXT("--samples", "N", samples, "of each job at most (1000)"),
    TEXT("--workers", "N", workers, "processes; default: one for each core"),
    {.name = "--sources",
     .help = "what each thing that varies costs alone, by as many samples, at most 200",
     .take = take_flag,
     .offset = offsetof(struct vary_options, sources)},
    REPORT_OPTIONS("text (default) or json"),
    {.name = "--quiet",
     .help = "no progress line, no notices",
     .take = take_flag,
     .offset = offsetof(struct run_options, quiet)},
    {0},
};

struct varying {
    const struct vary_options *asked;
    struct sampling_options sampling;
    struct run_options each[MOST_JOBS]; /* the options of each job */
    char *plans;                        /* --plan, cut at ';' */
    char *name[MOST_JOBS], *varies[MOST_JOBS];
    struct vary_job job[MOST_JOBS];
    uint32_t count, done;
    struct notices notices;
    struct out_file out;
    bool has_out, is_json;
    struct diag diag;
};

/* -- options ----------------------------------------------------------------------------------- */

static enum status take_job_word(void *to, const char *text, struct diag *diag)
{
    struct vary_options *asked = to;
    if (asked->word_count == MOST_WORDS)
        return usage_error(diag, NULL, "at most %d jobs are compared", MOST_WORDS);
    asked->word[asked->word_count++] = text;
    return STATUS_OK;
}

static enum status read_count(const char *option, const char *text, uint32_t most, uint32_t *to,
                              struct diag *diag)
{
    uint64_t value;
    if (!text)
        return STATUS_OK;
    if (!decimal_u64(text, strlen(text), &value) || value < 1 || value > most)
        return usage_error(diag, option, "expected 1 to %u, found \"%.40s\"", most, text);
    *to = (uint32_t)value;
    return STATUS_OK;
}

/* "1%", or 0.01. */
static enum status read_until(const char *text, double *until, struct diag *diag)
{
    if (!text)
        return STATUS_OK;
    char *end;
    double value = strtod(text, &end);
    bool is_percent = end != text && strcmp(end, "%") == 0;
    if (end == text || (*end && !is_percent) || !(value >= 0) || value > 100)
        return usage_error(diag, "--until", "expected a ratio such as 1%% or 0.01, found \"%.40s\"",
                           text);
    *until = is_percent ? value / 100 : value;
    return STATUS_OK;
}

static enum status read_options(struct varying *all)
{
    const struct vary_options *asked = all->asked;
    struct diag *diag = &all->diag;
    const char *format = asked->run.format;
    all->sampling = (struct sampling_options){.most = USUAL_SAMPLES, .until = USUAL_UNTIL};
    enum status status =
        read_count("--samples", asked->samples, SAMPLING_MOST, &all->sampling.most, diag);
    if (status == STATUS_OK)
        status =
            read_count("--workers", asked->workers, WORKERS_MOST, &all->sampling.workers, diag);
    if (status == STATUS_OK)
        status = read_until(asked->until, &all->sampling.until, diag);
    all->is_json = format && strcmp(format, "json") == 0;
    if (status == STATUS_OK && format && !all->is_json && strcmp(format, "text") != 0)
        status = usage_error(diag, "--format", "expected text or json, found \"%.60s\"", format);
    return status;
}

/* The next of "a;b;c", which is cut in place; *rest NULL after the last. */
static const char *next_plan(char **rest)
{
    char *plan = *rest;
    char *end = plan ? strchr(plan, ';') : NULL;
    *rest = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    return plan;
}

static bool is_variation(const struct override *override)
{
    return strncmp(override->setting->key, "variation.", strlen("variation.")) == 0;
}

/* What varies is no input of the job: a RESULT is run again under other jitter. */
static void leave_variation(struct inputs *inputs)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < inputs->override_count; i++) {
        if (!is_variation(&inputs->override[i]))
            inputs->override[kept++] = inputs->override[i];
    }
    inputs->override_count = kept;
}

static enum status take_variation(struct varying *all, struct job *job)
{
    const struct inputs *inputs = &all->asked->run.inputs;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < inputs->override_count && status == STATUS_OK; i++) {
        const struct override *row = &inputs->override[i];
        if (is_variation(row))
            status = inputs_override(&job->config, row, &job->result.notices, &job->diag);
    }
    return status == STATUS_OK ? variation_check(&job->config, &job->diag) : status;
}

/* Every word under every plan. */
static enum status list_jobs(struct varying *all)
{
    const struct vary_options *asked = all->asked;
    char *rest = NULL;
    if (asked->run.inputs.plan) {
        rest = all->plans = strdup(asked->run.inputs.plan);
        need_memory(rest != NULL);
    }
    do {
        const char *plan = next_plan(&rest);
        for (uint32_t w = 0; w == 0 || w < asked->word_count; w++) {
            if (all->count == MOST_JOBS)
                return usage_error(&all->diag, NULL, "at most %d jobs are compared", MOST_JOBS);
            struct run_options *each = &all->each[all->count++];
            *each = asked->run;
            each->format = NULL;
            leave_variation(&each->inputs);
            each->inputs.word = asked->word_count ? asked->word[w] : NULL;
            each->inputs.plan = plan;
        }
    } while (rest);
    return STATUS_OK;
}

/* -- sampling ---------------------------------------------------------------------------------- */

static void show_progress(void *context, uint32_t done, uint32_t most)
{
    const struct varying *all = context;
    fprintf(stderr, "\rjob %u of %u: %u samples of at most %u ", all->done + 1, all->count, done,
            most);
}

static char *copy_of(const char *text)
{
    char *copy = strdup(text);
    need_memory(copy != NULL);
    return copy;
}

/* What tells the jobs apart: the word as it was given, the plan, or both. */
static char *name_of(const struct varying *all, const struct job *job)
{
    char name[400];
    const struct inputs *inputs = &job->options->inputs;
    bool is_several = strchr(all->asked->run.inputs.plan ? all->asked->run.inputs.plan : "", ';');
    if (is_several && all->asked->word_count < 2)
        return copy_of(*inputs->plan ? inputs->plan : "(no plan)");
    snprintf(name, sizeof name, "%.200s%s%.180s",
             all->asked->word_count > 1 ? inputs->word : job_name(job),
             is_several && *inputs->plan ? " " : "", is_several ? inputs->plan : "");
    return copy_of(name);
}

static enum status sample_job(struct varying *all, struct job *job, struct vary_job *to)
{
    const struct variation_config *variation = &job->config.variation;
    char varies[DESCRIBE_TEXT];
    if (!variation_is_on(variation)) {
        usage_error(&all->diag, NULL, "nothing varies in %.200s", job_name(job));
        diag_hint(&all->diag,
                  "--op-jitter 0.05 --rank-jitter 0.03, or a section `variation` in the file");
        return STATUS_USAGE;
    }
    to->name = all->name[all->done] = name_of(all, job);
    to->varies = all->varies[all->done] = copy_of(describe_variation(varies, variation));
    to->seed = variation->seed;
    to->first_sample = variation->sample;
    to->devices = job->config.network.npu_count;
    if (job->work.has_job) {
        const struct step_figures step = step_summary(&job->work.spec, &job->config);
        to->tokens = step.tokens;
        say_if_too_large(&step.memory, job_name(job), &job->result.notices);
    }
    enum status status = preflight(&job->config, work_load_of(&job->work), &job->groups,
                                   &job->result.notices, &all->diag);
    if (status == STATUS_OK)
        status = sampling_run(&to->sampling, &job->config, work_load_of(&job->work), &job->groups,
                              &all->sampling, &all->diag);
    if (status == STATUS_OK && all->asked->sources)
        status =
            sampling_sources(&to->sampling, &job->config, work_load_of(&job->work), &job->groups,
                             &all->sampling, to->source, &to->source_count, &all->diag);
    if (status != STATUS_OK)
        return status;
    to->figures = sampling_figures(&to->sampling);
    for (uint32_t i = 0; i < to->figures.links.count && i < SHOWN_CULPRITS; i++) {
        const struct fabric *fabric = job->config.network.fabric;
        const struct fabric_link *link = &fabric->link[to->figures.links.top[i].thing];
        snprintf(to->link_name[i], sizeof to->link_name[i], "%.38s->%.38s",
                 fabric->node[link->src].name, fabric->node[link->dst].name);
    }
    return STATUS_OK;
}

static void add_notices(struct varying *all, const struct notices *notices)
{
    for (size_t i = 0; i < notices->count; i++) {
        const struct notice *row = &notices->row[i];
        notices_add(&all->notices, row->kind, row->key, row->count, "%s", row->example);
    }
}

static enum status run_job(struct varying *all)
{
    struct job *job = malloc(sizeof *job);
    need_memory(job != NULL);
    job_init(job, &all->each[all->done]);
    enum status status = job_load(job);
    if (status == STATUS_OK)
        status = take_variation(all, job);
    if (status != STATUS_OK)
        all->diag = job->diag;
    else
        status = sample_job(all, job, &all->job[all->done]);
    add_notices(all, &job->result.notices);
    job_release(job);
    free(job);
    return status;
}

static enum status run_jobs(struct varying *all)
{
    bool shows = !all->asked->run.quiet && isatty(STDERR_FILENO);
    all->sampling.tick = shows ? show_progress : NULL;
    all->sampling.context = all;
    enum status status = STATUS_OK;
    for (; all->done < all->count && status == STATUS_OK; all->done++)
        status = run_job(all);
    if (shows)
        fputs("\r\033[K", stderr);
    return status;
}

static enum status write_report(struct varying *all)
{
    const struct vary_report report = {.version = ORRERY_VERSION,
                                       .job = all->job,
                                       .count = all->count,
                                       .until = all->sampling.until,
                                       .notices = &all->notices};
    (all->is_json ? vary_json : vary_text)(&report, all->out.stream);
    all->has_out = false;
    enum status status = output_commit(&all->out, &all->diag);
    if (status == STATUS_OK && !all->is_json && !all->asked->run.quiet)
        say_notices(&all->notices, stderr);
    return status;
}

static enum status vary(struct varying *all)
{
    enum status status = read_options(all);
    if (status == STATUS_OK)
        status = list_jobs(all);
    if (status == STATUS_OK) { /* before the work: it may be long */
        status = output_open(&all->out, all->asked->run.output, &all->diag);
        all->has_out = status == STATUS_OK;
    }
    if (status == STATUS_OK)
        status = run_jobs(all);
    return status == STATUS_OK ? write_report(all) : status;
}

static int run_vary(int argc, char **argv)
{
    struct vary_options asked = {.word_count = 0};
    int code;
    if (!options_begin(&command_vary, argc, argv, &asked, take_job_word, &code))
        return code;
    struct varying *all = calloc(1, sizeof *all);
    need_memory(all != NULL);
    all->asked = &asked;
    all->diag = DIAG_NONE;
    notices_init(&all->notices);
    enum status status = vary(all);
    if (status != STATUS_OK)
        command_failed(&all->diag);
    if (all->has_out)
        output_abandon(&all->out);
    for (uint32_t i = 0; i < all->count; i++) {
        sampling_release(&all->job[i].sampling);
        free(all->name[i]);
        free(all->varies[i]);
    }
    notices_release(&all->notices);
    free(all->plans);
    free(all);
    return status_exit_code(status);
}

const struct command command_vary = {
    .name = "vary",
    .summary = "a run many times over, with jitter: median, p95, which job is better, who is slow",
    .usage = "CONFIG.yaml .. | RESULT .. | JOB .. --cluster CLUSTER | --workload PREFIX --network "
             "FILE --system "
             "FILE",
    .about =
        "Runs the job again and again, each time with a sample of its own of what varies: compute\n"
        "of ops and ranks, links, starts of communication, ranks and links that are slow for a "
        "time\n"
        "(the section `variation` of a file, or the options below). Says mean, median and "
        "percentiles with\n"
        "intervals of 95 % confidence, what it costs over a plain run, and which ranks the "
        "slowest\n"
        "samples have in common. Several jobs, or plans with ';' between, are ranked by median "
        "and\n"
        "by 95th percentile. The same seed gives the same samples, on any number of processes;\n"
        "`orrery run --sample I` is one of them. In src/run/sampling.h: the rule to stop.\n",
    .examples =
        "  orrery vary llama3-8b --cluster preset:dgx-h100,nodes=1 --plan "
        "tp=8,global-batch=2,seq=4096 --op-jitter 0.05 --rank-jitter 0.03 --sources\n"
        "  orrery vary llama3-8b --cluster preset:dgx-h100,nodes=1 --plan "
        "'tp=8,global-batch=8,seq=4096;tp=4,global-batch=8,seq=4096' --rank-jitter 0.09 --until "
        "5% --samples 200\n"
        "  orrery vary configs/examples/all_reduce.yaml --workload configs/examples/dp8/workload "
        "--replicate --start-delay 100us --seed 3 --until 5%\n",
    .options = options,
    .run = run_vary,
};
