#include "cli/planning.h"

#include <string.h>

#include "cli/say.h"
#include "model/jitter.h"
#include "net/collective/tuner_fabric.h"
#include "workloads/generate/family.h"

void planning_init(struct planning *planning)
{
    memset(planning, 0, sizeof *planning);
    config_init(&planning->config);
    group_file_init(&planning->groups);
    work_init(&planning->work);
    result_init(&planning->result);
    arena_init(&planning->arena);
}

void planning_release(struct planning *planning)
{
    tuner_destroy(planning->tuner);
    arena_release(&planning->arena);
    result_release(&planning->result);
    work_release(&planning->work);
    group_file_release(&planning->groups);
    config_release(&planning->config);
}

static enum status need(const char *what, const char *hint, struct diag *diag)
{
    diag_fail(diag, STATUS_BAD_CONFIG, "the cluster names no %s", what);
    diag_hint(diag, "%s", hint);
    return STATUS_BAD_CONFIG;
}

static enum status open_cluster(struct planning *planning, struct diag *diag)
{
    const struct config *config = &planning->config;
    if (!config->system.device)
        return need("device", "give a preset (preset:dgx-h100), or system.device in a file", diag);
    if (!config->system.library)
        return need("library", "give a preset (preset:dgx-h100), or system.library in a file",
                    diag);
    enum status status = tuner_create(&planning->tuner, NULL, diag);
    if (status == STATUS_OK)
        status = tuner_system_of_fabric(planning->tuner, config->network.fabric,
                                        config->system.library, &planning->setting.system, diag);
    planning->setting.device = config->system.device;
    return status;
}

void planning_say_ignored(const struct planning *planning)
{
    struct notices notices;
    if (!variation_is_on(&planning->config.variation))
        return;
    notices_init(&notices);
    notices_add(&notices, NOTICE_IGNORED,
                "what varies, or is slow for a time: estimates are of plain runs", 1, "%s",
                "orrery vary runs one plan, or several, under it");
    say_notices(&notices, stderr);
    notices_release(&notices);
}

enum status planning_open(struct planning *planning, const struct inputs *inputs, struct diag *diag)
{
    enum status status = work_configure(&planning->work, inputs, &planning->config,
                                        &planning->groups, &planning->result.notices, diag);
    if (status != STATUS_OK)
        return status;
    const struct model_spec *model = &planning->work.spec.model;
    if (family_of(model)) {
        diag_fail(diag, STATUS_BAD_CONFIG, "%s is data parallel only: there is one plan",
                  model->name);
        diag_hint(diag, "orrery run %s --cluster FILE --plan global-batch=N", model->name);
        return STATUS_BAD_CONFIG;
    }
    status = open_cluster(planning, diag);
    if (status != STATUS_OK)
        return status;
    planning->setting.model = model;
    planning->setting.framework = &planning->work.spec.framework;
    planning->request.setting = &planning->setting;
    planning->request.ranks = planning->config.network.npu_count;
    planning->request.base = planning->work.spec.plan;
    uint32_t node;
    tuner_system_size(planning->setting.system, &node, &planning->request.domain);
    return STATUS_OK;
}
