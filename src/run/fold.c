#include "run/fold.h"

#include <stdlib.h>

#include "base/memory.h"

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

static const char *node_obstacle(const struct config *config, const struct prepared *prepared,
                                 const struct trace_node *node)
{
    switch (trace_run_as(node)) {
    case OP_SEND:
    case OP_RECV:
        return "the trace has point-to-point messages";
    case OP_MEM_LOAD:
    case OP_MEM_STORE:
        return config->memory.type == MEMORY_PER_NPU ? NULL : "ranks share remote memory";
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

static const char *find_obstacle(const struct config *config, const struct workload *workload,
                                 const struct prepared *prepared)
{
    if (!config->fold)
        return "switched off";
    if (workload->rank_count == 1)
        return "there is one rank";
    if (workload->trace_count > 1)
        return "ranks run different traces";
    if (config->system.replay_only)
        return NULL;
    if (config->system.rendezvous || config->system.shared_bus)
        return "rendezvous or the shared bus is on";
    const struct trace *trace = workload->traces[0];
    for (uint32_t i = 0; i < trace->count; i++) {
        const char *obstacle = node_obstacle(config, prepared, &trace->node[i]);
        if (obstacle)
            return obstacle;
    }
    /* prepare() has planned every collective of the trace. */
    if (config->network.fabric)
        return NULL; /* link_proof_init() looks at the plans */
    struct pattern pattern = {false, false};
    for (uint32_t p = 0; p < prepared->book.count; p++) {
        const char *obstacle = plan_obstacle(config, prepared->book.plan[p], &pattern);
        if (obstacle)
            return obstacle;
    }
    return NULL;
}

static bool prove_links(struct fold *fold, const struct config *config, struct prepared *prepared,
                        const char **why)
{
    fold->has_proof = true;
    if (!link_proof_init(&fold->proof, config, &prepared->book, why))
        return false;
    const struct classes *classes = &fold->proof.partition.ranks;
    fold->ranks = (struct rank_fold){classes->count, classes->of, classes->first, classes->size};
    *why = classes->count == 1 ? "all ranks run one trace on a network that maps onto itself"
                               : "ranks of a class run one trace and pass alike links";
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
        return prove_links(fold, config, prepared, why);
    fold->size = config->network.npu_count;
    fold->class_of = calloc(fold->size, sizeof *fold->class_of);
    need_memory(fold->class_of != NULL);
    fold->ranks = (struct rank_fold){1, fold->class_of, &fold->first, &fold->size};
    *why = "all ranks run one trace on a network that maps onto itself";
    return true;
}

void fold_release(struct fold *fold)
{
    if (fold->has_proof)
        link_proof_release(&fold->proof);
    free(fold->class_of);
    *fold = (struct fold){0};
}

const struct link_fold *fold_links(const struct fold *fold)
{
    return fold->has_proof ? &fold->proof.fold : NULL;
}
