#include "cli/sweep_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/embedded.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "base/table.h"
#include "cli/work.h"
#include "compute/device.h"
#include "config/places.h"
#include "run/simulate.h"
#include "run/step_memory.h"
#include "run/step_summary.h"
#include "sweep/points.h"
#include "sweep/quantity.h"

enum { PLAN_TEXT = 1024 };

/* -- keys ---------------------------------------------------------------------------------------- */

#define INPUT(name, member, path)                                                                  \
    {                                                                                              \
        name, offsetof(struct inputs, member), path                                                \
    }

enum path_kind { NO_PATH, MAYBE_PATH, ALWAYS_PATH };

/* Keys that are a member of struct inputs. */
static const struct input_key {
    const char *key;
    size_t offset;
    enum path_kind path;
} input_keys[] = {
    INPUT("job", word, MAYBE_PATH),
    INPUT("model", word, MAYBE_PATH),
    INPUT("config", word, ALWAYS_PATH),
    INPUT("cluster", cluster, MAYBE_PATH),
    INPUT("framework", framework, MAYBE_PATH),
    INPUT("workload", workload, ALWAYS_PATH),
    INPUT("system-file", system, ALWAYS_PATH),
    INPUT("network-file", network, ALWAYS_PATH),
    INPUT("memory-file", memory, ALWAYS_PATH),
    INPUT("injection-scale", injection_scale, NO_PATH),
    INPUT("comm-groups", comm_group, ALWAYS_PATH),
};

enum { INPUT_KEY_COUNT = sizeof input_keys / sizeof *input_keys };

static const char *const other_keys[] = {"topology", "plan", "price"};

enum { OTHER_KEY_COUNT = sizeof other_keys / sizeof *other_keys };

static const struct input_key *find_input_key(const char *key)
{
    for (int i = 0; i < INPUT_KEY_COUNT; i++) {
        if (strcmp(input_keys[i].key, key) == 0)
            return &input_keys[i];
    }
    return NULL;
}

static const struct setting *setting_of(const char *key)
{
    return setting_find(strcmp(key, "topology") == 0 ? "network.topology" : key);
}

static const char *plan_key(const char *key)
{
    return strncmp(key, "plan.", 5) == 0 ? key + 5 : NULL;
}

/* Only whether there is such a key: its values are for the points. */
static enum status check_plan_key(const char *key, struct diag *diag)
{
    struct job_spec spec;
    char text[160];
    struct diag found = DIAG_NONE;
    job_spec_init(&spec);
    snprintf(text, sizeof text, "%.100s=1", key);
    enum status status = job_spec_override(&spec, text, &found);
    job_spec_release(&spec);
    if (status == STATUS_OK || strncmp(found.message, "unknown key", 11) != 0)
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG, "there is no key %.100s in a plan", key);
    diag_hint(diag, "%s", found.hint);
    return STATUS_BAD_CONFIG;
}

static void list_keys(const char **known)
{
    size_t n = 0;
    for (int i = 0; i < INPUT_KEY_COUNT; i++)
        known[n++] = input_keys[i].key;
    for (int i = 0; i < OTHER_KEY_COUNT; i++)
        known[n++] = other_keys[i];
    for (const struct setting *setting = settings; setting->key; setting++)
        known[n++] = setting->key;
    known[n] = NULL;
}

static enum status check_key(const void *context, const char *key, struct diag *diag)
{
    (void)context;
    if (plan_key(key))
        return check_plan_key(plan_key(key), diag);
    bool is_other = false;
    for (int i = 0; i < OTHER_KEY_COUNT; i++)
        is_other |= strcmp(other_keys[i], key) == 0;
    if (is_other || find_input_key(key) || setting_of(key))
        return STATUS_OK;
    const char *known[256];
    list_keys(known);
    diag_fail(diag, STATUS_BAD_CONFIG, "there is no key \"%.80s\" for a study", key);
    const char *nearest = suggest_nearest(key, known);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(diag, "orrery sweep --help lists them");
    return STATUS_BAD_CONFIG;
}

const struct study_keys sweep_keys = {check_key, NULL};

void sweep_print_keys(FILE *out)
{
    const char *known[256];
    list_keys(known);
    fputs("\nKeys of base and axes: plan.KEY (train_plan.h)", out);
    uint32_t width = 100;
    for (const char **key = known; *key; key++) {
        uint32_t length = (uint32_t)strlen(*key) + 2;
        fprintf(out, width + length > 98 ? ",\n  %s" : ", %s", *key);
        width = width + length > 98 ? length : width + length;
    }
    fputc('\n', out);
}

