/* Following the jobs of a study to their end, and what the last one does. */
#include <inttypes.h>
#include <string.h>

#include "base/watch.h"
#include "sweep/slurm_sweep.h"
#include "sweep/sweep_parts.h"

/* -- waiting ----------------------------------------------------------------------------------- */

static void show(struct progress *progress, const struct cluster *cluster)
{
    uint32_t running = 0, live = cluster_live(cluster, &running);
    struct progress now = *progress;
    cluster_progress(cluster, &now);
    snprintf(now.more, sizeof now.more, "tasks: %" PRIu32 " run, %" PRIu32 " wait", running,
             live - running);
    progress_tick(&now, false);
    progress->shown_s = now.shown_s;
    progress->line_is_shown = now.line_is_shown;
}

/* The cluster's controller may be away for some minutes. */
static enum status look(struct cluster *cluster, uint32_t *faults, struct diag *diag)
{
    enum { MOST_FAULTS = 30 };
    struct diag fault = DIAG_NONE;
    enum status status = cluster_look(cluster, &fault);
    *faults = status == STATUS_OK ? 0 : *faults + 1;
    if (status == STATUS_OK || *faults < MOST_FAULTS)
        return STATUS_OK;
    *diag = fault;
    return status;
}

/* While jobs are waited for the store is closed. */
static enum status bring_home(struct sweep *sweep, struct cluster *cluster,
                              struct progress *progress, struct diag *diag)
{
    enum status status =
        cluster_bring_home(cluster, sweep->options->store, &sweep->store, progress, diag);
    store_close(sweep->store);
    sweep->store = NULL;
    return status;
}

static enum status follow(struct sweep *sweep, struct cluster *cluster, struct progress *progress,
                          struct diag *diag)
{
    enum status status = STATUS_OK;
    uint32_t faults = 0, running;
    double pause_s = 0.5;
    if (cluster_has_results(cluster)) /* of tasks that ended before: they are counted */
        status = bring_home(sweep, cluster, NULL, diag);
    while (status == STATUS_OK && cluster_live(cluster, &running) + faults) {
        show(progress, cluster);
        if (!watch_pause(pause_s))
            return diag_fail(diag, STATUS_INTERRUPTED, "stopped by a signal; the jobs go on");
        pause_s = pause_s < 8 ? pause_s * 1.2 : 10;
        status = look(cluster, &faults, diag);
        if (status != STATUS_OK || faults || !cluster_has_results(cluster))
            continue;
        status = bring_home(sweep, cluster, progress, diag);
    }
    return status;
}

/* Figures of the whole study, from the store. */
static enum status finish(struct sweep *sweep, struct cluster *cluster, struct progress *progress,
                          struct diag *diag)
{
    uint32_t before = progress->stored;
    enum status status =
        cluster_bring_home(cluster, sweep->options->store, &sweep->store, NULL, diag);
    if (status != STATUS_OK)
        return status;
    cluster_tell(cluster, stderr);
    progress->stored = progress->ran = progress->failed = 0;
    progress->has_best = false;
    sweep_count_ended(sweep);
    progress->ran = progress->stored > before ? progress->stored - before : 0;
    progress->stored -= progress->ran;
    if (!cluster->missing)
        return STATUS_OK;
    diag_fail(diag, STATUS_INTERRUPTED,
              "%" PRIu32 " points have no result: their tasks were cut short", cluster->missing);
    diag_hint(diag, "the same command submits them again");
    return STATUS_INTERRUPTED;
}

enum status slurm_sweep_wait(const struct study *study, const struct sweep_options *options,
                             struct progress *progress, struct diag *diag)
{
    struct progress scratch;
    struct sweep sweep = {.study = study, .options = options, .progress = &scratch};
    struct cluster cluster = {.count = 0};
    enum status status = sweep_prepare(&sweep, diag);
    watch_hold(true);
    if (status == STATUS_OK)
        status = cluster_open(&cluster, options->store, diag);
    if (status == STATUS_OK)
        status = cluster_look(&cluster, diag);
    if (status == STATUS_OK)
        status = follow(&sweep, &cluster, progress, diag);
    progress_clear(progress);
    sweep.progress = progress;
    if (status == STATUS_OK)
        status = finish(&sweep, &cluster, progress, diag);
    watch_hold(false);
    cluster_release(&cluster);
    sweep_release(&sweep);
    return status;
}

/* -- the last job ------------------------------------------------------------------------------ */

enum status slurm_sweep_merge(const char *folder, uint32_t *added, struct diag *diag)
{
    struct cluster cluster = {.count = 0};
    *added = 0;
    enum status status = cluster_open_one(&cluster, folder, diag);
    if (status == STATUS_OK) {
        struct store *store = NULL;
        status = cluster_bring_home(&cluster, cluster.submission->plan.store, &store, NULL, diag);
        store_close(store);
        *added = cluster.added;
    }
    cluster_release(&cluster);
    return status;
}
