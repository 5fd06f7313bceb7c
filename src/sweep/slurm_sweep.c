#define _XOPEN_SOURCE 700 /* realpath() */

#include "sweep/slurm_sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mix.h"
#include "sweep/sweep_parts.h"

/* -- scripts ----------------------------------------------------------------------------------- */

/* 'text', for a shell. */
static void put_quoted(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    }
    fputc('\'', out);
}

/* `words` stand between the program's name and the folder. */
static enum status write_script(const char *path, const char *folder, const char *words,
                                const char *after, struct diag *diag)
{
    char program[CHUNK_PATH];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    struct out_file out;
    if (length <= 0)
        return diag_fail(diag, STATUS_IO, "the path of this program is not known");
    program[length] = '\0';
    enum status status = out_file_open(&out, path, diag);
    if (status != STATUS_OK)
        return status;
    fputs("#!/bin/sh\n# written by orrery sweep --engine slurm\n[ -d ", out.stream);
    put_quoted(out.stream, folder);
    fputs(" ] || exit 0\nexec ", out.stream);
    put_quoted(out.stream, program);
    fprintf(out.stream, " sweep %s ", words);
    put_quoted(out.stream, folder);
    fprintf(out.stream, "%s%s\n", *after ? " " : "", after);
    return out_file_commit(&out, diag);
}

/* -- submitting -------------------------------------------------------------------------------- */

/* "orrery-STUDY-9f3c21aa": letters that no shell and no Slurm mind, and a number by chance. */
static void name_jobs(char to[96], const struct study *study, const char *store)
{
    const char *name = strrchr(study->path, '/');
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    name = name ? name + 1 : study->path;
    uint64_t chance = hash_bytes(store, strlen(store), (uint64_t)getpid());
    chance = mix64(chance ^ (uint64_t)now.tv_sec * 1000000007u ^ (uint64_t)now.tv_nsec);
    int length = (int)strcspn(name, ".");
    snprintf(to, 96, CHUNK_JOBS "%.*s-%08" PRIx32, length < 40 ? length : 40, name,
             (uint32_t)chance);
    for (char *at = to; *at; at++) {
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", *at))
            *at = '_';
    }
}

static enum status make_folder(const char *path, struct diag *diag)
{
    if (mkdir(path, 0777) == 0 || errno == EEXIST)
        return STATUS_OK;
    diag_fail(diag, STATUS_IO, "the folder of the jobs cannot be made: %s", strerror(errno));
    diag_in(diag, path);
    diag_hint(diag, "it stands beside the store: --store FILE names another place");
    return STATUS_IO;
}

/* A path that stays right in another folder; the last part need not exist. */
static const char *absolute(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char folder[CHUNK_PATH], full[2 * CHUNK_PATH];
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(name - path) : 1, slash ? path : ".");
    char *real = realpath(folder, NULL);
    snprintf(full, sizeof full, "%s/%s", real && strcmp(real, "/") != 0 ? real : "", name);
    free(real);
    return arena_text(arena, full, strlen(full));
}

static enum status choose_chunk(const struct sweep *sweep, const struct slurm_options *slurm,
                                uint32_t *chunk, struct diag *diag)
{
    uint32_t least = (sweep->todo_count + CHUNK_TASKS - 1) / CHUNK_TASKS;
    *chunk = slurm->chunk_points ? slurm->chunk_points : CHUNK_POINTS;
    if (*chunk >= least)
        return STATUS_OK;
    *chunk = least;
    if (!slurm->chunk_points)
        return STATUS_OK;
    diag_fail(diag, STATUS_USAGE, "%" PRIu32 " points are more than %d tasks of %" PRIu32,
              sweep->todo_count, CHUNK_TASKS, slurm->chunk_points);
    diag_field(diag, "--chunk-points");
    diag_hint(diag, "--chunk-points %" PRIu32 " or more", least);
    return STATUS_USAGE;
}

/* The plan of what is to do, in a folder of its own. */
static enum status make_plan(const struct sweep *sweep, const struct cluster *cluster,
                             const struct slurm_options *slurm, struct chunk_plan *plan,
                             struct diag *diag)
{
    char folder[CHUNK_PATH + 112], jobs[96];
    const char *store = absolute(&plan->arena, sweep->options->store);
    name_jobs(jobs, sweep->study, store);
    snprintf(folder, sizeof folder, "%s.slurm/%s", store, jobs);
    plan->folder = arena_text(&plan->arena, folder, strlen(folder));
    plan->jobs = arena_text(&plan->arena, jobs, strlen(jobs));
    plan->program = sweep->options->program;
    plan->study = sweep->study->path;
    plan->text = sweep->study->text;
    plan->store = store;
    plan->count = sweep->todo_count;
    plan->ordinal = sweep->todo;
    plan->request = arena_array(&plan->arena, plan->count, sizeof *plan->request);
    for (uint32_t i = 0; i < plan->count; i++)
        plan->request[i] = sweep->request[plan->ordinal[i]];
    enum status status = choose_chunk(sweep, slurm, &plan->chunk_points, diag);
    if (status == STATUS_OK)
        status = make_folder(cluster->folder, diag);
    if (status == STATUS_OK)
        status = make_folder(plan->folder, diag);
    return status == STATUS_OK ? chunk_plan_write(plan, diag) : status;
}

