#include "cli/sweep_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/table.h"
#include "cli/kept_traces.h"
#include "cli/sweep_keys.h"
#include "compute/device.h"
#include "model/jitter.h"
#include "run/simulate.h"
#include "run/step_memory.h"
#include "run/step_summary.h"
#include "stats/samples.h"
#include "sweep/points.h"

/* -- a point ----------------------------------------------------------------------------------- */

struct sweep_points {
    const struct study *study;
    struct kept_traces traces;
    struct input_list *inputs; /* told by the observer */
    uint32_t warm[KEPT_TRACES],
        warm_count; /* values of the axis `workload` whose traces were read */
};

struct point {
    struct point_inputs given;
    struct config config;
    struct group_file groups;
    struct work work;
    struct run_result result;
    struct diag diag;
};

static void point_init(struct point *point)
{
    *point = (struct point){.diag = DIAG_NONE};
    point_inputs_init(&point->given);
    config_init(&point->config);
    group_file_init(&point->groups);
    work_init(&point->work);
    result_init(&point->result);
}

static void point_release(struct point *point)
{
    result_release(&point->result);
    work_release(&point->work);
    group_file_release(&point->groups);
    config_release(&point->config);
    point_inputs_release(&point->given);
}

/* -- inputs ------------------------------------------------------------------------------------ */

static void on_loaded(void *context, const char *path, const struct file *file)
{
    struct sweep_points *points = context;
    if (points->inputs)
        input_list_add(points->inputs, "file", path,
                       file ? hash_bytes(file->bytes, file->length, 0) : 0);
}

/* Everything that has a file's name among the point's values. */
static void list_named(void *context, uint32_t place, struct input_list *inputs)
{
    struct sweep_points *points = context;
    struct point *point = malloc(sizeof *point);
    need_memory(point != NULL);
    point_init(point);
    point_inputs_fill(&point->given, points->study, place, &point->diag);
    const char *const named[] = {point->given.inputs.word,      point->given.inputs.cluster,
                                 point->given.inputs.framework, point->given.inputs.system,
                                 point->given.inputs.network,   point->given.inputs.memory,
                                 point->given.inputs.comm_group};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (named[i] && file_exists(named[i]))
            input_list_add(inputs, "file", named[i], input_hash_now("file", named[i]));
    }
    for (uint32_t i = 0; i < point->given.inputs.override_count; i++) {
        const char *text = point->given.inputs.override[i].text;
        if (file_exists(text))
            input_list_add(inputs, "file", text, input_hash_now("file", text));
    }
    point_release(point);
    free(point);
}

/* -- traces ------------------------------------------------------------------------------------ */

/* The work that the point runs: its own, or the kept traces. */
static enum status open_work(struct sweep_points *points, struct point *point,
                             const struct work **work)
{
    *work = &point->work;
    if (point->work.has_spec || point->config.workload.scale_ranks)
        return work_open(&point->work, &point->config, &point->groups, &point->result.notices,
                         &point->diag);
    struct input_list *told = points->inputs;
    points->inputs = NULL; /* one input of all traces, not one a rank */
    const struct kept_set *set = kept_traces_open(&points->traces, &point->config, &point->groups,
                                                  &point->result.notices, &point->diag);
    points->inputs = told;
    if (!set)
        return point->diag.status;
    for (uint32_t i = 0; told && i < set->inputs.count; i++) {
        const struct input_file *file = &set->inputs.file[i];
        input_list_add(told, file->role, file->path, file->hash);
    }
    *work = &set->work;
    return STATUS_OK;
}

/* -- figures ----------------------------------------------------------------------------------- */

