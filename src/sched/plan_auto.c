#include "sched/plan_auto.h"

#include <stdlib.h>

#include "base/memory.h"
#include "net/collective/request.h"
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

uint32_t plan_auto_domains(const struct network_config *network, const struct comm_group *group)
{
    const struct fabric *fabric = network->fabric;
    if (!fabric)
        return group->count;
    uint32_t per_domain = fabric->npu_count / tuner_domains(fabric);
    uint32_t share = 1, domain = group->ranks[0] / per_domain;
    while (share < group->count && group->ranks[share] / per_domain == domain)
        share++;
    if (group->count % share)
        return group->count;
    for (uint32_t i = share; i < group->count; i++) {
        uint32_t here = group->ranks[i] / per_domain, before = group->ranks[i - 1] / per_domain;
        if (i % share ? here != before : here <= before)
            return group->count;
    }
    return group->count / share;
}

enum { SMALL_BYTES = 64 * 1024 };

/* The library's trees go up and down at once through every NIC of a domain, which
 * double-binary-tree over all ranks does not. Exchanges with partners at distances 1, 2, 4, ..
 * pass as many bytes through a NIC, in as many steps, but in a mesh use one link of each NPU at
 * a time. */
static bool is_like_trees(enum collective_kind kind, uint32_t ranks, uint32_t domains)
{
    return kind == COLL_ALL_REDUCE && domains > 1 && (ranks & (ranks - 1)) == 0;
}

static void take_exchanges(uint64_t bytes, struct algorithm_choice *choice)
{
    *choice = (struct algorithm_choice){.id = bytes <= SMALL_BYTES ? ALG_RECURSIVE_DOUBLING
                                                                   : ALG_HALVING_DOUBLING};
}

/* What there is a schedule for that does as the library's kernels do; 0: all. */
static uint32_t may_take(const struct config *config, bool is_group, bool like_trees)
{
    uint32_t some = 1u << TUNER_RING | 1u << TUNER_POINT_TO_POINT;
    if (!config->system.library_costs)
        return is_group ? some : 0;
    if (like_trees)
        some |= 1u << TUNER_TREE;
    return is_group ? some : some | 1u << TUNER_NVLS;
}

/* Rings of a library share out all links of a mesh, as messages to each peer do; one ring would
 * have one link of each NPU. What a ring's hand-overs cost is kept. */
static void go_direct(uint32_t ranks, struct algorithm_choice *choice, struct tuner_choice *found)
{
    *choice = (struct algorithm_choice){.id = ALG_DIRECT};
    found->alpha_us *= ranks - 1;
    found->steps = found->steps > ranks - 1 ? found->steps / (ranks - 1) : 1;
}

enum status plan_auto_choose(struct plan_auto **self, const struct config *config,
                             const struct plan_auto_request *asked, struct algorithm_choice *choice,
                             struct tuner_choice *tuned, struct diag *diag)
{
    enum status status = *self ? STATUS_OK : open_auto(self, config, diag);
    if (status != STATUS_OK)
        return status;
    const struct fabric *fabric = config->network.fabric;
    enum collective_kind kind = asked->kind;
    uint32_t ranks = asked->ranks ? asked->ranks : fabric->npu_count;
    uint32_t domains = asked->ranks ? asked->domains : tuner_domains(fabric);
    bool like_trees = config->system.library_costs && is_like_trees(kind, ranks, domains) &&
                      (ranks == domains || !request_has_mesh(&config->network));
    struct tuner_choice found;
    const struct tuner_request request = {
        .kind = kind,
        .ranks = ranks,
        .nodes = domains,
        .bytes = tuner_bytes(kind, asked->bytes, ranks),
        .system = (*self)->system,
        .algorithms = may_take(config, asked->ranks, like_trees),
    };
    status = tuner_choose(&request, &found, diag);
    if (status != STATUS_OK)
        return status;
    if (!tuner_schedule(&found, kind, domains, ranks / domains, choice))
        return diag_fail(diag, STATUS_BAD_CONFIG, "auto has no choice for %s",
                         collective_name(kind));
    if (domains == 1 && choice->id == ALG_RING && request_has_mesh(&config->network))
        go_direct(ranks, choice, &found);
    else if (like_trees && found.algorithm == TUNER_TREE)
        take_exchanges(request.bytes, choice);
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
