#include "run/fold.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/jitter.h"

/* How the phases of all plans move data, and what stands in the way. */
struct pattern {
    bool shifts, flips; /* peers at a distance; peers across a power of two */
};

static const char *plan_obstacle(const struct config *config, const struct chunk_plan *plan,
                                 struct pattern *pattern)
{
    bool is_aware = config->network.backend == NET_CONGESTION_AWARE;
    enum net_block block = config->network.dim[0].block;
    for (uint32_t p = 0; p < plan->phase_count; p++) {
        const struct phase *phase = &plan->phase[p];
        if (phase->schedule.form != SCHEDULE_EXCHANGE)
            return "a collective's algorithm gives ranks different parts";
        bool is_flip = phase->schedule.exchange.peer == PEER_FLIP;
        *(is_flip ? &pattern->flips : &pattern->shifts) = true;
        bool is_ring = phase->algorithm == collective_algorithms[ALG_RING];
        if (!is_aware)
            continue;
        if (block != NET_FULLY_CONNECTED && !is_ring)
            return "messages of different ranks share links";
        if (block == NET_SWITCH && config->system.queues_per_dim > 1)
            return "rings of both directions share the switch's links";
        if (pattern->flips && pattern->shifts)
            return "no one symmetry of the links fits all collectives";
    }
    return NULL;
}

/* Without a proof from messages: one trace, and collectives over all ranks. */
static const char *lone_node_obstacle(const struct prepared *prepared,
                                      const struct trace_node *node)
{
    switch (trace_run_as(node)) {
    case OP_SEND:
    case OP_RECV:
        return "the trace has point-to-point messages";
    case OP_COLLECTIVE:
        if (node->group == TRACE_NONE)
            return NULL;
        return prepared->groups.table.group[groups_of(&prepared->groups, 0, node->group, 0)]
                       .is_world
                   ? NULL
                   : "a collective runs in a group smaller than the system";
    default:
        return NULL;
    }
}

static const char *lone_obstacle(const struct config *config, const struct workload *workload,
                                 const struct prepared *prepared)
{
    const struct trace *trace = workload->traces[0];
    if (workload->trace_count > 1)
        return "ranks run different traces";
    for (uint32_t i = 0; i < trace->count && !config->system.replay_only; i++) {
        const char *obstacle = lone_node_obstacle(prepared, &trace->node[i]);
        if (obstacle)
            return obstacle;
    }
    struct pattern pattern = {false, false};
    for (uint32_t p = 0; p < prepared->book.count; p++) {
        const char *obstacle = plan_obstacle(config, prepared->book.plan[p], &pattern);
        if (obstacle)
            return obstacle;
    }
    return NULL;
}

static const char *node_obstacle(const struct config *config, const struct prepared *prepared,
                                 uint32_t trace, const struct trace_node *node)
{
    switch (trace_run_as(node)) {
    case OP_SEND:
    case OP_RECV: /* whoever comes first in ASTRA-sim's order may differ between ranks */
        return config->own_form ? NULL : "the trace has point-to-point messages";
    case OP_MEM_LOAD:
    case OP_MEM_STORE:
        return config->memory.type == MEMORY_PER_NPU ? NULL : "ranks share remote memory";
    case OP_COLLECTIVE:
        if (node->flags & NODE_HAS_PEER && node->group != TRACE_NONE &&
            prepared->groups.of_name[trace][node->group] & GROUP_IS_FAMILY)
            return "a collective of many groups names a root";
        return NULL;
    default:
        return NULL;
    }
}

/* Ranks that stand for others must do the same. What is slow for a time is in the proof. */
static const char *variation_obstacle(const struct variation_config *variation, bool has_proof)
{
    bool is_random = variation_is_random(variation);
    if (is_random && (variation->op_ratio > 0 || variation->rank_ratio > 0))
        return "compute jitter makes every rank different";
    if (is_random && (variation->link_ratio > 0 || variation->latency_ratio > 0))
        return "link jitter makes every link different";
    if (is_random)
        return "ranks start their communication late, each by a time of its own";
    if (!has_proof && variation->slow_ranks)
        return "ranks are slow for a time";
    return NULL;
}

