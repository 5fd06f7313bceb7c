#include "cli/sweep_jobs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/placement.h"
#include "base/workers.h"
#include "cli/cli.h"
#include "cli/sweep_keys.h"
#include "cli/sweep_point.h"
#include "sweep/points.h"

/* -- the user's command ------------------------------------------------------------------------ */

static void tell(const struct slurm_report *report, const struct progress *progress, bool waits)
{
    printf("%" PRIu32 " of %" PRIu32 " points have a result", progress->stored, progress->total);
    if (report->added)
        printf(", %" PRIu32 " of them new from ended tasks", report->added);
    if (report->waiting)
        printf("; %" PRIu32 " are with tasks of an earlier command", report->waiting);
    if (report->submitted) {
        printf("; %" PRIu32 " submitted as %" PRIu32 " task%s: job %s", report->submitted,
               report->tasks, report->tasks == 1 ? "" : "s", report->array);
        if (report->merging[0])
            printf(", merged by job %s", report->merging);
        printf("\nstop them: scancel --name=%s", report->jobs);
        if (report->merging[0])
            printf(",%s-merge", report->jobs);
        if (!waits)
            printf("\nfollow them, and bring results home meanwhile: the same command with --wait");
    }
    putchar('\n');
    if (report->submitted && !report->merging[0])
        fprintf(stderr,
                "orrery: the merging job was refused (%s): give the same command when the tasks "
                "have ended\n",
                report->fault);
    fflush(stdout);
}

enum status sweep_jobs_submit(const struct study *study, const struct sweep_options *options,
                              const struct slurm_options *slurm, bool waits, struct diag *diag)
{
    struct progress progress;
    struct slurm_report report;
    enum status status = slurm_sweep_submit(study, options, slurm, &progress, &report, diag);
    if (status != STATUS_OK)
        return status;
    tell(&report, &progress, waits);
    if (!waits || !(report.submitted || report.waiting))
        return STATUS_OK;
    status = slurm_sweep_wait(study, options, &progress, diag);
    progress_summary(&progress, status == STATUS_OK ? stdout : stderr);
    if (status == STATUS_INTERRUPTED)
        diag_hint(diag, "the same command goes on from here; stop the jobs: scancel --name=%s",
                  report.jobs);
    return status;
}

/* -- a task ------------------------------------------------------------------------------------ */

static uint64_t environment_number(const char *name)
{
    const char *text = getenv(name);
    uint64_t number = 0;
    return text && decimal_u64(text, strlen(text), &number) ? number : 0;
}

/* What Slurm gave this task. It binds its tasks to their cores or not: where it does not, tasks on
 * one machine would all take the first cores. */
static void take_allocation(struct sweep_options *options)
{
    uint64_t cpus = environment_number("SLURM_CPUS_ON_NODE");
    uint64_t megabytes = environment_number("SLURM_MEM_PER_NODE");
    if (!megabytes)
        megabytes = environment_number("SLURM_MEM_PER_CPU") * cpus;
    if (cpus > WORKERS_MOST)
        cpus = WORKERS_MOST;
    if (cpus && !options->workers)
        options->workers = (uint32_t)cpus;
    if (options->workers && options->workers != placement_cores())
        options->is_unbound = true;
    if (megabytes && options->workers && !options->memory_limit_bytes)
        options->memory_limit_bytes = (megabytes << 20) / options->workers;
}

static enum status run_chunk(const struct chunk_plan *plan, const struct study *study,
                             uint32_t task, struct sweep_options *options, struct diag *diag)
{
    char store[CHUNK_PATH], how_far[CHUNK_PATH], program[64];
    uint32_t first, count = chunk_plan_part(plan, task, &first);
    const struct sweep_part part = {&plan->ordinal[first], &plan->request[first], count, how_far};
    struct progress progress;
    chunk_file(store, plan->folder, task, "db");
    chunk_file(how_far, plan->folder, task, "progress");
    options->store = store;
    options->part = &part;
    options->program = identity_program(program, sizeof program, ORRERY_VERSION);
    if (strcmp(program, plan->program) != 0) {
        diag_fail(diag, STATUS_BAD_CONFIG, "this program is not the one that submitted the study");
        diag_hint(diag, "give the sweep command again: it submits what has no result yet");
        return STATUS_BAD_CONFIG;
    }
    struct sweep_points *points = sweep_points_create(study, diag);
    if (!points)
        return diag->status;
    enum status status = sweep_run(study, options, &sweep_point_ops, points, &progress, diag);
    if (progress.total)
        progress_summary(&progress, stdout);
    sweep_points_destroy(points);
    return status;
}

enum status sweep_jobs_chunk(const char *folder, uint32_t task, struct sweep_options *options,
                             struct diag *diag)
{
    struct chunk_plan plan;
    struct study study;
    enum status status = chunk_plan_read(&plan, folder, diag);
    if (status == STATUS_OK && task >= chunk_plan_tasks(&plan)) {
        status = usage_error(diag, "--chunk", "expected a number below %" PRIu32 ", found %" PRIu32,
                             chunk_plan_tasks(&plan), task);
    }
    if (status == STATUS_OK) {
        status = study_parse(&study, plan.study, plan.text, strlen(plan.text), &sweep_keys, diag);
        take_allocation(options);
        if (status == STATUS_OK)
            status = run_chunk(&plan, &study, task, options, diag);
        study_release(&study);
    }
    chunk_plan_release(&plan);
    return status;
}

enum status sweep_jobs_merge(const char *folder, struct diag *diag)
{
    uint32_t added = 0;
    enum status status = slurm_sweep_merge(folder, &added, diag);
    if (status == STATUS_OK)
        printf("%s: %" PRIu32 " results merged\n", folder, added);
    return status;
}
