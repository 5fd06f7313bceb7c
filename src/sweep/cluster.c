#include "sweep/cluster.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/program.h"
#include "sweep/slurm.h"

/* -- the plans --------------------------------------------------------------------------------- */

void cluster_add(struct cluster *cluster, const struct chunk_plan *plan)
{
    struct submission *at =
        realloc(cluster->submission, (cluster->count + 1) * sizeof *cluster->submission);
    need_memory(at != NULL);
    cluster->submission = at;
    at = &cluster->submission[cluster->count++];
    *at = (struct submission){.plan = *plan};
    uint32_t tasks = chunk_plan_tasks(plan);
    at->live = arena_array(&at->plan.arena, tasks, sizeof *at->live);
    at->is_merged = arena_array(&at->plan.arena, tasks, sizeof *at->is_merged);
    at->held = arena_array(&at->plan.arena, tasks, sizeof *at->held);
}

enum status cluster_open_one(struct cluster *cluster, const char *folder, struct diag *diag)
{
    struct chunk_plan plan;
    enum status status = chunk_plan_read(&plan, folder, diag);
    if (status == STATUS_OK)
        cluster_add(cluster, &plan);
    else
        chunk_plan_release(&plan);
    return status;
}

/* A folder without a plan is of a command that was killed before it submitted anything. */
enum status cluster_open(struct cluster *cluster, const char *store, struct diag *diag)
{
    *cluster = (struct cluster){.count = 0};
    uint32_t count = 0;
    enum status status = STATUS_OK;
    snprintf(cluster->folder, sizeof cluster->folder, "%s.slurm", store);
    struct arena arena;
    arena_init(&arena);
    char **name = chunk_submissions(&arena, cluster->folder, &count);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        char folder[CHUNK_PATH + 256], plan[CHUNK_PATH + 272];
        snprintf(folder, sizeof folder, "%s/%s", cluster->folder, name[i]);
        snprintf(plan, sizeof plan, "%s/plan.json", folder);
        if (file_exists(plan))
            status = cluster_open_one(cluster, folder, diag);
        else
            chunk_remove(folder);
    }
    arena_release(&arena);
    return status;
}

void cluster_release(struct cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->count; i++)
        chunk_plan_release(&cluster->submission[i].plan);
    free(cluster->submission);
    *cluster = (struct cluster){.count = 0};
}

/* -- what is still to end ---------------------------------------------------------------------- */

enum status cluster_look(struct cluster *cluster, struct diag *diag)
{
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < cluster->count && status == STATUS_OK; i++) {
        struct submission *at = &cluster->submission[i];
        if (!at->is_gone)
            status = slurm_live(at->plan.jobs, at->live, chunk_plan_tasks(&at->plan),
                                &at->live_count, &at->running, diag);
    }
    return status;
}

uint32_t cluster_live(const struct cluster *cluster, uint32_t *running)
{
    uint32_t live = 0;
    *running = 0;
    for (uint32_t i = 0; i < cluster->count; i++) {
        live += cluster->submission[i].live_count;
        *running += cluster->submission[i].running;
    }
    return live;
}

static bool has_ended(const struct submission *at, uint32_t task)
{
    return !at->is_gone && !at->live[task] && !at->is_merged[task];
}

bool cluster_has_results(const struct cluster *cluster)
{
    for (uint32_t i = 0; i < cluster->count; i++) {
        const struct submission *at = &cluster->submission[i];
        for (uint32_t k = 0; k < chunk_plan_tasks(&at->plan); k++) {
            if (has_ended(at, k))
                return true;
        }
    }
    return false;
}

void cluster_progress(const struct cluster *cluster, struct progress *progress)
{
    char path[CHUNK_PATH];
    for (uint32_t i = 0; i < cluster->count; i++) {
        const struct submission *at = &cluster->submission[i];
        for (uint32_t k = 0; k < chunk_plan_tasks(&at->plan); k++) {
            chunk_file(path, at->plan.folder, k, "progress");
            if (!at->is_merged[k] && !at->is_gone)
                progress_join(progress, path);
        }
    }
}

void cluster_requests(const struct cluster *cluster, struct table *requests)
{
    for (uint32_t i = 0; i < cluster->count; i++) {
        const struct submission *at = &cluster->submission[i];
        for (uint32_t k = 0; k < chunk_plan_tasks(&at->plan); k++) {
            uint32_t first, count = chunk_plan_part(&at->plan, k, &first);
            for (uint32_t p = first; at->live[k] && p < first + count; p++)
                table_put(requests, cluster_key(at->plan.request[p]), 1);
        }
    }
}

/* -- what they have left ----------------------------------------------------------------------- */

/* Rule 3. The file stays for whoever wants to look. */
static void set_aside(const struct cluster *cluster, const char *path, const struct diag *diag)
{
    char to[CHUNK_PATH];
    const char *folder = strrchr(path, '/');
    int n = 0;
    while (folder && n < 1000 &&
           snprintf(to, sizeof to, "%s/damaged-%d.db", cluster->folder, n) < (int)sizeof to &&
           access(to, F_OK) == 0)
        n++;
    fprintf(stderr, "orrery: %s: %s: its points are run again%s%s\n", path, diag->message,
            *cluster->folder ? "; the file is now " : "", *cluster->folder ? to : "");
    if (*cluster->folder)
        rename(path, to);
}