static const char *find_obstacle(const struct config *config, const struct workload *workload,
                                 const struct prepared *prepared)
{
    if (!config->fold)
        return "switched off";
    if (workload->rank_count == 1)
        return "there is one rank";
    bool has_proof = config->network.fabric && !config->system.replay_only;
    const char *varies = variation_obstacle(&config->variation, has_proof);
    if (varies)
        return varies;
    if (!config->system.replay_only && (config->system.rendezvous || config->system.shared_bus))
        return "rendezvous or the shared bus is on";
    for (uint32_t t = 0; t < workload->trace_count && !config->system.replay_only; t++) {
        const struct trace *trace = workload->traces[t];
        for (uint32_t i = 0; i < trace->count; i++) {
            const char *obstacle = node_obstacle(config, prepared, t, &trace->node[i]);
            if (obstacle)
                return obstacle;
        }
    }
    /* prepare() has planned every collective of the traces; link_proof_init() looks at the plans */
    return has_proof ? NULL : lone_obstacle(config, workload, prepared);
}

static bool prove_links(struct fold *fold, const struct config *config,
                        const struct workload *workload, struct prepared *prepared,
                        const char **why)
{
    fold->has_proof = true;
    if (!link_proof_init(&fold->proof, config, workload, prepared, why))
        return false;
    const struct partition *partition = &fold->proof.partition;
    const struct classes *ranks = &partition->ranks;
    fold->ranks = (struct rank_fold){.count = ranks->count,
                                     .class_of = ranks->of,
                                     .first = ranks->first,
                                     .size = ranks->size,
                                     .group_of = partition->groups.of,
                                     .group = fold->proof.groups.group,
                                     .group_count = fold->proof.groups.count};
    *why = workload->trace_count > 1 ? "ranks of a class run like traces and pass alike links"
           : ranks->count == 1       ? "all ranks run one trace on a network that maps onto itself"
                                     : "ranks of a class run one trace and pass alike links";
    return true;
}

/* One class of all ranks; each group is a class of its own. */
static bool take_one_class(struct fold *fold, const struct prepared *prepared, uint32_t ranks,
                           const char **why)
{
    uint32_t groups = prepared->groups.table.count;
    fold->class_of = calloc((size_t)ranks + 3 * (size_t)groups + 2, sizeof *fold->class_of);
    need_memory(fold->class_of != NULL);
    uint32_t *number = fold->class_of + ranks, *one = number + groups;
    fold->size = ranks;
    for (uint32_t g = 0; g < groups; g++) {
        number[g] = g;
        one[g] = 1;
    }
    const struct classes of_ranks = {ranks, 1, fold->class_of, &fold->first, &fold->size};
    const struct classes of_groups = {groups, groups, number, number, one};
    if (!fold_groups_init(&fold->groups, &prepared->groups, &of_ranks, &of_groups, NULL, why))
        return false;
    fold->ranks = (struct rank_fold){.count = 1,
                                     .class_of = fold->class_of,
                                     .first = &fold->first,
                                     .size = &fold->size,
                                     .group_of = number,
                                     .group = fold->groups.group,
                                     .group_count = groups};
    *why = "all ranks run one trace on a network that maps onto itself";
    return true;
}

bool fold_init(struct fold *fold, const struct config *config, const struct workload *workload,
               struct prepared *prepared, const char **why)
{
    *fold = (struct fold){0};
    *why = find_obstacle(config, workload, prepared);
    if (*why)
        return false;
    if (config->network.fabric && !config->system.replay_only)
        return prove_links(fold, config, workload, prepared, why);
    return take_one_class(fold, prepared, config->network.npu_count, why);
}

void fold_release(struct fold *fold)
{
    if (fold->has_proof)
        link_proof_release(&fold->proof);
    fold_groups_release(&fold->groups);
    free(fold->class_of);
    *fold = (struct fold){0};
}

const struct link_fold *fold_links(const struct fold *fold)
{
    return fold->has_proof ? &fold->proof.fold : NULL;
}