static void measure_times(const struct run_result *result, double *value)
{
    double compute = 0, exposed = 0, waiting = 0;
    for (uint32_t r = 0; r < result->rank_count; r++) {
        const struct rank_result *rank = result_rank(result, r);
        compute += (double)rank->compute_ps;
        waiting += (double)rank->waiting_ps;
        for (int kind = 0; kind < COMM_KIND_COUNT; kind++)
            exposed += (double)rank->exposed_ps[kind];
    }
    double to_mean_s = result->rank_count ? 1e-12 / result->rank_count : 0;
    value[MEASURE_TIME] = (double)result->end_ps / 1e12;
    value[MEASURE_DEVICES] = result->rank_count;
    value[MEASURE_COMPUTE] = compute * to_mean_s;
    value[MEASURE_EXPOSED] = exposed * to_mean_s;
    value[MEASURE_WAITING] = waiting * to_mean_s;
    double other = value[MEASURE_TIME] - (compute + exposed + waiting) * to_mean_s;
    value[MEASURE_OTHER] = other > 1e-12 ? other : 0;
    value[MEASURE_BYTES] = result->bytes_sent;
    value[MEASURE_MESSAGES] = (double)result->messages;
    for (uint32_t i = 0; i < result->memory_count; i++)
        value[MEASURE_MEMORY] = fmax(value[MEASURE_MEMORY], (double)result->memory[i].most_bytes);
}

static void measure_step(const struct step_figures *step, time_ps end, double *value)
{
    value[MEASURE_TOKENS_PER_S] = step_tokens_per_s(step, end);
    value[MEASURE_TOKENS_PER_DEVICE] = step_tokens_per_s(step, end) / step->devices;
    if (step->peak_flops > 0)
        value[MEASURE_MFU] = step_mfu(step, end);
    value[MEASURE_MEMORY] = (double)step->memory.worst.total_bytes;
}

static void measure_price(const struct point *point, double *value)
{
    const struct device *device = point->config.system.device;
    double device_s = value[MEASURE_DEVICES] * value[MEASURE_TIME];
    double price = point->config.system.device_price_per_h;
    if (price > 0)
        value[MEASURE_COST] = device_s / 3600 * price;
    if (device && device->power_watts > 0)
        value[MEASURE_ENERGY] = device_s * device->power_watts;
}

static enum status measure(struct point *point, const struct work *work, double *value)
{
    measure_times(&point->result, value);
    measure_price(point, value);
    if (!work->has_job)
        return STATUS_OK;
    const struct step_figures step = step_summary(&work->spec, &point->config);
    measure_step(&step, point->result.end_ps, value);
    return step_memory_check(&step.memory, &point->config, &point->diag);
}

/* -- samples ----------------------------------------------------------------------------------- */

static enum status run_sample(struct point *point, const struct work *work, double *time_s)
{
    struct run_result result;
    result_init(&result);
    enum status status =
        simulate(&point->config, work_load_of(work), &point->groups, NULL, &result, &point->diag);
    *time_s = (double)result.end_ps / 1e12;
    result_release(&result);
    return status;
}

/* The first has run, and is in value[MEASURE_TIME]. */
static enum status run_samples(struct point *point, const struct work *work, double *value)
{
    uint32_t count = point->given.samples;
    if (count == 0)
        return STATUS_OK;
    if (!variation_is_random(&point->config.variation)) {
        diag_fail(&point->diag, STATUS_BAD_CONFIG, "several samples, and nothing random varies");
        diag_hint(&point->diag, "variation.op-jitter: 0.05, variation.rank-jitter: 0.03");
        diag_field(&point->diag, "samples");
        return point->diag.status;
    }
    double *time_s = calloc(count, sizeof *time_s);
    need_memory(time_s != NULL);
    enum status status = STATUS_OK;
    uint64_t first = point->config.variation.sample;
    time_s[0] = value[MEASURE_TIME];
    for (uint32_t i = 1; i < count && status == STATUS_OK; i++) {
        point->config.variation.sample = first + i;
        status = run_sample(point, work, &time_s[i]);
    }
    point->config.variation.sample = first;
    samples_sort(time_s, count);
    value[MEASURE_TIME_P50] = samples_quantile(time_s, count, 0.5).at;
    value[MEASURE_TIME_P95] = samples_quantile(time_s, count, 0.95).at;
    free(time_s);
    return status;
}

