#include "cli/inputs.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/embedded.h"
#include "base/file.h"
#include "base/suggest.h"
#include "base/table.h"
#include "compute/resolve.h"
#include "config/astra_config.h"
#include "config/names.h"
#include "config/own_config.h"
#include "model/jitter.h"
#include "net/collective/msccl.h"
#include "net/topology/resolve.h"
#include "workloads/chakra/chakra.h"

enum status take_setting(void *to, const struct option *option, const char *value,
                         struct diag *diag)
{
    struct inputs *inputs = to;
    const char *text = option->fixed ? option->fixed : value ? value : "true";
    const struct setting *setting = setting_find(option->setting);
    promise(setting != NULL);
    uint32_t i = 0;
    while (i < inputs->override_count && inputs->override[i].setting != setting)
        i++;
    if (i == MOST_OVERRIDES)
        return usage_error(diag, option->name, "at most %d settings can be given", MOST_OVERRIDES);
    inputs->override[i] = (struct override){setting, option->name, text};
    if (i == inputs->override_count)
        inputs->override_count++;
    return STATUS_OK;
}

/* -- --set ----------------------------------------------------------------------------------- */

bool inputs_is_edit(const char *key)
{
    static const char dims[] = "network.dims[", collectives[] = "system.collectives.";
    size_t length = sizeof collectives - 1;
    if (strncmp(key, collectives, length) == 0)
        return doc_is_one_of(key + length, slot_names);
    return strncmp(key, dims, sizeof dims - 1) == 0;
}

static enum status unknown_key(const char *key, struct diag *diag)
{
    const char *known[256];
    size_t count = 0;
    for (const struct setting *setting = settings; setting->key; setting++) {
        promise(count + 1 < sizeof known / sizeof *known);
        known[count++] = setting->key;
    }
    known[count] = NULL;
    usage_error(diag, "--set", "there is no setting \"%.80s\"", key);
    const char *nearest = suggest_nearest(key, known);
    if (nearest)
        diag_hint(diag, "did you mean \"%s\"?", nearest);
    else
        diag_hint(diag, "orrery list settings names them");
    return STATUS_USAGE;
}

static enum status add_edit(struct inputs *inputs, const char *key, const char *text,
                            struct diag *diag)
{
    uint32_t i = 0;
    while (i < inputs->edit_count && strcmp(inputs->edit[i].path, key) != 0)
        i++;
    if (i == MOST_EDITS)
        return usage_error(diag, "--set", "at most %d places can be given", MOST_EDITS);
    snprintf(inputs->edit_path[i], EDIT_PATH, "%s", key);
    inputs->edit[i] = (struct own_edit){inputs->edit_path[i], text};
    if (i == inputs->edit_count)
        inputs->edit_count++;
    return STATUS_OK;
}

enum status take_set(void *to, const struct option *option, const char *value, struct diag *diag)
{
    char key[EDIT_PATH];
    size_t length = strcspn(value, "=");
    if (!value[length] || !length || !value[length + 1] || length >= sizeof key)
        return usage_error(diag, option->name, "expected KEY=VALUE, found \"%.60s\"", value);
    memcpy(key, value, length);
    key[length] = '\0';
    if (inputs_is_edit(key))
        return add_edit(to, key, value + length + 1, diag);
    const struct setting *setting = setting_find(key);
    if (!setting)
        return unknown_key(key, diag);
    const struct option as = {.name = setting->key, .setting = setting->key};
    return take_setting(to, &as, value + length + 1, diag);
}

enum status take_ignored(void *to, const struct option *option, const char *value,
                         struct diag *diag)
{
    (void)value;
    (void)diag;
    struct inputs *inputs = to;
    for (uint32_t i = 0; i < inputs->ignored_count; i++) {
        if (inputs->ignored[i] == option->name)
            return STATUS_OK;
    }
    promise(inputs->ignored_count < MOST_IGNORED);
    inputs->ignored[inputs->ignored_count++] = option->name;
    return STATUS_OK;
}

enum status take_input_word(void *to, const char *text, struct diag *diag)
{
    struct inputs *inputs = to;
    if (inputs->word) {
        usage_error(diag, NULL, "one configuration file is accepted, found \"%.80s\" and \"%.80s\"",
                    inputs->word, text);
        return STATUS_USAGE;
    }
    inputs->word = text;
    return STATUS_OK;
}

/* -- which files ----------------------------------------------------------------------------- */

