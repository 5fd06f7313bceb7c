/* orrery diff: why one run takes longer than another. */
#include <string.h>
#include <unistd.h>

#include "base/watch.h"
#include "cli/cli.h"
#include "cli/diff_inputs.h"
#include "cli/output.h"
#include "cli/say.h"
#include "stats/difference.h"

enum { USUAL_ROWS = 8, MOST_TOP = 100000 };

struct diff_options {
    struct run_options run; /* first: WATCH_OPTIONS, --format and --output; its inputs are unused */
    const char *word[2];
    uint32_t words, rows;
};

/* -- options ----------------------------------------------------------------------------------- */

static enum status take_result(void *to, const char *text, struct diag *diag)
{
    struct diff_options *asked = to;
    if (asked->words == 2)
        return usage_error(diag, NULL, "two results are accepted, found \"%.60s\" besides", text);
    asked->word[asked->words++] = text;
    return STATUS_OK;
}

static enum status take_rows(void *to, const struct option *option, const char *value,
                             struct diag *diag)
{
    struct diff_options *asked = to;
    return take_count(option, value, MOST_TOP, "rows", &asked->rows, diag);
}

static const struct option options[] = {
    {.name = "--top", .argument = "N", .help = "text: rows of each table (8)", .take = take_rows},
    REPORT_OPTIONS("text (default) or json"),
    WATCH_OPTIONS,
    {0},
};

/* -- the two runs ------------------------------------------------------------------------------ */

struct side {
    struct run_options options;
    struct job job;
    struct timeline timeline;
    struct path_blame blame;
    struct rank_terms terms;
};

struct differing {
    const struct diff_options *asked;
    struct side side[2]; /* A, B */
    struct difference difference;
    struct diag diag;
};

static void side_init(struct side *side, const struct diff_options *asked, const char *word)
{
    side->options = asked->run;
    side->options.inputs.word = word;
    job_init(&side->job, &side->options);
    timeline_init(&side->timeline);
    path_blame_init(&side->blame);
    rank_terms_init(&side->terms);
}

static void side_release(struct side *side)
{
    rank_terms_release(&side->terms);
    path_blame_release(&side->blame);
    timeline_release(&side->timeline);
    job_release(&side->job);
}

static enum status run_side(struct side *side, const struct simulate_watch *watch)
{
    struct job *job = &side->job;
    const struct simulate_also also = {
        .watch = watch, .timeline = &side->timeline, .blame = &side->blame, .terms = &side->terms};
    enum status status = simulate_also(&job->config, work_load_of(&job->work), &job->groups, &also,
                                       &job->result, &job->diag);
    timeline_release(&side->timeline);
    return status == STATUS_OK ? job_check_end(job) : status;
}

static enum status run_both(struct differing *all)
{
    const struct run_options *run = &all->asked->run;
    bool progress = !run->quiet && (run->progress || isatty(STDERR_FILENO) != 0);
    struct watch *watch = watch_start(progress, all->side[0].job.wall_limit_s);
    const struct simulate_watch hook = {watch_poll, watch};
    enum status status = STATUS_OK;
    uint32_t i = 0;
    for (; i < 2 && status == STATUS_OK; i++)
        status = run_side(&all->side[i], watch ? &hook : NULL);
    enum watch_reason reason = watch_stop(watch);
    if (status == STATUS_OK)
        return STATUS_OK;
    all->diag = all->side[i - 1].job.diag;
    if (status == STATUS_INTERRUPTED && reason == WATCH_WALL_LIMIT)
        return diag_fail(&all->diag, STATUS_LIMIT, "the wall limit of %s was reached",
                         run->wall_limit);
    if (all->diag.status == STATUS_OK) {
        diag_fail(&all->diag, status, "the run did not end (%s), and there is nothing to compare",
                  status_help(status));
        diag_in(&all->diag, all->asked->word[i - 1]);
        diag_hint(&all->diag, "orrery run says more");
    }
    return status;
}

/* -- the report -------------------------------------------------------------------------------- */

static struct diff_run run_of(const struct side *side, const char *word)
{
    return (struct diff_run){word, job_name(&side->job), &side->job.result, &side->job.config};
}

static struct difference_side side_of(const struct side *side)
{
    return (struct difference_side){&side->terms, &side->blame, &side->job.result,
                                    work_load_of(&side->job.work)};
}