/* -- running ----------------------------------------------------------------------------------- */

static enum status configure(struct sweep_points *points, struct point *point, uint32_t place)
{
    enum status status = point_inputs_fill(&point->given, points->study, place, &point->diag);
    if (status == STATUS_OK)
        status = work_configure(&point->work, &point->given.inputs, &point->config, &point->groups,
                                &point->result.notices, &point->diag);
    return status;
}

static enum status run_point(struct sweep_points *points, struct point *point, uint32_t place,
                             double *value)
{
    const struct work *work = NULL;
    enum status status = configure(points, point, place);
    if (status == STATUS_OK)
        status = open_work(points, point, &work);
    if (status == STATUS_OK)
        status = simulate(&point->config, work_load_of(work), &point->groups, NULL, &point->result,
                          &point->diag);
    if (status == STATUS_OK)
        status = measure(point, work, value);
    return status == STATUS_OK ? run_samples(point, work, value) : status;
}

static void say_reason(const struct diag *diag, enum status status, struct point_result *result)
{
    /* A value of a study is no option of the command line. */
    const char *name = status == STATUS_USAGE ? "bad-config" : status_name(status);
    const char *field = strncmp(diag->field, "--", 2) == 0 ? "" : diag->field;
    snprintf(result->state, sizeof result->state, "%s", name);
    if (status != STATUS_OK)
        snprintf(result->reason, sizeof result->reason, "%.120s%s%.80s%s%.180s", diag->file,
                 *diag->file ? ": " : "", field, *field ? ": " : "",
                 *diag->message ? diag->message : status_help(status));
}

static void run(void *context, uint32_t place, struct point_result *result,
                struct input_list *inputs)
{
    struct sweep_points *points = context;
    struct point *point = malloc(sizeof *point);
    need_memory(point != NULL);
    point_init(point);
    const struct file_observer observer = {on_loaded, points};
    points->inputs = inputs;
    file_observe(&observer);
    enum status status = run_point(points, point, place, result->value);
    file_observe(NULL);
    points->inputs = NULL;
    say_reason(&point->diag, status, result);
    point_release(point);
    free(point);
}

static void read_traces(struct sweep_points *points, uint32_t place)
{
    struct point *point = malloc(sizeof *point);
    const struct work *work;
    need_memory(point != NULL);
    point_init(point);
    if (configure(points, point, place) == STATUS_OK && !point->work.has_spec)
        open_work(points, point, &work);
    point_release(point);
    free(point);
}

/* What differs in traces is the axis `workload`, if there is one: each of its values once. */
static void warm(void *context, uint32_t place)
{
    struct sweep_points *points = context;
    const struct study *study = points->study;
    uint32_t axis = 0, value = 0;
    while (axis < study->axis_count && strcmp(study->axis[axis].key, "workload") != 0)
        axis++;
    if (axis < study->axis_count)
        value = points_value(study, place, axis);
    for (uint32_t i = 0; i < points->warm_count; i++) {
        if (points->warm[i] == value)
            return;
    }
    if (points->warm_count == KEPT_TRACES)
        return;
    points->warm[points->warm_count++] = value;
    read_traces(points, place);
}

const struct sweep_ops sweep_point_ops = {run, list_named, warm};

/* -- the study --------------------------------------------------------------------------------- */

struct sweep_points *sweep_points_create(const struct study *study, struct diag *diag)
{
    if (sweep_keys_check(study, diag) != STATUS_OK)
        return NULL;
    struct sweep_points *points = calloc(1, sizeof *points);
    need_memory(points != NULL);
    points->study = study;
    return points;
}

void sweep_points_destroy(struct sweep_points *points)
{
    kept_traces_release(&points->traces);
    free(points);
}
