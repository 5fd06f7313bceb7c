#include "compute/resolve.h"

#include <string.h>

#include "base/suggest.h"
#include "compute/profile.h"
#include "config/settings.h"

static bool is_default(const struct config *config, const char *key)
{
    const char *source = config_source(config, key);
    return !source || strncmp(source, "default", 7) == 0;
}

static enum status refuse_none(struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "the compute model `device` needs a device");
    diag_field(diag, "system.device");
    diag_hint(diag, "set system.device to a preset (orrery list devices) or a file");
    return STATUS_BAD_CONFIG;
}

static enum status find_attention(struct system_config *system, struct diag *diag)
{
    const char *name = system->attention_kernel;
    for (int i = 0; i < ATTENTION_KERNEL_COUNT && name; i++) {
        if (strcmp(attention_kernel_names[i], name) == 0)
            system->attention = i;
    }
    if (!name || strcmp(attention_kernel_names[system->attention], name) == 0)
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG, "there is no attention kernel \"%.60s\"", name);
    diag_field(diag, "system.attention-kernel");
    const char *nearest = suggest_nearest(name, attention_kernel_names);
    diag_hint(diag, nearest ? "did you mean \"%s\"?" : "fused, flash2 or serving", nearest);
    return STATUS_BAD_CONFIG;
}

static enum status refuse_profile(struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG,
              "measured times are used by the compute model `device` only");
    diag_field(diag, "system.profile");
    diag_hint(diag, "set system.device too");
    return STATUS_BAD_CONFIG;
}

enum status compute_resolve(struct config *config, struct notices *notices, struct diag *diag)
{
    struct system_config *system = &config->system;
    if (system->device_name && is_default(config, "system.compute-model")) {
        system->compute = COMPUTE_DEVICE;
        setting_note(config, setting_find("system.compute-model"), "default with a device");
    }
    if (system->compute != COMPUTE_DEVICE)
        return system->profile_path ? refuse_profile(diag) : STATUS_OK;
    if (!system->device_name)
        return refuse_none(diag);
    struct device *device = arena_take(&config->arena, sizeof *device);
    enum status status = device_load(device, system->device_name, &config->arena, notices, diag);
    if (status == STATUS_OK && system->profile_path)
        status =
            profile_load(&system->profile, system->profile_path, &config->arena, notices, diag);
    if (status != STATUS_OK)
        return status;
    system->device = device;
    status = find_attention(system, diag);
    if (status != STATUS_OK)
        return status;
    if (is_default(config, "system.overlap-slowdown")) {
        system->overlap_slowdown = device->overlap_slowdown;
        setting_note(config, setting_find("system.overlap-slowdown"), device->name);
    }
    return STATUS_OK;
}