/* -- a point as inputs --------------------------------------------------------------------------- */

struct sweep_points {
    const struct study *study;
    struct work traces; /* of the last point that had any */
    struct group_file groups;
    struct input_list trace_inputs;
    uint64_t trace_key;        /* 0: none */
    struct input_list *inputs; /* told by the observer */
};

struct point {
    struct inputs inputs;
    struct arena arena;
    double price;
    char plan[PLAN_TEXT];
    struct config config;
    struct group_file groups;
    struct work work;
    struct run_result result;
    struct diag diag;
};

static bool is_beside(const char *key, const char *text)
{
    const struct input_key *input = find_input_key(key);
    if (text[0] == '/')
        return false;
    if (input)
        return input->path == ALWAYS_PATH ||
               (input->path == MAYBE_PATH && embedded_is_path(text) && !strchr(text, ':'));
    const struct setting *setting = setting_of(key);
    return setting && (setting->type == SETTING_PATH ||
                       (setting->type == SETTING_NAME_OR_PATH && is_topology_path(text)));
}

/* The value as the run takes it: paths from the study's folder. */
static const char *value_of(struct point *point, const struct study *study, const char *key,
                            const char *text)
{
    if (!is_beside(key, text) || !*study->folder)
        return text;
    size_t size = strlen(study->folder) + strlen(text) + 1;
    char *path = arena_take(&point->arena, size);
    snprintf(path, size, "%s%s", study->folder, text);
    return path;
}

static enum status add_plan(struct point *point, const char *key, const char *text)
{
    size_t length = strlen(point->plan);
    int n = snprintf(point->plan + length, sizeof point->plan - length, "%s%s%s%s",
                     length ? "," : "", key, *key ? "=" : "", text);
    if (n >= (int)(sizeof point->plan - length))
        return diag_fail(&point->diag, STATUS_BAD_CONFIG, "the plan is too long");
    return STATUS_OK;
}

/* Through the table of options, whose limit a study keeps (sweep_points_create()). */
static enum status apply(struct point *point, const struct study *study, const char *key,
                         const char *text)
{
    text = value_of(point, study, key, text);
    const struct input_key *input = find_input_key(key);
    if (input) {
        *(const char **)((char *)&point->inputs + input->offset) = text;
        return STATUS_OK;
    }
    if (plan_key(key))
        return add_plan(point, plan_key(key), text);
    if (strcmp(key, "plan") == 0)
        return add_plan(point, "", text);
    if (strcmp(key, "price") == 0) {
        if (quantity_parse(text, &point->price) && point->price >= 0)
            return STATUS_OK;
        diag_field(&point->diag, "price");
        return diag_fail(&point->diag, STATUS_BAD_CONFIG,
                         "expected $ per device and hour, found \"%.60s\"", text);
    }
    const struct option option = {.name = key, .setting = setting_of(key)->key};
    return take_setting(&point->inputs, &option, text, &point->diag);
}

static bool has_axis(const struct study *study, const char *key)
{
    for (uint32_t i = 0; i < study->axis_count; i++) {
        if (strcmp(study->axis[i].key, key) == 0)
            return true;
    }
    return false;
}

static enum status fill_inputs(struct point *point, const struct study *study, uint32_t place)
{
    uint32_t value[STUDY_AXES];
    points_values(study, place, value);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < study->base_count && status == STATUS_OK; i++) {
        if (!has_axis(study, study->base[i].key))
            status = apply(point, study, study->base[i].key, study->base[i].text);
    }
    for (uint32_t i = 0; i < study->axis_count && status == STATUS_OK; i++)
        status = apply(point, study, study->axis[i].key, study->axis[i].text[value[i]]);
    if (point->plan[0])
        point->inputs.plan = point->plan;
    return status;
}

static void point_init(struct point *point)
{
    *point = (struct point){.price = NAN, .diag = DIAG_NONE};
    arena_init(&point->arena);
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
    arena_release(&point->arena);
}

/* -- inputs -------------------------------------------------------------------------------------- */

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
    fill_inputs(point, points->study, place);
    const char *const named[] = {
        point->inputs.word,    point->inputs.cluster, point->inputs.framework, point->inputs.system,
        point->inputs.network, point->inputs.memory,  point->inputs.comm_group};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (named[i] && file_exists(named[i]))
            input_list_add(inputs, "file", named[i], input_hash_now("file", named[i]));
    }
    for (uint32_t i = 0; i < point->inputs.override_count; i++) {
        const char *text = point->inputs.override[i].text;
        if (file_exists(text))
            input_list_add(inputs, "file", text, input_hash_now("file", text));
    }
    point_release(point);
    free(point);
}

