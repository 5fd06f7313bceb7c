#include "cli/compare_run.h"

#include <ctype.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/watch.h"
#include "compare/outcome_run.h"
#include "compare/run_astra.h"

/* -- ours -------------------------------------------------------------------------------------- */

static double now_s(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

bool compare_run_is_asked(const struct inputs *inputs)
{
    return inputs->cluster || inputs->workload || inputs->network || inputs->system;
}

void compare_run_begin(struct compare_run *run)
{
    run->seconds = 0;
    job_init(&run->job, &run->options);
}

void compare_run_end(struct compare_run *run)
{
    job_release(&run->job);
}

static enum status simulate_watched(struct compare_run *run, bool with_ops)
{
    struct job *job = &run->job;
    bool progress = !run->options.quiet && (run->options.progress || isatty(STDERR_FILENO) != 0);
    struct watch *watch = watch_start(progress, job->wall_limit_s);
    const struct simulate_watch hook = {watch_poll, watch};
    const struct simulate_also also = {.watch = watch ? &hook : NULL,
                                       .timeline = with_ops ? &job->timeline : NULL};
    enum status status = simulate_also(&job->config, work_load_of(&job->work), &job->groups, &also,
                                       &job->result, &job->diag);
    if (watch_stop(watch) == WATCH_WALL_LIMIT && status == STATUS_INTERRUPTED)
        status = diag_fail(&job->diag, STATUS_LIMIT, "the wall limit of %s was reached",
                           run->options.wall_limit);
    return status;
}

/* Findings that leave a result of the ranks that finished. */
static bool is_finding(enum status status)
{
    return status == STATUS_OK || status == STATUS_STUCK || status == STATUS_MISMATCH;
}

enum status compare_run_make(struct compare_run *run, struct outcome *outcome, bool with_ops,
                             const struct outcome *like)
{
    struct job *job = &run->job;
    double begin_s = now_s();
    enum status status = job_load(job);
    if (status == STATUS_OK)
        status = simulate_watched(run, with_ops);
    if (!is_finding(status) || !job->result.class_of_rank) {
        if (status != STATUS_OK && job->diag.status == STATUS_OK)
            diag_fail(&job->diag, status, "the run did not end: %s", status_help(status));
        return status;
    }
    if (status == STATUS_OK)
        status = job_check_end(job);
    else
        notices_add(&outcome->notices, NOTICE_ODDITY, "run that did not end well", 1, "%s",
                    status_help(status));
    job->diag = (struct diag)DIAG_NONE;
    const char *name = run->options.inputs.word ? run->options.inputs.word : job_name(job);
    outcome->path = arena_text(&outcome->arena, name, strlen(name));
    status =
        outcome_of_run(outcome, &job->result, &job->config, work_load_of(&job->work), &job->diag);
    if (status == STATUS_OK && with_ops && job->result.status == STATUS_OK)
        outcome_of_timeline(outcome, &job->timeline, &job->result, like);
    if (status == STATUS_OK)
        status = outcome_close(outcome, &job->diag);
    run->seconds = now_s() - begin_s;
    return status;
}

/* -- ASTRA-sim --------------------------------------------------------------------------------- */

void compare_astra_guess(const struct compare_astra *astra, struct inputs *inputs,
                         struct notices *notices, struct diag *diag)
{
    static const struct option backend = {.name = "--run-astra", .setting = "network.backend"};
    const char *slash = strrchr(astra->program, '/');
    char name[256] = "";
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : astra->program);
    for (char *at = name; *at; at++)
        *at = (char)tolower((unsigned char)*at);
    for (uint32_t i = 0; i < inputs->override_count; i++)
        if (strcmp(inputs->override[i].setting->key, backend.setting) == 0)
            return;
    const char *value = strstr(name, "unaware") ? "congestion-unaware"
                        : strstr(name, "aware") ? "congestion-aware"
                                                : NULL;
    if (!value)
        return;
    take_setting(inputs, &backend, value, diag);
    notices_add(notices, NOTICE_GUESSED, "network model, from the name of the binary", 1, "%s",
                value);
}

