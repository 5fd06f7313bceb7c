#include "run/sampling.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/workers.h"
#include "model/jitter.h"
#include "net/topology/fabric.h"
#include "stats/samples.h"

struct drawing {
    struct sampling *sampling;
    const struct config *config;
    const struct workload *workload;
    const struct group_file *groups;
    const struct sampling_options *options;
    uint32_t next, end; /* of the round */
    uint32_t done;
    struct reply *reply; /* of a worker */
};

/* What a worker sends. */
struct reply {
    enum status status;
    time_ps end_ps;
    char message[512];
    float compute_s[]; /* by rank, if they are kept */
};

static size_t reply_bytes(const struct sampling *sampling)
{
    return sizeof(struct reply) +
           (sampling->keeps_ranks ? sampling->rank_count * sizeof(float) : 0);
}

/* -- in a worker ------------------------------------------------------------------------------- */

static enum status run_once(const struct drawing *drawing, const struct config *config,
                            struct run_result *result, struct diag *diag)
{
    enum status status = simulate(config, drawing->workload, drawing->groups, NULL, result, diag);
    if (status != STATUS_OK && diag->status == STATUS_OK)
        diag_fail(diag, status, "%s", status_help(status));
    return status;
}

static size_t work(void *context, uint64_t task, const void **reply)
{
    struct drawing *drawing = context;
    size_t bytes = reply_bytes(drawing->sampling);
    if (!drawing->reply)
        drawing->reply = calloc(1, bytes);
    struct reply *to = drawing->reply;
    need_memory(to != NULL);
    struct config config = *drawing->config; /* borrows all that it points to */
    struct run_result result;
    struct diag diag = DIAG_NONE;
    config.variation.sample += task;
    result_init(&result);
    to->status = run_once(drawing, &config, &result, &diag);
    to->end_ps = result.end_ps;
    snprintf(to->message, sizeof to->message, "%s", diag.message);
    bool has_ranks = to->status == STATUS_OK && bytes > sizeof *to;
    for (uint32_t r = 0; has_ranks && r < result.rank_count; r++)
        to->compute_s[r] = (float)((double)result_rank(&result, r)->compute_ps / 1e12);
    result_release(&result);
    *reply = to;
    return bytes;
}

/* -- in the master ----------------------------------------------------------------------------- */

static bool next(void *context, uint64_t *task)
{
    struct drawing *drawing = context;
    if (drawing->next == drawing->end)
        return false;
    *task = drawing->next++;
    return true;
}

static enum status done(void *context, uint64_t task, const struct work_outcome *outcome,
                        struct diag *diag)
{
    struct drawing *drawing = context;
    struct sampling *sampling = drawing->sampling;
    const struct reply *reply = outcome->reply;
    uint64_t number = drawing->config->variation.sample + task;
    if (outcome->end != WORK_DONE) /* killed: as a rule because memory ran out */
        return diag_fail(diag, outcome->end == WORK_CRASHED ? STATUS_LAW : STATUS_NO_MEMORY,
                         "sample %llu: %s", (unsigned long long)number, outcome->reason);
    promise(outcome->length == reply_bytes(sampling));
    if (reply->status != STATUS_OK)
        return diag_fail(diag, reply->status, "sample %llu: %s", (unsigned long long)number,
                         reply->message);
    sampling->time_ps[task] = (double)reply->end_ps;
    if (sampling->compute_s)
        memcpy(sampling->compute_s + task * sampling->rank_count, reply->compute_s,
               sampling->rank_count * sizeof(float));
    drawing->done++;
    return STATUS_OK;
}

static void tick(void *context)
{
    const struct drawing *drawing = context;
    if (drawing->options->tick)
        drawing->options->tick(drawing->options->context, drawing->done, drawing->options->most);
}

static enum status run_round(struct drawing *drawing, uint32_t end, struct diag *diag)
{
    static const struct workers_ops ops = {work, next, done, tick};
    struct sampling *sampling = drawing->sampling;
    uint32_t ranks = sampling->rank_count;
    drawing->end = end;
    sampling->time_ps = realloc(sampling->time_ps, end * sizeof *sampling->time_ps);
    need_memory(sampling->time_ps != NULL);
    if (sampling->keeps_ranks) {
        sampling->compute_s =
            realloc(sampling->compute_s, (size_t)end * ranks * sizeof *sampling->compute_s);
        need_memory(sampling->compute_s != NULL);
    }
    uint32_t tasks = end - sampling->count;
    uint32_t workers = drawing->options->workers ? drawing->options->workers : placement_cores();
    const struct workers_options options = {.count = workers < tasks ? workers : tasks};
    enum status status = workers_run(&options, &ops, drawing, diag);
    if (status == STATUS_OK)
        sampling->count = end;
    return status;
}

static bool is_enough(const struct sampling *sampling, double until)
{
    double *sorted = malloc(sampling->count * sizeof *sorted);
    need_memory(sorted != NULL);
    memcpy(sorted, sampling->time_ps, sampling->count * sizeof *sorted);
    samples_sort(sorted, sampling->count);
    struct sample_estimate median = samples_quantile(sorted, sampling->count, 0.5);
    struct sample_estimate late = samples_quantile(sorted, sampling->count, 0.95);
    free(sorted);
    return samples_width(&median) <= until && samples_width(&late) <= until;
}

