#include "cli/sweep_keys.h"

#include <string.h>

#include "base/decimal.h"
#include "base/embedded.h"
#include "base/suggest.h"
#include "cli/sweep_let.h"
#include "cli/work.h"
#include "config/places.h"
#include "sweep/points.h"

/* -- keys -------------------------------------------------------------------------------------- */

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

static const char *const other_keys[] = {"topology", "plan", "price", "samples"};

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
    if (strcmp(key, "topology") == 0)
        return setting_find("network.topology");
    return setting_find(strcmp(key, "price") == 0 ? "system.device-price" : key);
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
    if (is_other || find_input_key(key) || setting_of(key) || inputs_is_edit(key) ||
        sweep_let_is_key(key))
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
    fputs(";\n  system.collectives.all-reduce, .., network.dims[0].bandwidth, .. of a `config` or "
          "`cluster`;\n  let.NAME: what {NAME} stands for in any value\n",
          out);
}

/* -- a point as inputs ------------------------------------------------------------------------- */

void point_inputs_init(struct point_inputs *point)
{
    *point = (struct point_inputs){.plan = ""};
    arena_init(&point->arena);
}

void point_inputs_release(struct point_inputs *point)
{
    arena_release(&point->arena);
}

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
static const char *value_of(struct point_inputs *point, const struct study *study, const char *key,
                            const char *text)
{
    if (!is_beside(key, text) || !*study->folder)
        return text;
    size_t size = strlen(study->folder) + strlen(text) + 1;
    char *path = arena_take(&point->arena, size);
    snprintf(path, size, "%s%s", study->folder, text);
    return path;
}

static enum status add_plan(struct point_inputs *point, const char *key, const char *text,
                            struct diag *diag)
{
    size_t length = strlen(point->plan);
    int n = snprintf(point->plan + length, sizeof point->plan - length, "%s%s%s%s",
                     length ? "," : "", key, *key ? "=" : "", text);
    if (n >= (int)(sizeof point->plan - length))
        return diag_fail(diag, STATUS_BAD_CONFIG, "the plan is too long");
    return STATUS_OK;
}

static bool has_axis(const struct study *study, const char *key)
{
    for (uint32_t i = 0; i < study->axis_count; i++) {
        if (strcmp(study->axis[i].key, key) == 0)
            return true;
    }
    return false;
}

static bool has_key(const struct study *study, const char *key)
{
    if (has_axis(study, key))
        return true;
    for (uint32_t i = 0; i < study->base_count; i++) {
        if (strcmp(study->base[i].key, key) == 0)
            return true;
    }
    return false;
}

/* The base's "tp=8,pp=4": what has a key of its own, or is an axis, wins over it. */
static enum status add_base_plan(struct point_inputs *point, const struct study *study,
                                 const char *text, struct diag *diag)
{
    enum status status = STATUS_OK;
    while (*text && status == STATUS_OK) {
        char key[128], one[256];
        size_t length = strcspn(text, ","), name = strcspn(text, "=,");
        while (name && text[name - 1] == ' ')
            name--;
        size_t blank = strspn(text, " ");
        snprintf(key, sizeof key, "plan.%.*s", (int)(name > blank ? name - blank : 0),
                 text + blank);
        int n = snprintf(one, sizeof one, "%.*s", (int)length, text);
        if (n >= (int)sizeof one)
            return diag_fail(diag, STATUS_BAD_CONFIG, "the plan is too long");
        if (!has_key(study, key))
            status = add_plan(point, "", one, diag);
        text += length + (text[length] == ',');
    }
    return status;
}

static enum status take_samples(struct point_inputs *point, const char *text, struct diag *diag)
{
    uint64_t samples;
    if (!decimal_u64(text, strlen(text), &samples) || samples < 1 || samples > POINT_SAMPLES_MOST) {
        diag_fail(diag, STATUS_BAD_CONFIG, "expected 1 to %d samples, found \"%.60s\"",
                  POINT_SAMPLES_MOST, text);
        diag_field(diag, "samples");
        return diag->status;
    }
    point->samples = (uint32_t)samples;
    return STATUS_OK;
}

/* Through the table of options, whose limit a study keeps (sweep_keys_check()). */
static enum status apply(struct point_inputs *point, const struct study *study, const char *key,
                         const char *text, struct diag *diag)
{
    text = value_of(point, study, key, text);
    const struct input_key *input = find_input_key(key);
    if (input) {
        *(const char **)((char *)&point->inputs + input->offset) = text;
        return STATUS_OK;
    }
    if (inputs_is_edit(key)) {
        point->inputs.edit[point->inputs.edit_count++] = (struct own_edit){key, text};
        return STATUS_OK;
    }
    if (plan_key(key))
        return add_plan(point, plan_key(key), text, diag);
    if (strcmp(key, "plan") == 0)
        return add_plan(point, "", text, diag);
    if (sweep_let_is_key(key))
        return STATUS_OK;
    if (strcmp(key, "samples") == 0)
        return take_samples(point, text, diag);
    const struct option option = {.name = key, .setting = setting_of(key)->key};
    return take_setting(&point->inputs, &option, text, diag);
}

enum status point_inputs_fill(struct point_inputs *point, const struct study *study, uint32_t place,
                              struct diag *diag)
{
    uint32_t value[STUDY_AXES];
    points_values(study, place, value);
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < study->base_count && status == STATUS_OK; i++) {
        const struct study_pair *base = &study->base[i];
        const char *text = sweep_let_fill(&point->arena, study, value, base->text);
        if (has_axis(study, base->key))
            continue;
        status = strcmp(base->key, "plan") == 0 ? add_base_plan(point, study, text, diag)
                                                : apply(point, study, base->key, text, diag);
    }
    for (uint32_t i = 0; i < study->axis_count && status == STATUS_OK; i++) {
        const struct axis *axis = &study->axis[i];
        const char *text = sweep_let_fill(&point->arena, study, value, axis->text[value[i]]);
        status = apply(point, study, axis->key, text, diag);
    }
    if (point->plan[0])
        point->inputs.plan = point->plan;
    return status;
}

enum status sweep_keys_check(const struct study *study, struct diag *diag)
{
    uint32_t count = 0, edits = 0;
    bool has_job = false, has_model = false, has_file = false;
    for (uint32_t i = 0; i < study->base_count + study->axis_count; i++) {
        const char *key =
            i < study->base_count ? study->base[i].key : study->axis[i - study->base_count].key;
        count += setting_of(key) != NULL;
        edits += inputs_is_edit(key);
        has_file |= strcmp(key, "config") == 0 || strcmp(key, "cluster") == 0;
        has_model |= strcmp(key, "model") == 0;
        has_job |= strcmp(key, "job") == 0 || strcmp(key, "config") == 0;
    }
    if (count > MOST_OVERRIDES)
        diag_fail(diag, STATUS_BAD_CONFIG, "%u settings: a point can change at most %d", count,
                  MOST_OVERRIDES);
    else if (edits > MOST_EDITS || (edits && !has_file))
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "network.dims and system.collectives are of a `config` or `cluster`, at most %d",
                  MOST_EDITS);
    else if (has_job && has_model)
        diag_fail(diag, STATUS_BAD_CONFIG, "`model` and `job` or `config`: one says what runs");
    else
        sweep_let_check(study, diag);
    if (diag->status != STATUS_OK)
        diag_in(diag, study->path);
    return diag->status;
}
