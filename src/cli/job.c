#include "cli/job.h"

#include <string.h>
#include <sys/stat.h>

#include "base/suggest.h"
#include "cli/output.h"
#include "config/names.h"
#include "workloads/workload_set.h"

void job_init(struct job *job, const struct run_options *run_options)
{
    *job = (struct job){.options = run_options, .inputs = run_options->inputs, .diag = DIAG_NONE};
    rerun_init(&job->rerun);
    config_init(&job->config);
    group_file_init(&job->groups);
    work_init(&job->work);
    result_init(&job->result);
    timeline_init(&job->timeline);
    link_series_init(&job->links);
    path_blame_init(&job->blame);
    sensitivity_init(&job->sensitivity);
    config_init(&job->other_config);
    result_init(&job->other);
}

void job_release(struct job *job)
{
    if (job->has_out)
        output_abandon(&job->out);
    result_release(&job->other);
    config_release(&job->other_config);
    sensitivity_release(&job->sensitivity);
    path_blame_release(&job->blame);
    timeline_release(&job->timeline);
    timeline_request_release(&job->timeline_request);
    link_series_release(&job->links);
    result_release(&job->result);
    work_release(&job->work);
    group_file_release(&job->groups);
    config_release(&job->config);
    rerun_release(&job->rerun);
}

/* -- options that need a look --------------------------------------------------------------- */

static enum status find_format(struct job *job)
{
    const char *name = job->options->format;
    job->format = name ? report_find(name) : report_formats[0];
    if (job->format)
        return STATUS_OK;
    const char *names[16] = {0};
    for (size_t i = 0; report_formats[i] && i < 15; i++)
        names[i] = report_formats[i]->name;
    char known[128];
    usage_error(&job->diag, "--format", "expected %s, found \"%.60s\"",
                names_text(known, sizeof known, names), name);
    const char *nearest = suggest_nearest(name, names);
    if (nearest)
        diag_hint(&job->diag, "did you mean \"%s\"?", nearest);
    return STATUS_USAGE;
}

static enum status read_wall_limit(struct job *job)
{
    if (!job->options->wall_limit)
        return STATUS_OK;
    double ns = 0;
    struct diag *diag = &job->diag;
    enum status status = units_parse_duration(job->options->wall_limit, "s", &ns, NULL, diag);
    if (status == STATUS_OK && ns > 0 && ns < 1e18) {
        job->wall_limit_s = ns / 1e9;
        return STATUS_OK;
    }
    if (status == STATUS_OK)
        diag_fail(diag, STATUS_USAGE, "expected a time above 0 such as 30s, found \"%.60s\"",
                  job->options->wall_limit);
    diag->status = STATUS_USAGE;
    diag_field(diag, "--wall-limit");
    return STATUS_USAGE;
}

/* -- an output that would take the place of an input ----------------------------------------- */

static bool is_same_file(const char *path, const struct stat *output)
{
    struct stat input;
    return stat(path, &input) == 0 && input.st_dev == output->st_dev &&
           input.st_ino == output->st_ino;
}

static bool is_config_input(const struct config *config, const struct stat *output)
{
    for (uint32_t i = 0; i < config->input_count; i++) {
        if (is_same_file(config->input[i].path, output))
            return true;
    }
    return false;
}

static enum status refuse_input(struct job *job)
{
    const struct config *config = &job->config;
    const char *path = job->options->output;
    struct stat output;
    if (!path || strcmp(path, "-") == 0 || stat(path, &output) != 0 || !S_ISREG(output.st_mode))
        return STATUS_OK;
    bool is_trace = config->workload.prefix &&
                    workload_reads(&config->workload, config->network.npu_count, path);
    bool is_result = job->rerun.is_report && is_same_file(job->rerun.name, &output);
    if (!is_trace && !is_result && !is_config_input(config, &output))
        return STATUS_OK;
    usage_error(&job->diag, "--output", "%.200s is %s of this run, which the report would replace",
                path,
                is_trace    ? "a trace"
                : is_result ? "the result"
                            : "a configuration file");
    diag_hint(&job->diag, "give the report a name of its own");
    return STATUS_USAGE;
}

/* -- the run ------------------------------------------------------------------------------- */

static enum status load_job(struct job *job)
{
    enum status status = find_format(job);
    if (status == STATUS_OK)
        status = read_wall_limit(job);
    if (status == STATUS_OK)
        status = rerun_open(&job->rerun, &job->inputs, &job->diag);
    if (status == STATUS_OK)
        status = work_configure(&job->work, &job->inputs, &job->config, &job->groups,
                                &job->result.notices, &job->diag);
    if (status == STATUS_OK && !job->options->print_config)
        status = inputs_list_custom(&job->config, &job->diag);
    if (status == STATUS_OK)
        status = refuse_input(job);
    if (status != STATUS_OK || job->options->print_config)
        return status;
    status = work_open(&job->work, &job->config, &job->groups, &job->result.notices, &job->diag);
    if (status == STATUS_OK)
        rerun_check_inputs(&job->rerun, &job->config, work_load_of(&job->work),
                           &job->result.notices);
    return status;
}

enum status job_check_end(struct job *job)
{
    return rerun_check_end(&job->rerun, &job->result, &job->diag);
}

const char *const *job_command(struct job *job)
{
    return rerun_words(&job->inputs, &job->config.arena);
}

const char *job_name(const struct job *job)
{
    if (job->work.has_spec)
        return job->work.spec.name;
    return job->config.workload.prefix ? job->config.workload.prefix : "";
}

bool job_report_holds_all(const struct job *job)
{
    return strcmp(job->format->name, "text") == 0 || strcmp(job->format->name, "json") == 0;
}

/* The configuration of the other run; its workload is the first one's. */
static enum status load_like(struct job *job, const struct inputs *inputs,
                             struct group_file *groups)
{
    struct work work;
    work_init(&work);
    enum status status =
        work_configure(&work, inputs, &job->other_config, groups, &job->other.notices, &job->diag);
    work_release(&work);
    return status;
}

/* The same configuration with the other network model. */
static enum status load_other(struct job *job)
{
    const char *name = job->options->against;
    if (!name)
        return STATUS_OK;
    if (!job_report_holds_all(job))
        return usage_error(&job->diag, "--against", "needs --format text or json");
    static const struct option backend = {.name = "--against", .setting = "network.backend"};
    struct inputs inputs = job->inputs;
    struct group_file groups;
    group_file_init(&groups);
    enum status status = take_setting(&inputs, &backend, name, &job->diag);
    if (status == STATUS_OK)
        status = load_like(job, &inputs, &groups);
    group_file_release(&groups);
    if (status == STATUS_OK && job->other_config.network.backend == job->config.network.backend)
        status = usage_error(&job->diag, "--against", "the run itself is at %s", name);
    return status;
}

enum status job_load(struct job *job)
{
    enum status status = load_job(job);
    if (status != STATUS_OK)
        rerun_hint(&job->rerun, &job->diag);
    return status == STATUS_OK ? load_other(job) : status;
}
