#include "cli/work.h"

#include <string.h>

#include "config/own_config.h"
#include "run/job_config.h"
#include "workloads/scale_trace.h"
#include "workloads/workload_set.h"

void work_init(struct work *work)
{
    *work = (struct work){.has_spec = false};
}

void work_release(struct work *work)
{
    if (work->has_job)
        job_graph_release(&work->job);
    if (work->has_scaled)
        scale_release(&work->scaled);
    if (work->has_files)
        workload_release(&work->files);
    if (work->has_spec)
        job_spec_release(&work->spec);
    *work = (struct work){.has_spec = false};
}

/* -- configuration --------------------------------------------------------------------------- */

static enum status load_spec(struct work *work, const struct inputs *inputs,
                             struct notices *notices, struct diag *diag)
{
    if (!inputs->word) {
        usage_error(diag, "--cluster", "needs a job to run there");
        diag_hint(diag, "orrery run llama3-8b --cluster %.80s", inputs->cluster);
        return STATUS_USAGE;
    }
    job_spec_init(&work->spec);
    work->has_spec = true;
    enum status status = job_spec_load(&work->spec, inputs->word, notices, diag);
    if (status == STATUS_OK && inputs->plan)
        status = job_spec_override(&work->spec, inputs->plan, diag);
    return status;
}

static enum status prepare_job(void *context, struct config *config, struct notices *notices,
                               struct diag *diag)
{
    struct work *work = context;
    if (config->workload.prefix || config->workload.comm_group) {
        diag_fail(diag, STATUS_USAGE, "the job is generated, and %s given besides",
                  config->workload.prefix ? "traces are" : "communicator groups are");
        diag_field(diag, "%s",
                   config->workload.prefix ? "workload.traces" : "workload.comm-groups");
        diag_hint(diag, "leave them out, or give the traces without --cluster");
        return STATUS_USAGE;
    }
    if (work->spec.hash)
        config_add_input(config, "job", work->spec.name, work->spec.hash);
    return job_config_default(config, &work->spec, notices, diag);
}

enum status work_configure(struct work *work, const struct inputs *inputs, struct config *config,
                           struct group_file *groups, struct notices *notices, struct diag *diag)
{
    if (!inputs->cluster && inputs->plan)
        return usage_error(diag, "--plan", "is for a generated job, which needs --cluster");
    enum status status = inputs->cluster ? load_spec(work, inputs, notices, diag) : STATUS_OK;
    const struct inputs_job hook = {prepare_job, work};
    return status == STATUS_OK
               ? inputs_load(inputs, inputs->cluster ? &hook : NULL, config, groups, notices, diag)
               : status;
}

/* -- the workload ---------------------------------------------------------------------------- */

static enum status generate(struct work *work, const struct config *config,
                            struct group_file *groups, struct notices *notices, struct diag *diag)
{
    struct job_spec *spec = &work->spec;
    enum status status = job_spec_finish(spec, config->network.npu_count, notices, diag);
    if (status != STATUS_OK)
        return status;
    layer_book_make(&work->book, &spec->model, &spec->plan, &spec->framework, &spec->arena);
    const struct job_input input = {&spec->model, &spec->plan, &spec->framework, &work->book};
    status = job_graph_make(&work->job, &input, diag);
    if (status != STATUS_OK)
        return status;
    work->has_job = true;
    group_file_release(groups);
    *groups = work->job.groups; /* moved */
    group_file_init(&work->job.groups);
    return STATUS_OK;
}

/* Reads as many ranks as have files, and runs them on all. */
static enum status open_scaled(struct work *work, const struct config *config,
                               struct group_file *groups, struct notices *notices,
                               struct diag *diag)
{
    const struct workload_config *asked = &config->workload;
    if (asked->scale_ranks != config->network.npu_count) {
        diag_fail(diag, STATUS_BAD_CONFIG, "%u ranks to run on, but the network has %u NPUs",
                  asked->scale_ranks, config->network.npu_count);
        diag_field(diag, "workload.scale-ranks");
        return STATUS_BAD_CONFIG;
    }
    if (asked->replicate) {
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "one trace for all ranks does not say how many it is of");
        diag_field(diag, "workload.scale-ranks");
        diag_hint(diag, "leave --replicate out; links to the trace for each rank it is of will do");
        return STATUS_BAD_CONFIG;
    }
    uint32_t count = asked->prefix ? workload_count_files(asked->prefix, asked->scale_ranks) : 0;
    enum status status = workload_open(&work->files, asked, count ? count : 1, NULL, notices, diag);
    work->has_files = status == STATUS_OK;
    struct group_file scaled;
    if (!status)
        status = scale_workload(&work->scaled, &scaled, &work->files, groups, asked->scale_ranks,
                                asked->scale_groups, notices, diag);
    if (status)
        return status;
    work->has_scaled = true;
    group_file_release(groups);
    *groups = scaled;
    return STATUS_OK;
}

enum status work_open(struct work *work, const struct config *config, struct group_file *groups,
                      struct notices *notices, struct diag *diag)
{
    if (work->has_spec)
        return generate(work, config, groups, notices, diag);
    if (config->workload.scale_ranks)
        return open_scaled(work, config, groups, notices, diag);
    enum status status = workload_open(&work->files, &config->workload, config->network.npu_count,
                                       NULL, notices, diag);
    work->has_files = status == STATUS_OK;
    return status;
}

const struct workload *work_load_of(const struct work *work)
{
    if (work->has_scaled)
        return &work->scaled;
    return work->has_job ? &work->job.workload : &work->files;
}