static enum status write_report(struct differing *all)
{
    const struct diff_options *asked = all->asked;
    struct out_file out;
    struct diff_input *inputs;
    uint32_t count =
        diff_inputs_find(&all->side[0].job, &all->side[1].job, &all->difference.arena, &inputs);
    const struct diff_report report = {
        .version = ORRERY_VERSION,
        .a = run_of(&all->side[0], asked->word[0]),
        .b = run_of(&all->side[1], asked->word[1]),
        .difference = &all->difference,
        .input = inputs,
        .input_count = count,
        .most_rows = asked->rows,
    };
    if (output_open(&out, asked->run.output, &all->diag) != STATUS_OK)
        return all->diag.status;
    bool is_text = strcmp(all->side[0].job.format->name, "text") == 0;
    (is_text ? diff_text : diff_json)(&report, out.stream);
    enum status status = output_commit(&out, &all->diag);
    for (int i = 0; i < 2 && status == STATUS_OK && is_text && !asked->run.quiet; i++)
        say_notices(&all->side[i].job.result.notices, stderr);
    return status;
}

static enum status load_both(struct differing *all)
{
    if (all->asked->words < 2) {
        usage_error(&all->diag, NULL, "two results are needed: A and B");
        diag_hint(&all->diag, "orrery run .. --format json --output a.json writes one");
        return STATUS_USAGE;
    }
    for (int i = 0; i < 2; i++) {
        struct job *job = &all->side[i].job;
        if (job_load(job) != STATUS_OK) {
            all->diag = job->diag;
            diag_in(&all->diag, all->asked->word[i]);
            return all->diag.status;
        }
        if (!job_report_holds_all(job))
            return usage_error(&all->diag, "--format", "expected text or json, found \"%.60s\"",
                               job->format->name);
    }
    return STATUS_OK;
}

static enum status diff(struct differing *all)
{
    enum status status = load_both(all);
    if (status == STATUS_OK)
        status = run_both(all);
    const struct difference_side a = side_of(&all->side[0]), b = side_of(&all->side[1]);
    if (status == STATUS_OK)
        status = difference_make(&all->difference, &a, &b, &all->diag);
    return status == STATUS_OK ? write_report(all) : status;
}

static int run_diff(int argc, char **argv)
{
    struct diff_options asked = {.rows = USUAL_ROWS};
    int code;
    if (!options_begin(&command_diff, argc, argv, &asked, take_result, &code))
        return code;
    struct differing all = {.asked = &asked, .diag = DIAG_NONE};
    for (int i = 0; i < 2; i++)
        side_init(&all.side[i], &asked, asked.word[i]);
    difference_init(&all.difference);
    enum status status = diff(&all);
    if (status != STATUS_OK)
        command_failed(&all.diag);
    difference_release(&all.difference);
    for (int i = 0; i < 2; i++)
        side_release(&all.side[i]);
    return status_exit_code(status);
}

const struct command command_diff = {
    .name = "diff",
    .summary = "why run B takes longer than run A",
    .usage = "A B [OPTIONS]",
    .about =
        "A and B are results: JSON reports of `orrery run` or `orrery explain`, points of a study\n"
        "(STUDY.db:POINT), or configuration files. Both are run again, and must end as they did.\n"
        "The difference is told in two exact ways, each of which adds up to the picosecond: what\n"
        "the mean rank does (compute, latency, bandwidth, contention, waiting, bubble, memory,\n"
        "host, idle: src/stats/rank_terms.h), and what is on the critical path; by op,\n"
        "collective, stage and rank; then links, and which inputs differ.\n",
    .examples = "  orrery run llama3-8b --cluster preset:dgx-h100,nodes=1 --plan "
                "tp=8,global-batch=2,seq=2048 --format json --output a.json\n"
                "  orrery run llama3-8b --cluster preset:dgx-h100,nodes=1 --plan "
                "tp=4,pp=2,global-batch=2,seq=2048 --format json --output b.json\n"
                "  orrery diff a.json b.json\n"
                "  orrery sweep study.yaml --store study.db\n"
                "  orrery diff study.db:3 study.db:7 --format json --output why.json\n",
    .options = options,
    .run = run_diff,
};
