#include "run/job_config.h"

#include <stdio.h>
#include <string.h>

#include "compute/device.h"
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

static enum status set_all(struct config *config, const struct job_default *rows, size_t count,
                           struct notices *notices, struct diag *diag)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++)
        status = set(config, &rows[i], notices, diag);
    return status;
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

/* Values of a framework as texts; "" where it has none. */
struct job_numbers {
    char launch[32], collective_launch[32], step[32];
    char matrix[32], attention[32], memory[32], network[32];
};

static void show(char to[32], double value, const char *unit)
{
    to[0] = '\0';
    if (value > 0)
        snprintf(to, 32, "%.9g%s", value, unit);
}

/* Host time of a kernel's launch: the framework's, else the device's. */
static enum status find_launch(const struct config *config, const struct framework *framework,
                               double *launch_ns, struct diag *diag)
{
    *launch_ns = framework->one_graph ? 0 : framework->launch_ns;
    if (framework->one_graph || framework->launch_ns > 0 || !config->system.device_name)
        return STATUS_OK;
    struct arena arena;
    struct notices notices;
    struct device device;
    arena_init(&arena);
    notices_init(&notices);
    enum status status = device_load(&device, config->system.device_name, &arena, &notices, diag);
    if (status == STATUS_OK)
        *launch_ns = device.launch_ns;
    notices_release(&notices);
    arena_release(&arena);
    return status;
}

static void show_numbers(const struct framework *framework, double launch_ns,
                         struct job_numbers *numbers)
{
    double collective_ns = framework->collective_launch_ns;
    if (framework->one_graph || !(collective_ns > 0))
        collective_ns = launch_ns;
    show(numbers->launch, launch_ns, "ns");
    show(numbers->collective_launch, collective_ns, "ns");
    show(numbers->step, framework->step_ns, "ns");
    show(numbers->matrix, framework->matrix_ratio, "");
    show(numbers->attention, framework->attention_ratio, "");
    show(numbers->memory, framework->memory_ratio, "");
    show(numbers->network, framework->network_ratio, "");
}

enum status job_config_default(struct config *config, const struct job_spec *spec,
                               struct notices *notices, struct diag *diag)
{
    struct preset_words preset = {.device = ""};
    const char *topology = config->network.topology;
    bool has_preset = topology && preset_find(topology, &preset);
    const struct framework *framework = &spec->framework;
    bool has_library = config->system.library || (has_preset && preset.library[0]);
    const struct job_default machine[] = {
        {"system.device", has_preset ? preset.device : NULL},
        {"system.library", has_preset ? preset.library : NULL},
        {"system.library-costs", has_library ? "true" : NULL},
    };
    enum status status = set_all(config, machine, sizeof machine / sizeof *machine, notices, diag);
    double launch_ns = 0;
    if (status == STATUS_OK)
        status = find_launch(config, framework, &launch_ns, diag);
    struct job_numbers numbers;
    show_numbers(framework, launch_ns, &numbers);
    const struct job_default rows[] = {
        {"system.streams", "true"},
        {"system.sustained-rates", "true"},
        {"system.dataset-splits", "1"},
        {"system.active-chunks-per-dim", "1024"},
        {"system.scheduling-policy", "FIFO"},
        {"system.collective-optimization", "baseline"},
        {"system.endpoint-delay", "0ns"},
        {"system.small-group-delay", "0ns"},
        {"system.launch-overhead", numbers.launch},
        {"system.collective-launch-overhead", numbers.collective_launch},
        {"system.step-overhead", numbers.step},
        {"system.matrix-ratio", numbers.matrix},
        {"system.attention-ratio", numbers.attention},
        {"system.memory-ratio", numbers.memory},
        {"system.network-ratio", numbers.network},
        {"system.attention-kernel", attention_kernel_names[framework->attention_kernel]},
    };
    if (status == STATUS_OK)
        status = set_all(config, rows, sizeof rows / sizeof *rows, notices, diag);
    return status == STATUS_OK ? set_collectives(config, diag) : status;
}

enum status job_config_type(enum data_type type, const struct device *device, struct diag *diag)
{
    static const enum data_type wider[] = {TYPE_FP4,  TYPE_FP6,  TYPE_FP8,
                                           TYPE_INT8, TYPE_BF16, TYPE_FP16};
    enum { WIDER = sizeof wider / sizeof *wider };
    uint32_t at = 0;
    while (at < WIDER && wider[at] != type)
        at++;
    if (at == WIDER || device->peak_flops[type] > 0)
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG, "%s has no matrix units for %s", device->name,
              data_type_name(type));
    diag_field(diag, "plan.compute-type");
    for (uint32_t i = 1; i < WIDER; i++) { /* the next wider ones, then down from it */
        enum data_type nearest = wider[at + i < WIDER ? at + i : WIDER - 1 - i];
        if (!(device->peak_flops[nearest] > 0) || nearest == TYPE_INT8)
            continue;
        diag_hint(diag, "nearest: compute-type %s", data_type_name(nearest));
        break;
    }
    return STATUS_BAD_CONFIG;
}
