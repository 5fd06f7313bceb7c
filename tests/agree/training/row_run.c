/* The same row simulated: its graph on a fabric with the rates of its system. */
#include <string.h>

#include "compute/resolve.h"
#include "config/own_config.h"
#include "config/settings.h"
#include "net/collective/tuner_parts.h"
#include "net/topology/resolve.h"
#include "run/job_config.h"
#include "run/simulate.h"
#include "tests/agree/training/training.h"
#include "workloads/generate/job_graph.h"

/* Domains of the system, joined by a rail-optimised network; a torus as what its links give a
 * chip at a switch. */
static void topology_of(const struct train_row *row, const struct tuner_system *system, char *text,
                        size_t size)
{
    uint32_t domain = row->domain ? row->domain : system->domain;
    double inside = system->links * system->link_rate_Bps / 1e9;
    double outside = system->nics_per_node * system->nic_rate_Bps / system->gpus_per_node / 1e9;
    if (row->plan.ranks <= domain)
        snprintf(text, size, "switch:%u,bw=%.6gGB/s,lat=300ns", row->plan.ranks, inside);
    else
        snprintf(text, size, "rail:%ux%u,bw=%.6gGB/s,lat=500ns,inbw=%.6gGB/s,inlat=300ns", domain,
                 (row->plan.ranks + domain - 1) / domain, outside, inside);
}

static enum status set(struct config *config, const char *key, const char *value,
                       struct notices *notices, struct diag *diag)
{
    return setting_set_text(config, setting_find(key), value, "row", notices, diag);
}

static enum status configure(struct config *config, const struct train_row *row,
                             const struct tuner_system *system, const struct job_spec *spec,
                             struct notices *notices, struct diag *diag)
{
    char topology[160];
    topology_of(row, system, topology, sizeof topology);
    own_config_defaults(config);
    enum status status = set(config, "network.topology", topology, notices, diag);
    if (status == STATUS_OK)
        status = set(config, "system.device", row->device_name, notices, diag);
    if (status == STATUS_OK)
        status = set(config, "system.library", row->system_name, notices, diag);
    if (status == STATUS_OK)
        status = set(config, "system.library-costs", "true", notices, diag);
    if (status == STATUS_OK)
        status = job_config_default(config, spec, notices, diag);
    if (status == STATUS_OK)
        status = topology_resolve(config, notices, diag);
    if (status == STATUS_OK)
        status = compute_resolve(config, notices, diag);
    return status == STATUS_OK ? config_finish(config, notices, diag) : status;
}

static enum status run_graph(struct train_row *row, const struct config *config,
                             const struct job_spec *spec, struct run_result *result,
                             struct arena *arena, struct diag *diag)
{
    if (config->network.npu_count != row->plan.ranks)
        return diag_fail(diag, STATUS_BAD_CONFIG, "%u chips are no whole machines",
                         row->plan.ranks);
    struct layer_book book;
    layer_book_make(&book, &spec->model, &spec->plan, &spec->framework, arena);
    const struct job_input input = {&spec->model, &spec->plan, &spec->framework, &book};
    struct job_graph job;
    enum status status = job_graph_make(&job, &input, diag);
    if (status != STATUS_OK)
        return status;
    status = simulate(config, &job.workload, &job.groups, NULL, result, diag);
    row->simulated_s = status == STATUS_OK ? (double)result->end_ps / 1e12 : 0;
    job_graph_release(&job);
    return status;
}

enum status row_simulate(struct train_row *row, const struct framework *framework,
                         const struct tuner_system *system, struct diag *diag)
{
    struct job_spec spec;
    struct config config;
    struct run_result result;
    job_spec_init(&spec);
    config_init(&config);
    result_init(&result);
    spec.model = row->model;
    spec.framework = *framework;
    spec.plan = row->plan;
    spec.plan.domain = row->domain ? row->domain : system->domain;
    enum status status = configure(&config, row, system, &spec, &result.notices, diag);
    if (status == STATUS_OK)
        status = run_graph(row, &config, &spec, &result, &spec.arena, diag);
    result_release(&result);
    config_release(&config);
    job_spec_release(&spec);
    return status;
}