bool compare_astra_has_ops(const struct inputs *inputs)
{
    struct doc doc;
    struct diag ignored = DIAG_NONE; /* the run itself reads the file, and says what is wrong */
    if (!inputs->system || doc_load(&doc, inputs->system, DOC_JSON, &ignored) != STATUS_OK)
        return false;
    const struct doc_node *asked = doc_find(doc.root, "trace-enabled");
    bool has_ops = asked && (asked->boolean || (asked->kind == DOC_NUMBER && asked->number != 0));
    doc_release(&doc);
    return has_ops;
}

/* Settings that are options of ASTRA-sim too. Its binary is its network model. */
static const struct {
    const char *key, *option; /* option NULL: known to be the files' or the binary's */
} passed[] = {
    {"system.queues-per-dim", "num-queues-per-dim"},
    {"system.rendezvous", "rendezvous-protocol"},
    {"network.backend", NULL},
    {"workload.replicate", NULL},
    {"workload.ignore-extra-traces", NULL},
    {"run.fold", NULL},
};

static void pass_option(struct astra_request *request, struct arena *arena, const char *name,
                        const char *value)
{
    size_t size = strlen(name) + strlen(value) + 4;
    char *text = arena_take(arena, size);
    snprintf(text, size, "--%s=%s", name, value);
    if (request->option_count < ASTRA_MOST_OPTIONS)
        request->option[request->option_count++] = text;
}

static void pass_options(struct astra_request *request, const struct inputs *inputs,
                         struct outcome *outcome)
{
    for (uint32_t i = 0; i < inputs->override_count; i++) {
        const struct override *given = &inputs->override[i];
        size_t k = 0, count = sizeof passed / sizeof *passed;
        while (k < count && strcmp(passed[k].key, given->setting->key) != 0)
            k++;
        if (k == count)
            notices_add(&outcome->notices, NOTICE_IGNORED, "option that only orrery was told", 1,
                        "%s %s", given->option, given->text);
        else if (passed[k].option)
            pass_option(request, &outcome->arena, passed[k].option, given->text);
    }
    if (inputs->injection_scale)
        pass_option(request, &outcome->arena, "injection-scale", inputs->injection_scale);
}

static enum status read_limit(const struct compare_astra *astra, double *limit_s, struct diag *diag)
{
    double ns = 0;
    if (units_parse_duration(astra->limit, "s", &ns, NULL, diag) == STATUS_OK && ns > 0 &&
        ns < 1e18) {
        *limit_s = ns / 1e9;
        return STATUS_OK;
    }
    *diag = DIAG_NONE;
    return usage_error(diag, "--astra-limit",
                       "expected a time above 0 such as 10min or 600s, found \"%.40s\"",
                       astra->limit);
}

enum status compare_astra_make(const struct compare_astra *astra, struct compare_run *run,
                               struct outcome *outcome, char *words, size_t size)
{
    const struct inputs *inputs = &run->options.inputs;
    struct diag *diag = &run->job.diag;
    struct astra_figures figures;
    struct astra_request request = {
        .program = astra->program,
        .workload = work_load_of(&run->job.work),
        .system = inputs->system,
        .network = inputs->network,
        .memory = inputs->memory,
        .comm_group = inputs->comm_group ? inputs->comm_group : inputs->astra_comm_group,
        .limit = astra->limit,
        .log_path = astra->log,
    };
    if (request.comm_group && !inputs->comm_group && strstr(request.comm_group, "empty"))
        request.comm_group = NULL; /* as ASTRA-sim itself has it */
    *words = '\0';
    enum status status = read_limit(astra, &request.limit_s, diag);
    if (status != STATUS_OK)
        return status;
    pass_options(&request, inputs, outcome);
    for (uint32_t i = 0; i < astra->option_count; i++)
        request.option[request.option_count++] = astra->option[i];
    status = astra_run(&request, outcome, &figures, diag);
    if (status == STATUS_OK)
        snprintf(words, size, "ASTRA-sim %.3g s, %.0f MB; orrery %.3g s", figures.seconds,
                 (double)figures.peak_bytes / 1e6, run->seconds);
    return status;
}