static enum status check_mix(const struct inputs *inputs, struct diag *diag)
{
    const struct {
        const char *option, *value;
    } files[] = {{"--network", inputs->network},
                 {"--system", inputs->system},
                 {"--remote-memory", inputs->memory},
                 {"--injection-scale", inputs->injection_scale}};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *file = inputs->cluster ? inputs->cluster : inputs->word;
        if (!file || !files[i].value)
            continue;
        usage_error(diag, files[i].option, "cannot be combined with the configuration file %.200s",
                    file);
        diag_hint(diag, "give either one file in our form, or ASTRA-sim's files by options");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

static enum status check_given(const struct inputs *inputs, struct diag *diag)
{
    if (inputs->edit_count)
        return usage_error(diag, "--set",
                           "%.80s is a place of a file in our form, and none is given",
                           inputs->edit[0].path);
    const struct {
        const char *option, *argument, *value;
    } needed[] = {{"--workload", "PREFIX", inputs->workload},
                  {"--network", "FILE", inputs->network},
                  {"--system", "FILE", inputs->system}};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (needed[i].value)
            continue;
        usage_error(diag, NULL, "%s %s is missing", needed[i].option, needed[i].argument);
        diag_hint(diag, "give --workload, --network and --system, or one file in our form");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

static enum status read_scale(const struct inputs *inputs, double *scale, struct diag *diag)
{
    *scale = 1;
    if (!inputs->injection_scale)
        return STATUS_OK;
    char *end;
    *scale = strtod(inputs->injection_scale, &end);
    if (*end == '\0' && isfinite(*scale) && *scale >= 0)
        return STATUS_OK;
    return usage_error(diag, "--injection-scale", "expected a number of 0 or more, found \"%.60s\"",
                       inputs->injection_scale);
}

/* -- loading ------------------------------------------------------------------------------- */

static enum status load_astra(const struct inputs *inputs, struct config *config,
                              struct notices *notices, struct diag *diag)
{
    double scale;
    enum status status = check_given(inputs, diag);
    if (status == STATUS_OK)
        status = read_scale(inputs, &scale, diag);
    if (status == STATUS_OK)
        status = astra_network_load(config, inputs->network, notices, diag);
    if (status == STATUS_OK)
        status = astra_system_load(config, inputs->system, scale, notices, diag);
    if (status == STATUS_OK && inputs->memory)
        status = astra_memory_load(config, inputs->memory, notices, diag);
    return status;
}

static enum status override(struct config *config, const char *key, const char *option,
                            const char *text, struct notices *notices, struct diag *diag)
{
    enum status status =
        setting_set_text(config, setting_find(key), text, "command line", notices, diag);
    if (status == STATUS_OK)
        return STATUS_OK;
    diag->status = STATUS_USAGE; /* a wrong value on the command line, not in a file */
    snprintf(diag->field, sizeof diag->field, "%s", option);
    return STATUS_USAGE;
}

enum status inputs_override(struct config *config, const struct override *row,
                            struct notices *notices, struct diag *diag)
{
    return override(config, row->setting->key, row->option, row->text, notices, diag);
}

static enum status apply_overrides(const struct inputs *inputs, struct config *config,
                                   struct notices *notices, struct diag *diag)
{
    enum status status = STATUS_OK;
    if (inputs->workload)
        status = override(config, "workload.traces", "--workload", inputs->workload, notices, diag);
    for (uint32_t i = 0; i < inputs->override_count && status == STATUS_OK; i++)
        status = inputs_override(config, &inputs->override[i], notices, diag);
    return status;
}

/* The group file that counts, or NULL. */
static const char *group_path(const struct inputs *inputs, struct notices *notices)
{
    if (inputs->comm_group)
        return inputs->comm_group;
    const char *path = inputs->astra_comm_group;
    if (!path || !strstr(path, "empty"))
        return path;
    if (strcmp(path, "empty") != 0)
        notices_add(notices, NOTICE_IGNORED, "communicator group file", 1,
                    "%.120s: the path contains \"empty\", which means none in ASTRA-sim", path);
    return NULL;
}

static enum status load_groups(const struct inputs *inputs, struct config *config,
                               struct group_file *groups, struct notices *notices,
                               struct diag *diag)
{
    const char *path = group_path(inputs, notices);
    if (path) {
        enum status status =
            override(config, "workload.comm-groups", "--comm-group", path, notices, diag);
        if (status != STATUS_OK)
            return status;
        group_file_release(groups); /* those of the one-file form */
    }
    if (!config->workload.comm_group)
        return STATUS_OK;
    enum status status = group_file_load(groups, config->workload.comm_group, diag);
    if (status == STATUS_OK)
        config_add_input(config, "groups", config->workload.comm_group, groups->content_hash);
    return status;
}

/* -- custom collectives ---------------------------------------------------------------------- */

/* A pipe can be read once, and that is for the run. */
static bool is_regular(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static enum status list_msccl(struct config *config, const char *path, struct diag *diag)
{
    struct file file;
    if (!is_regular(path) || config_find_input(config, path))
        return STATUS_OK; /* that it can be read is for the run to check */
    enum status status = file_load(&file, path, FILE_NO_LIMIT, diag);
    if (status != STATUS_OK)
        return status;
    config_add_input(config, "custom", path, hash_bytes(file.bytes, file.length, 0));
    file_release(&file);
    return STATUS_OK;
}

/* PREFIX.0.et, PREFIX.1.et, ..; that there is one is for the run to check. A prefix that is used
 * twice is read once. */
static enum status list_custom(struct config *config, const char *prefix, struct diag *diag)
{
    if (msccl_is_path(prefix))
        return list_msccl(config, prefix, diag);
    for (uint32_t position = 0; position < config->network.npu_count; position++) {
        char path[1024];
        struct file file;
        if (snprintf(path, sizeof path, "%s.%" PRIu32 ".et", prefix, position) >=
                (int)sizeof path ||
            !is_regular(path) || config_find_input(config, path))
            return STATUS_OK;
        enum status status = chakra_open_file(&file, path, diag);
        if (status != STATUS_OK)
            return status;
        config_add_input(config, "custom", path, chakra_hash(&file));
        file_release(&file);
    }
    return STATUS_OK;
}

enum status inputs_list_custom(struct config *config, struct diag *diag)
{
    const struct system_config *system = &config->system;
    enum status status = STATUS_OK;
    for (int slot = 0; slot < SLOT_COUNT && status == STATUS_OK; slot++) {
        if (system->algorithm[slot].custom_prefix)
            status = list_custom(config, system->algorithm[slot].custom_prefix, diag);
    }
    for (uint32_t i = 0; i < system->node_algorithm_count && status == STATUS_OK; i++)
        status = list_custom(config, system->node_algorithm[i].custom_prefix, diag);
    return status;
}

static void note_ignored(const struct inputs *inputs, struct notices *notices)
{
    for (uint32_t i = 0; i < inputs->ignored_count; i++)
        notices_add(notices, NOTICE_IGNORED, "option without effect", 1, "%s", inputs->ignored[i]);
}

/* "switch:8,bw=100GB/s" has a '/' and is a topology. */
static bool is_file_name(const char *cluster)
{
    return embedded_is_path(cluster) && (!strchr(cluster, ':') || file_exists(cluster));
}

/* The one-file form; of a generated job it may be a topology alone. */
static enum status load_own(const struct inputs *inputs, struct config *config,
                            struct group_file *groups, struct notices *notices, struct diag *diag)
{
    if (inputs->edit_count) {
        const char *file = inputs->cluster ? inputs->cluster : inputs->word;
        bool is_file = !inputs->cluster || is_file_name(file);
        return own_config_load_edited(config, groups, is_file ? file : NULL, is_file ? NULL : file,
                                      inputs->edit, inputs->edit_count, notices, diag);
    }
    if (!inputs->cluster)
        return own_config_load(config, groups, inputs->word, notices, diag);
    if (is_file_name(inputs->cluster))
        return own_config_load(config, groups, inputs->cluster, notices, diag);
    own_config_defaults(config);
    return override(config, "network.topology", "--cluster", inputs->cluster, notices, diag);
}

static enum status need_traces(const struct config *config, struct diag *diag)
{
    if (config->workload.prefix)
        return STATUS_OK;
    usage_error(diag, NULL, "no traces were given");
    diag_hint(diag,
              "add `workload: {traces: PREFIX}` to the file, or --workload PREFIX; a model is "
              "generated with --cluster");
    return STATUS_USAGE;
}

enum status inputs_load(const struct inputs *inputs, const struct inputs_job *job,
                        struct config *config, struct group_file *groups, struct notices *notices,
                        struct diag *diag)
{
    enum status status = check_mix(inputs, diag);
    if (status != STATUS_OK)
        return status;
    note_ignored(inputs, notices);
    status = inputs->cluster || inputs->word ? load_own(inputs, config, groups, notices, diag)
                                             : load_astra(inputs, config, notices, diag);
    if (status == STATUS_OK)
        status = apply_overrides(inputs, config, notices, diag);
    if (status == STATUS_OK)
        status = load_groups(inputs, config, groups, notices, diag);
    if (status == STATUS_OK && job)
        status = job->configure(job->context, config, notices, diag);
    if (status == STATUS_OK)
        status = topology_resolve(config, notices, diag);
    if (status == STATUS_OK)
        status = compute_resolve(config, notices, diag);
    if (status == STATUS_OK)
        status = config_finish(config, notices, diag);
    if (status == STATUS_OK)
        status = variation_check(config, diag);
    if (status == STATUS_OK && !job)
        status = need_traces(config, diag);
    return status;
}