/* -- traces -------------------------------------------------------------------------------------- */

/* What decides which traces are read, and how. */
static uint64_t trace_key(const struct config *config)
{
    const struct workload_config *w = &config->workload;
    const char *const texts[] = {w->prefix, w->comm_group, w->scale_groups};
    const uint64_t numbers[] = {
        w->replicate,    w->ignore_extra,         w->allow_empty,
        w->deps,         w->scale_ranks,          w->passes,
        w->break_cycles, w->drop_missing_parents, config->network.npu_count};
    uint64_t key = hash_bytes(numbers, sizeof numbers, 1);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        key = hash_bytes(texts[i] ? texts[i] : "", texts[i] ? strlen(texts[i]) + 1 : 0, key);
    return key | 1;
}

static void forget_traces(struct sweep_points *points)
{
    if (points->trace_key)
        work_release(&points->traces);
    points->trace_key = 0;
    points->trace_inputs.count = 0;
}

/* Scaled traces have groups of their own, which go with the point: they are not kept. */
static enum status open_traces(struct sweep_points *points, struct point *point)
{
    const struct config *config = &point->config;
    uint64_t key = trace_key(config);
    if (points->trace_key == key)
        return STATUS_OK;
    forget_traces(points);
    work_init(&points->traces);
    enum status status =
        work_open(&points->traces, config, &point->groups, &point->result.notices, &point->diag);
    if (status == STATUS_OK && config->workload.prefix)
        input_list_add(&points->trace_inputs, "traces", config->workload.prefix,
                       input_hash_now("traces", config->workload.prefix));
    if (status == STATUS_OK)
        points->trace_key = key;
    else
        work_release(&points->traces);
    return status;
}

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
    enum status status = open_traces(points, point);
    points->inputs = told;
    for (uint32_t i = 0; told && i < points->trace_inputs.count; i++) {
        const struct input_file *file = &points->trace_inputs.file[i];
        input_list_add(told, file->role, file->path, file->hash);
    }
    *work = &points->traces;
    return status;
}

/* -- figures ------------------------------------------------------------------------------------- */

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
    value[MEASURE_COST] = device_s / 3600 * point->price;
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

/* -- running ------------------------------------------------------------------------------------- */

static enum status configure(struct sweep_points *points, struct point *point, uint32_t place)
{
    enum status status = fill_inputs(point, points->study, place);
    if (status == STATUS_OK)
        status = work_configure(&point->work, &point->inputs, &point->config, &point->groups,
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
    return status == STATUS_OK ? measure(point, work, value) : status;
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

const struct sweep_ops sweep_point_ops = {run, list_named};

/* -- the study ----------------------------------------------------------------------------------- */

static enum status check_study(const struct study *study, struct diag *diag)
{
    uint32_t count = 0;
    bool has_job = false, has_model = false;
    for (uint32_t i = 0; i < study->base_count + study->axis_count; i++) {
        const char *key =
            i < study->base_count ? study->base[i].key : study->axis[i - study->base_count].key;
        count += setting_of(key) != NULL;
        has_model |= strcmp(key, "model") == 0;
        has_job |= strcmp(key, "job") == 0 || strcmp(key, "config") == 0;
    }
    if (count > MOST_OVERRIDES)
        diag_fail(diag, STATUS_BAD_CONFIG, "%u settings: a point can change at most %d", count,
                  MOST_OVERRIDES);
    else if (has_job && has_model)
        diag_fail(diag, STATUS_BAD_CONFIG, "`model` and `job` or `config`: one says what runs");
    if (diag->status != STATUS_OK)
        diag_in(diag, study->path);
    return diag->status;
}

struct sweep_points *sweep_points_create(const struct study *study, struct diag *diag)
{
    if (check_study(study, diag) != STATUS_OK)
        return NULL;
    struct sweep_points *points = calloc(1, sizeof *points);
    need_memory(points != NULL);
    points->study = study;
    return points;
}

void sweep_points_destroy(struct sweep_points *points)
{
    forget_traces(points);
    input_list_release(&points->trace_inputs);
    free(points);
}

void sweep_points_warm(struct sweep_points *points, uint32_t place)
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
