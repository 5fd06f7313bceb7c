#include "cli/explain_bounds.h"

#include <string.h>

#include "cli/cli.h"

/* The configuration for a bound that is one of settings. */
static enum status load_settings(struct explaining *all, const struct what_if *what_if,
                                 struct config *config, struct group_file *groups,
                                 struct notices *notices)
{
    static const struct option backend = {.name = "--no-contention", .setting = "network.backend"};
    static const struct option changes = {.name = "--free", .setting = "network.changes"};
    struct job *job = &all->job;
    struct inputs inputs = job->inputs;
    char text[4096];
    if (job->config.network.changes && strlen(job->config.network.changes) > 3000)
        return usage_error(&job->diag, "--free", "the network has too many changes already");
    const char *model = what_if_backend(what_if, &job->config);
    const char *links = what_if_changes(what_if, &job->config, text, sizeof text);
    if (model)
        take_setting(&inputs, &backend, model, &job->diag);
    if (links)
        take_setting(&inputs, &changes, links, &job->diag);
    struct work work;
    work_init(&work);
    enum status status = work_configure(&work, &inputs, config, groups, notices, &job->diag);
    work_release(&work);
    return status;
}

/* What most of the run's time is then. */
static void say_bound(struct explain_bound *bound, const struct path_blame *blame)
{
    const struct blame_table *parts = &blame->by[BLAME_BY_PART];
    if (!parts->count || !blame->end_ps)
        return;
    snprintf(bound->bound_by, sizeof bound->bound_by, "%s", parts->row[0].name);
    bound->bound_by_ps = parts->row[0].time_ps;
}

static enum status run_bound(struct explaining *all, const char *name,
                             const struct what_if *what_if, const struct simulate_watch *watch)
{
    struct job *job = &all->job;
    struct explain_bound *bound = &all->bound[all->bound_count++];
    struct config config;
    struct group_file groups;
    struct run_result result;
    struct timeline timeline;
    struct path_blame blame;
    config_init(&config);
    group_file_init(&groups);
    result_init(&result);
    timeline_init(&timeline);
    path_blame_init(&blame);
    bool is_other = what_if->contention || *what_if->changes;
    enum status status = STATUS_OK;
    if (is_other)
        status = load_settings(all, what_if, &config, &groups, &result.notices);
    const struct what_if_job changed = {is_other ? &config : &job->config, work_load_of(&job->work),
                                        &job->groups, &job->result};
    const struct simulate_also also = {.watch = watch, .timeline = &timeline, .blame = &blame};
    if (status == STATUS_OK)
        status = what_if_run(what_if, &changed, &also, &result, &job->diag);
    *bound = (struct explain_bound){name, status, result.end_ps, "", 0};
    say_bound(bound, &blame);
    if (status != STATUS_OK && job->diag.status == STATUS_OK)
        diag_fail(&job->diag, status, "the run without %.200s did not end", what_if->name);
    path_blame_release(&blame);
    timeline_release(&timeline);
    result_release(&result);
    group_file_release(&groups);
    config_release(&config);
    return status;
}

/* -- the ladder ------------------------------------------------------------------------------ */

enum rung { RUNG_NETWORK, RUNG_COMPUTE, RUNG_MEMORY, RUNG_CONTENTION, RUNG_LAUNCHES, RUNG_LEVEL };

static const struct {
    const char *name, *what;
} ladder[] = {
    [RUNG_NETWORK] = {"communication (perfect network)", "network"},
    [RUNG_COMPUTE] = {"compute (infinitely fast)", "compute"},
    [RUNG_MEMORY] = {"time of memory-bound ops (infinite memory bandwidth)", "memory"},
    [RUNG_CONTENTION] = {"contention", "contention"},
    [RUNG_LAUNCHES] = {"launches", "launches"},
    [RUNG_LEVEL] = {"stragglers (no rank computes more than the median)", "stragglers"},
};

/* Rungs that cannot be other than the run itself are left out. */
static bool is_there(const struct config *config, enum rung rung)
{
    const struct system_config *system = &config->system;
    if (rung == RUNG_CONTENTION)
        return network_model_of(config->network.backend)->has_contention;
    if (rung == RUNG_LAUNCHES)
        return system->launch_overhead_ns + system->collective_launch_ns +
                   system->step_overhead_ns >
               0;
    return true;
}

/* Compute and communication entirely beside each other: the longer of both alone. */
static void add_overlap(struct explaining *all, const struct explain_bound *compute_alone,
                        const struct explain_bound *communication_alone)
{
    bool is_compute = compute_alone->end_ps >= communication_alone->end_ps;
    const struct explain_bound *longer = is_compute ? compute_alone : communication_alone;
    struct explain_bound *bound = &all->bound[all->bound_count++];
    *bound = (struct explain_bound){"exposed communication (perfect overlap)", STATUS_OK,
                                    longer->end_ps, "", longer->end_ps};
    snprintf(bound->bound_by, sizeof bound->bound_by, "%s",
             is_compute ? "compute alone" : "communication alone");
}

static enum status run_ladder(struct explaining *all, const struct simulate_watch *watch)
{
    const struct explain_bound *first = &all->bound[all->bound_count];
    for (int rung = 0; rung < (int)(sizeof ladder / sizeof *ladder); rung++) {
        struct what_if what_if;
        if (!is_there(&all->job.config, (enum rung)rung))
            continue;
        promise(what_if_parse(&what_if, ladder[rung].what, &all->job.diag) == STATUS_OK);
        enum status status = run_bound(all, ladder[rung].name, &what_if, watch);
        if (status != STATUS_OK)
            return status;
        if (rung == RUNG_COMPUTE)
            add_overlap(all, &first[0], &first[1]);
    }
    return STATUS_OK;
}

enum status explain_run_bounds(struct explaining *all, const struct simulate_watch *watch)
{
    struct explain_options *asked = all->options;
    bool fits = true;
    enum status status = asked->ladder ? run_ladder(all, watch) : STATUS_OK;
    for (uint32_t i = 0; i < asked->count && status == STATUS_OK; i++) {
        status = run_bound(all, asked->what_if[i].name, &asked->what_if[i], watch);
        fits = fits && what_if_add(&all->together, &asked->what_if[i]);
    }
    if (status != STATUS_OK || asked->count < 2 || !fits)
        return status;
    return run_bound(all, "all of these", &all->together, watch);
}