static uint32_t next_round(uint32_t count, uint32_t most)
{
    uint32_t more = count < SAMPLING_LEAST ? SAMPLING_LEAST : count / 4;
    return more < most - count ? count + more : most;
}

/* The job without what is random, and without anything that varies. */
static enum status run_plain(struct drawing *drawing, struct diag *diag)
{
    struct config config = *drawing->config;
    struct sampling *sampling = drawing->sampling;
    struct run_result result;
    config.variation.form = JITTER_NONE;
    result_init(&result);
    enum status status = run_once(drawing, &config, &result, diag);
    sampling->steady_ps = sampling->plain_ps = result.end_ps;
    result_release(&result);
    if (status != STATUS_OK || !variation_is_on(&config.variation))
        return status;
    config.variation.slow_ranks = config.variation.slow_links = NULL;
    result_init(&result);
    status = run_once(drawing, &config, &result, diag);
    sampling->plain_ps = result.end_ps;
    result_release(&result);
    return status;
}

enum status sampling_run(struct sampling *sampling, const struct config *config,
                         const struct workload *workload, const struct group_file *groups,
                         const struct sampling_options *options, struct diag *diag)
{
    *sampling = (struct sampling){.rank_count = config->network.npu_count};
    struct drawing drawing = {.sampling = sampling,
                              .config = config,
                              .workload = workload,
                              .groups = groups,
                              .options = options};
    bool is_random = variation_is_random(&config->variation);
    sampling->variation = config->variation;
    if (is_random && config->variation.link_ratio > 0 && config->network.fabric)
        sampling->link_count = config->network.fabric->link_count;
    uint32_t most = is_random ? options->most : 1;
    sampling->keeps_ranks = sampling->rank_count <= SAMPLING_RANKS &&
                            (uint64_t)sampling->rank_count * most <= SAMPLING_FIGURES;
    enum status status = run_plain(&drawing, diag);
    sampling->is_converged = !is_random;
    while (status == STATUS_OK && sampling->count < most) {
        status = run_round(&drawing, next_round(sampling->count, most), diag);
        sampling->is_converged = !is_random || (status == STATUS_OK && options->until > 0 &&
                                                is_enough(sampling, options->until));
        if (sampling->is_converged)
            break;
    }
    return status;
}

/* -- what each source costs alone -------------------------------------------------------------- */

/* The numbers of a configuration that vary something, in the order of describe_variation(). */
static uint32_t list_sources(struct variation_config *variation, double **value,
                             struct sampling_source *source)
{
    const struct {
        double *value;
        const char *what;
    } rows[] = {{&variation->op_ratio, "ops"},
                {&variation->rank_ratio, "ranks"},
                {&variation->link_ratio, "links"},
                {&variation->latency_ratio, "latencies"},
                {&variation->start_delay_ns, "late starts"}};
    uint32_t count = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!(*rows[i].value > 0))
            continue;
        bool is_time = rows[i].value == &variation->start_delay_ns;
        snprintf(source[count].what, sizeof source[count].what,
                 is_time ? "%s %.4g us" : "%s %.3g %%", rows[i].what,
                 is_time ? *rows[i].value / 1000 : 100 * *rows[i].value);
        value[count++] = rows[i].value;
    }
    return count;
}

static enum status sample_source(const struct drawing *like, const struct config *config,
                                 uint32_t samples, struct sampling_source *source,
                                 struct diag *diag)
{
    struct sampling sampling = {.rank_count = config->network.npu_count};
    struct drawing drawing = *like;
    drawing.config = config;
    drawing.sampling = &sampling;
    enum status status = run_round(&drawing, samples, diag);
    if (status == STATUS_OK)
        source->mean = samples_mean(sampling.time_ps, samples, NULL);
    sampling_release(&sampling);
    return status;
}

enum status sampling_sources(const struct sampling *sampling, const struct config *config,
                             const struct workload *workload, const struct group_file *groups,
                             const struct sampling_options *options, struct sampling_source *source,
                             uint32_t *count, struct diag *diag)
{
    struct config one = *config;
    struct drawing like = {
        .config = &one, .workload = workload, .groups = groups, .options = options};
    double *value[MOST_SOURCES], kept[MOST_SOURCES];
    uint32_t sources = list_sources(&one.variation, value, source);
    uint32_t samples = sampling->count < SOURCE_SAMPLES ? sampling->count : SOURCE_SAMPLES;
    enum status status = STATUS_OK;
    one.variation.slow_ranks = one.variation.slow_links = NULL;
    *count = sources > 1 && sampling->count > 1 ? sources : 0;
    for (uint32_t i = 0; i < sources; i++) {
        kept[i] = *value[i];
        *value[i] = 0;
    }
    for (uint32_t i = 0; i < *count && status == STATUS_OK; i++) {
        *value[i] = kept[i];
        status = sample_source(&like, &one, samples, &source[i], diag);
        *value[i] = 0;
    }
    return status;
}

void sampling_release(struct sampling *sampling)
{
    free(sampling->time_ps);
    free(sampling->compute_s);
    *sampling = (struct sampling){0};
}
