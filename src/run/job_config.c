#include "run/job_config.h"

#include <stdio.h>
#include <string.h>

#include "config/algorithm_name.h"
#include "config/settings.h"
#include "net/topology/presets.h"

#define SOURCE "default of a generated job"

static bool is_default(const struct config *config, const char *key)
{
    const char *source = config_source(config, key);
    return !source || strncmp(source, "default", 7) == 0;
}

/* A job of its settings: key and value; NULL values are left. */
struct job_default {
    const char *key, *value;
};

static enum status set(struct config *config, const struct job_default *row,
                       struct notices *notices, struct diag *diag)
{
    if (!row->value || !row->value[0] || !is_default(config, row->key))
        return STATUS_OK;
    return setting_set_text(config, setting_find(row->key), row->value, SOURCE, notices, diag);
}

static enum status set_collectives(struct config *config, struct diag *diag)
{
    const char *name = config->system.library ? "auto" : "ring";
    for (int slot = 0; slot < SLOT_PER_DIM_COUNT; slot++) {
        struct algorithm_list *list = &config->system.algorithm[slot];
        if (list->count || list->custom_prefix)
            continue;
        bool to_all = slot == SLOT_ALL_TO_ALL && !config->system.library;
        if (!algorithm_parse(to_all ? "direct" : name, &list->choice[0]))
            return diag_fail(diag, STATUS_BAD_CONFIG, "no algorithm %s", name);
        list->count = 1;
        list->one_name = !list->choice[0].flat;
        algorithm_note(config, (enum algorithm_slot)slot, SOURCE);
    }
    return STATUS_OK;
}

enum status job_config_default(struct config *config, const struct job_spec *spec,
                               struct notices *notices, struct diag *diag)
{
    struct preset_words preset = {.device = ""};
    const char *topology = config->network.topology;
    bool has_preset = topology && preset_find(topology, &preset);
    const struct framework *framework = &spec->framework;
    char launch[32] = "";
    if (!framework->one_graph && framework->launch_ns > 0)
        snprintf(launch, sizeof launch, "%.9gns", framework->launch_ns);
    const struct job_default rows[] = {
        {"system.streams", "true"},
        {"system.sustained-rates", "true"},
        {"system.dataset-splits", "1"},
        {"system.active-chunks-per-dim", "1024"},
        {"system.scheduling-policy", "FIFO"},
        {"system.collective-optimization", "baseline"},
        {"system.endpoint-delay", "0ns"},
        {"system.small-group-delay", "0ns"},
        {"system.launch-overhead", launch},
        {"system.device", has_preset ? preset.device : NULL},
        {"system.library", has_preset ? preset.library : NULL},
        {"system.library-costs", has_preset && preset.library[0] ? "true" : NULL},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && status == STATUS_OK; i++)
        status = set(config, &rows[i], notices, diag);
    return status == STATUS_OK ? set_collectives(config, diag) : status;
}