/* The job that merges is a convenience: without it the next command does. */
static void submit_merging(const struct chunk_plan *plan, const struct slurm_options *slurm,
                           struct slurm_report *report)
{
    char script[CHUNK_PATH + 16], log[CHUNK_PATH + 16], name[112];
    struct diag diag = DIAG_NONE;
    snprintf(script, sizeof script, "%s/merge.sh", plan->folder);
    snprintf(log, sizeof log, "%s.slurm/merge.log", plan->store);
    snprintf(name, sizeof name, "%s-merge", plan->jobs);
    const struct slurm_job job = {.name = name,
                                  .script = script,
                                  .log = log,
                                  .after = report->array,
                                  .option = slurm->option};
    enum status status = write_script(script, plan->folder, "--merge", "", &diag);
    if (status == STATUS_OK)
        status = slurm_submit(&job, report->merging, &diag);
    if (status != STATUS_OK)
        snprintf(report->fault, sizeof report->fault, "%.300s", diag.message);
}

static enum status submit_plan(const struct chunk_plan *plan, const struct slurm_options *slurm,
                               struct slurm_report *report, struct diag *diag)
{
    char script[CHUNK_PATH + 16], log[CHUNK_PATH + 16];
    snprintf(script, sizeof script, "%s/task.sh", plan->folder);
    snprintf(log, sizeof log, "%s/%%a.log", plan->folder);
    const struct slurm_job job = {.name = plan->jobs,
                                  .script = script,
                                  .log = log,
                                  .tasks = chunk_plan_tasks(plan),
                                  .cpus = slurm->cpus,
                                  .option = slurm->option};
    enum status status = write_script(script, plan->folder, "--chunk \"$SLURM_ARRAY_TASK_ID\"",
                                      slurm->task_options, diag);
    if (status == STATUS_OK)
        status = slurm_submit(&job, report->array, diag);
    if (status != STATUS_OK)
        return status;
    report->submitted = plan->count;
    report->tasks = job.tasks;
    snprintf(report->jobs, sizeof report->jobs, "%s", plan->jobs);
    submit_merging(plan, slurm, report);
    return STATUS_OK;
}

static enum status submit_rest(const struct sweep *sweep, const struct cluster *cluster,
                               const struct slurm_options *slurm, struct slurm_report *report,
                               struct diag *diag)
{
    struct chunk_plan plan = {.folder = NULL};
    arena_init(&plan.arena);
    enum status status = make_plan(sweep, cluster, slurm, &plan, diag);
    if (status == STATUS_OK)
        status = submit_plan(&plan, slurm, report, diag);
    if (status != STATUS_OK && plan.folder) {
        chunk_remove(plan.folder);
        rmdir(cluster->folder); /* if nothing else is there */
    }
    chunk_plan_release(&plan);
    return status;
}

/* Points that tasks of earlier commands will bring are not submitted again. */
static uint32_t leave_waiting(struct sweep *sweep, const struct cluster *cluster)
{
    struct table requests;
    uint32_t kept = 0, count = sweep->todo_count;
    table_init(&requests);
    cluster_requests(cluster, &requests);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = cluster_key(sweep->request[sweep->todo[i]]);
        if (table_find(&requests, key) == TABLE_NONE)
            sweep->todo[kept++] = sweep->todo[i];
    }
    table_release(&requests);
    sweep->todo_count = kept;
    return count - kept;
}

static void name_waiting(const struct cluster *cluster, char *to, size_t size)
{
    for (uint32_t i = 0; i < cluster->count; i++) {
        const struct submission *at = &cluster->submission[i];
        if (at->live_count)
            snprintf(to, size, "%s", at->plan.jobs);
    }
}

static enum status submit(struct sweep *sweep, struct cluster *cluster,
                          const struct slurm_options *slurm, struct slurm_report *report,
                          struct diag *diag)
{
    enum status status = sweep_prepare(sweep, diag);
    if (status == STATUS_OK)
        status = cluster_open(cluster, sweep->options->store, diag);
    if (status == STATUS_OK)
        status = cluster_look(cluster, diag);
    if (status == STATUS_OK)
        status = cluster_bring_home(cluster, sweep->options->store, &sweep->store, NULL, diag);
    if (status == STATUS_OK)
        status = store_set_study(sweep->store, sweep->study, &sweep->points, sweep->request,
                                 sweep->options->program, diag);
    if (status != STATUS_OK)
        return status;
    cluster_tell(cluster, stderr);
    report->added = cluster->added;
    sweep_ask_store(sweep);
    report->waiting = leave_waiting(sweep, cluster);
    name_waiting(cluster, report->jobs, sizeof report->jobs);
    return sweep->todo_count ? submit_rest(sweep, cluster, slurm, report, diag) : STATUS_OK;
}

enum status slurm_sweep_submit(const struct study *study, const struct sweep_options *options,
                               const struct slurm_options *slurm, struct progress *progress,
                               struct slurm_report *report, struct diag *diag)
{
    struct sweep sweep = {.study = study, .options = options, .progress = progress};
    struct cluster cluster = {.count = 0};
    *report = (struct slurm_report){.added = 0};
    *progress = (struct progress){.total = 0};
    enum status status = slurm_check(diag);
    if (status == STATUS_OK)
        status = slurm_check_options(slurm->option, diag);
    if (status == STATUS_OK) {
        status = submit(&sweep, &cluster, slurm, report, diag);
        cluster_release(&cluster);
        sweep_release(&sweep);
    }
    return status;
}
