#include "cli/work.h"

#include <string.h>

#include "base/embedded.h"
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
    if (work->has_spec || work->has_framework)
        job_spec_release(&work->spec);
    *work = (struct work){.has_spec = false};
}

/* -- words in the wrong place ------------------------------------------------------------------ */

static bool is_cluster_file(const char *path)
{
    struct doc doc;
    struct diag ignored = DIAG_NONE;
    if (!embedded_is_path(path) || doc_load(&doc, path, DOC_YAML, &ignored) != STATUS_OK)
        return false;
    bool is_cluster = doc_find(doc.root, "network") != NULL;
    doc_release(&doc);
    return is_cluster;
}

/* A job, and no cluster that it is for. */
static enum status check_alone(const struct inputs *inputs, struct diag *diag)
{
    if (inputs->plan)
        return usage_error(diag, "--plan", "is for a generated job, which needs --cluster");
    if (inputs->framework)
        return usage_error(diag, "--framework", "is for a generated job, which needs --cluster");
    const char *word = inputs->word;
    if (!word || (embedded_is_path(word) ? !job_spec_is_file(word) : !model_spec_find(word)))
        return STATUS_OK;
    usage_error(diag, NULL, "%.80s is a job, and needs the cluster that it runs on", word);
    diag_hint(diag, "add --cluster preset:dgx-h100,nodes=4 (orrery list presets), or a file");
    return STATUS_USAGE;
}

static enum status check_words(const struct inputs *inputs, struct diag *diag)
{
    if (!inputs->word) {
        usage_error(diag, "--cluster", "needs a job to run there");
        diag_hint(diag, "orrery run llama3-8b --plan zero=3 --cluster %.80s", inputs->cluster);
    } else if (is_cluster_file(inputs->word)) {
        usage_error(diag, NULL, "%.80s is a cluster, and a job is needed here", inputs->word);
        diag_hint(diag, "orrery run llama3-8b --plan zero=3 --cluster %.80s", inputs->word);
    } else if (job_spec_is_file(inputs->cluster)) {
        usage_error(diag, "--cluster", "%.80s is a job, and a cluster is needed here",
                    inputs->cluster);
        diag_hint(diag, "orrery run %.80s --cluster preset:dgx-h100,nodes=4", inputs->cluster);
    } else if (inputs->plan && strncmp(inputs->plan, "auto", 4) == 0) {
        usage_error(diag, "--plan", "auto is for orrery scale");
        diag_hint(diag, "orrery plan MODEL CLUSTER prints the fastest plans as --plan takes them");
    }
    return diag->status;
}

/* -- configuration --------------------------------------------------------------------------- */

/* Rule 2: traces of a job that was generated before, or like one. */
static bool has_traces(const struct inputs *inputs)
{
    return inputs->cluster && !inputs->word && inputs->workload;
}

static enum status load_framework(struct work *work, const struct inputs *inputs,
                                  struct notices *notices, struct diag *diag)
{
    if (inputs->plan)
        return usage_error(diag, "--plan", "is for a job that is generated, and traces are given");
    job_spec_init(&work->spec);
    work->has_framework = true;
    return job_spec_framework(&work->spec, inputs->framework ? inputs->framework : "megatron",
                              notices, diag);
}

static enum status load_spec(struct work *work, const struct inputs *inputs,
                             struct notices *notices, struct diag *diag)
{
    if (has_traces(inputs))
        return load_framework(work, inputs, notices, diag);
    if (check_words(inputs, diag) != STATUS_OK)
        return diag->status;
    job_spec_init(&work->spec);
    work->has_spec = true;
    enum status status = job_spec_load(&work->spec, inputs->word, notices, diag);
    if (status == STATUS_OK && inputs->framework)
        status = job_spec_framework(&work->spec, inputs->framework, notices, diag);
    if (status == STATUS_OK && inputs->plan)
        status = job_spec_override(&work->spec, inputs->plan, diag);
    return status;
}

static enum status prepare_job(void *context, struct config *config, struct notices *notices,
                               struct diag *diag)
{
    struct work *work = context;
    if (work->has_spec && (config->workload.prefix || config->workload.comm_group)) {
        diag_fail(diag, STATUS_USAGE, "the job is generated, and %s given besides",
                  config->workload.prefix ? "traces are" : "communicator groups are");
        diag_field(diag, "%s",
                   config->workload.prefix ? "workload.traces" : "workload.comm-groups");
        diag_hint(diag, "leave them out, or the job");
        return STATUS_USAGE;
    }
    if (work->has_spec && work->spec.hash)
        config_add_input(config, "job", work->spec.name, work->spec.hash);
    return job_config_default(config, &work->spec, notices, diag);
}

/* A generated job has no recorded durations: without a model of its compute it would take no
 * time. */
static enum status need_compute(const struct config *config, struct diag *diag)
{
    const char *source = config_source(config, "system.compute-model");
    bool is_default = !source || strncmp(source, "default", 7) == 0;
    if (config->system.device || config->system.compute != COMPUTE_REPLAY || !is_default)
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG, "the cluster names no device: compute would take no time");
    diag_hint(diag, "a preset (preset:dgx-h100), or system.device in a cluster's file; or there "
                    "compute-model: roofline, or replay if that is meant");
    return STATUS_BAD_CONFIG;
}

enum status work_configure(struct work *work, const struct inputs *inputs, struct config *config,
                           struct group_file *groups, struct notices *notices, struct diag *diag)
{
    enum status status =
        inputs->cluster ? load_spec(work, inputs, notices, diag) : check_alone(inputs, diag);
    const struct inputs_job hook = {prepare_job, work};
    if (status == STATUS_OK)
        status = inputs_load(inputs, inputs->cluster ? &hook : NULL, config, groups, notices, diag);
    bool is_job = work->has_spec || work->has_framework;
    return status == STATUS_OK && is_job ? need_compute(config, diag) : status;
}

/* -- the workload ---------------------------------------------------------------------------- */

/* Ranks that share the innermost of several dimensions; of one, all. */
static uint32_t domain_of(const struct config *config)
{
    return config->network.dim_count ? config->network.dim[0].npus : 0;
}

static enum status generate(struct work *work, const struct config *config,
                            struct group_file *groups, struct notices *notices, struct diag *diag)
{
    struct job_spec *spec = &work->spec;
    spec->plan.domain = domain_of(config);
    enum status status = job_spec_finish(spec, config->network.npu_count, notices, diag);
    if (status == STATUS_OK && config->system.device)
        status = job_config_type(spec->plan.compute_type, config->system.device, diag);
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
