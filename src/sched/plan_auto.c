#include "sched/plan_auto.h"

#include <stdlib.h>

#include "base/memory.h"
#include "net/collective/tuner_fabric.h"

struct plan_auto {
    struct tuner *tuner;
    const struct tuner_system *system;
};

static enum status need_library(const struct config *config, struct diag *diag)
{
    if (!config->network.fabric) {
        diag_fail(diag, STATUS_BAD_CONFIG, "auto needs a network model that sees links");
        diag_hint(diag, "use network.backend ideal, analytical, flow or link");
        return STATUS_BAD_CONFIG;
    }
    diag_fail(diag, STATUS_BAD_CONFIG, "auto needs a library to choose as");
    diag_field(diag, "system.library");
    diag_hint(diag, "name one of `orrery list systems`, such as h100-dgx");
    return STATUS_BAD_CONFIG;
}

static enum status open_auto(struct plan_auto **self, const struct config *config,
                             struct diag *diag)
{
    if (!config->network.fabric || !config->system.library)
        return need_library(config, diag);
    struct plan_auto *made = calloc(1, sizeof *made);
    need_memory(made != NULL);
    enum status status = tuner_create(&made->tuner, NULL, diag);
    if (status == STATUS_OK)
        status = tuner_system_of_fabric(made->tuner, config->network.fabric, config->system.library,
                                        &made->system, diag);
    if (status != STATUS_OK) {
        diag_field(diag, "system.library");
        plan_auto_destroy(made);
        return status;
    }
    *self = made;
    return STATUS_OK;
}

/* Scale-up domains, as tuner_fabric.h (rule 1) sees them. */
static uint32_t domains_of(const struct fabric *fabric)
{
    const struct fabric_dim *dim = &fabric->dim[0];
    if (fabric->dim_count > 1)
        return fabric->npu_count / dim->npus;
    return dim->kind == FABRIC_TREE || dim->kind == FABRIC_GRAPH ? fabric->npu_count : 1;
}

enum status plan_auto_choose(struct plan_auto **self, const struct config *config,
                             enum collective_kind kind, uint64_t bytes,
                             struct algorithm_choice *choice, struct tuner_choice *tuned,
                             struct diag *diag)
{
    enum status status = *self ? STATUS_OK : open_auto(self, config, diag);
    if (status != STATUS_OK)
        return status;
    const struct fabric *fabric = config->network.fabric;
    uint32_t domains = domains_of(fabric);
    struct tuner_choice found;
    const struct tuner_request request = {
        .kind = kind,
        .ranks = fabric->npu_count,
        .nodes = domains,
        .bytes = tuner_bytes(kind, bytes, fabric->npu_count),
        .system = (*self)->system,
    };
    status = tuner_choose(&request, &found, diag);
    if (status != STATUS_OK)
        return status;
    if (!tuner_schedule(&found, kind, domains, fabric->npu_count / domains, choice))
        return diag_fail(diag, STATUS_BAD_CONFIG, "auto has no choice for %s",
                         collective_name(kind));
    choice->flat = true;
    if (tuned)
        *tuned = found;
    return STATUS_OK;
}

void plan_auto_destroy(struct plan_auto *self)
{
    if (!self)
        return;
    if (self->tuner)
        tuner_destroy(self->tuner);
    free(self);
}