static enum status merge_task(struct cluster *cluster, struct submission *at, uint32_t task,
                              struct store *store, struct diag *diag)
{
    char path[CHUNK_PATH];
    struct store_merged merged;
    struct diag fault = DIAG_NONE;
    chunk_file(path, at->plan.folder, task, "db");
    at->is_merged[task] = true;
    if (!file_exists(path)) /* it never began */
        return STATUS_OK;
    enum status status = store_merge(store, path, &merged, &fault);
    cluster->added += merged.added;
    at->held[task] = merged.held;
    if (status == STATUS_IO && fault.status == STATUS_OK) { /* somebody writes to it after all */
        at->is_merged[task] = false;
        at->live[task] = true;
        at->live_count++;
        return STATUS_OK;
    }
    if (status == STATUS_BAD_INPUT) {
        at->held[task] = 0;
        set_aside(cluster, path, &fault);
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        *diag = fault;
    return status;
}

static uint32_t missing_points(const struct submission *at)
{
    uint32_t held = 0;
    for (uint32_t k = 0; k < chunk_plan_tasks(&at->plan); k++)
        held += at->held[k];
    return at->plan.count - held;
}

/* Somebody else may have brought it home: the merging job, or another command. */
static bool is_removed(const struct submission *at)
{
    char path[CHUNK_PATH + 16];
    snprintf(path, sizeof path, "%s/plan.json", at->plan.folder);
    return !file_exists(path);
}

static enum status merge_submission(struct cluster *cluster, struct submission *at,
                                    struct store *store, struct progress *progress,
                                    struct diag *diag)
{
    char path[CHUNK_PATH];
    enum status status = STATUS_OK;
    if (is_removed(at)) {
        at->is_gone = true;
        at->live_count = 0;
    }
    for (uint32_t k = 0; k < chunk_plan_tasks(&at->plan) && status == STATUS_OK; k++) {
        if (!has_ended(at, k))
            continue;
        status = merge_task(cluster, at, k, store, diag);
        chunk_file(path, at->plan.folder, k, "progress");
        if (progress && at->is_merged[k])
            progress_join(progress, path);
    }
    if (status == STATUS_OK && !at->is_gone && at->live_count == 0 && missing_points(at) == 0) {
        chunk_remove(at->plan.folder);
        at->is_gone = true;
    }
    return status;
}

enum status cluster_merge(struct cluster *cluster, struct store *store, struct progress *progress,
                          struct diag *diag)
{
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < cluster->count && status == STATUS_OK; i++)
        status = merge_submission(cluster, &cluster->submission[i], store, progress, diag);
    return status;
}

enum status cluster_bring_home(struct cluster *cluster, const char *path, struct store **store,
                               struct progress *progress, struct diag *diag)
{
    enum { PATIENCE_S = 60 };
    *store = store_open_alone(path, PATIENCE_S, diag);
    return *store ? cluster_merge(cluster, *store, progress, diag) : diag->status;
}

/* -- what was cut short ------------------------------------------------------------------------ */

/* The last line of a task's log. */
static void last_words(const struct submission *at, uint32_t task, char *to, size_t size)
{
    char path[CHUNK_PATH];
    struct file file;
    struct diag none = DIAG_NONE;
    chunk_file(path, at->plan.folder, task, "log");
    *to = '\0';
    if (file_load(&file, path, 1 << 20, &none) != STATUS_OK)
        return;
    char *text = malloc(file.length + 1);
    need_memory(text != NULL);
    if (file.length)
        memcpy(text, file.bytes, file.length);
    text[file.length] = '\0';
    snprintf(to, size, "%s", program_last_line(text));
    free(text);
    file_release(&file);
}

static void tell_submission(struct submission *at, FILE *out)
{
    enum { MOST = 5 };
    uint32_t told = 0;
    for (uint32_t k = 0; k < chunk_plan_tasks(&at->plan); k++) {
        uint32_t first, count = chunk_plan_part(&at->plan, k, &first);
        char words[200];
        if (at->held[k] >= count || told++ >= MOST)
            continue;
        last_words(at, k, words, sizeof words);
        fprintf(out,
                "orrery: task %" PRIu32 " of %s ended with %" PRIu32 " of %" PRIu32 " points%s%s\n",
                k, at->plan.jobs, at->held[k], count, words[0] ? ": " : "", words);
    }
    if (told > MOST)
        fprintf(out, "orrery: .. and so did %" PRIu32 " more tasks\n", told - MOST);
}

void cluster_tell(struct cluster *cluster, FILE *out)
{
    for (uint32_t i = 0; i < cluster->count; i++) {
        struct submission *at = &cluster->submission[i];
        if (at->is_gone || at->live_count)
            continue;
        cluster->missing += missing_points(at);
        tell_submission(at, out);
        chunk_remove(at->plan.folder);
        at->is_gone = true;
    }
}
