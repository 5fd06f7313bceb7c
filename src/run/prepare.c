#include "run/prepare.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compute/rank_speed.h"
#include "compute/remote_memory.h"
#include "model/compute.h"
#include "model/jitter.h"
#include "model/network.h"
#include "net/collective/custom.h"
#include "net/collective/msccl.h"
#include "net/model/link_speed.h"
#include "run/check_node.h"
#include "workloads/chakra/chakra.h"

/* -- custom collectives --------------------------------------------------------------------- */

static enum status load_custom_trace(struct prepared *prepared,
                                     const struct workload_config *config, const char *path,
                                     struct notices *notices, struct diag *diag)
{
    if (prepared->custom_trace_count == prepared->custom_trace_room) {
        prepared->custom_trace_room =
            prepared->custom_trace_room ? 2 * prepared->custom_trace_room : 16;
        prepared->custom_traces = realloc(
            prepared->custom_traces, prepared->custom_trace_room * sizeof *prepared->custom_traces);
        need_memory(prepared->custom_traces != NULL);
    }
    struct chakra_options options = CHAKRA_OPTIONS_DEFAULT;
    struct trace **slot = &prepared->custom_traces[prepared->custom_trace_count];
    enum status status = chakra_load(slot, path, &options, notices, diag);
    if (status)
        return status;
    prepared->custom_trace_count++;
    struct graph graph; /* checks missing parents and cycles as for any trace */
    status = graph_build(&graph, *slot, config, notices, diag);
    if (!status)
        graph_release(&graph);
    return status;
}

static enum status load_msccl(struct prepared *prepared, const char *path, struct diag *diag)
{
    struct custom_plan plan = {.prefix = path};
    enum status status = msccl_load(&plan.msccl, path, &prepared->book.arena, diag);
    if (status)
        return status;
    plan.positions = plan.msccl->n;
    prepared->custom[prepared->custom_count++] = plan;
    return STATUS_OK;
}

/* FILE.xml, or PREFIX.0.et, PREFIX.1.et, ..: as many positions as there are files. */
static enum status load_custom(struct prepared *prepared, const struct config *config,
                               const char *prefix, struct notices *notices, struct diag *diag)
{
    for (uint32_t i = 0; i < prepared->custom_count; i++) {
        if (strcmp(prepared->custom[i].prefix, prefix) == 0)
            return STATUS_OK;
    }
    if (msccl_is_path(prefix))
        return load_msccl(prepared, prefix, diag);
    uint32_t first = prepared->custom_trace_count, n = 0;
    enum status status = STATUS_OK;
    for (; !status; n++) {
        char path[1024];
        if (snprintf(path, sizeof path, "%s.%u.et", prefix, n) >= (int)sizeof path)
            return diag_fail(diag, STATUS_BAD_CONFIG,
                             "the path of a custom collective is too long");
        if (n && !file_exists(path))
            break;
        status = load_custom_trace(prepared, &config->workload, path, notices, diag);
    }
    if (status) {
        diag_hint(diag, "a custom collective reads PREFIX.<position>.et, relative to the working "
                        "folder");
        return status;
    }
    struct custom_plan plan = {.prefix = prefix, .positions = n};
    status = custom_schedule(prepared->custom_traces + first, n, config->system.least_duration_ns,
                             &prepared->book.arena, &plan.schedule, diag);
    if (!status)
        prepared->custom[prepared->custom_count++] = plan;
    return status;
}

static enum status load_customs(struct prepared *prepared, const struct config *config,
                                struct notices *notices, struct diag *diag)
{
    const struct system_config *system = &config->system;
    prepared->custom = calloc(SLOT_COUNT + system->node_algorithm_count, sizeof *prepared->custom);
    need_memory(prepared->custom != NULL);
    enum status status = STATUS_OK;
    for (int s = 0; s < SLOT_COUNT && !status; s++) {
        if (system->algorithm[s].custom_prefix)
            status =
                load_custom(prepared, config, system->algorithm[s].custom_prefix, notices, diag);
    }
    for (uint32_t i = 0; i < system->node_algorithm_count && !status; i++)
        status =
            load_custom(prepared, config, system->node_algorithm[i].custom_prefix, notices, diag);
    prepared->book.custom = prepared->custom;
    prepared->book.custom_count = prepared->custom_count;
    return status;
}

/* -- everything ----------------------------------------------------------------------------- */

/* Metadata and invalid nodes do nothing. */
static bool has_work(const struct trace *trace)
{
    for (uint32_t i = 0; i < trace->count; i++) {
        if (trace->node[i].type != OP_METADATA && trace->node[i].type != OP_INVALID)
            return true;
    }
    return false;
}

static enum status check_counts(struct prepared *prepared, const struct config *config,
                                const struct workload *workload, struct notices *notices,
                                struct diag *diag)
{
    if (workload->rank_count != config->network.npu_count)
        return diag_fail(diag, STATUS_BAD_CONFIG, "the workload has %u ranks, the network %u NPUs",
                         workload->rank_count, config->network.npu_count);
    uint32_t empty = 0;
    bool does_something = false;
    for (uint32_t r = 0; r < workload->rank_count; r++) {
        uint32_t count = workload->traces[workload->trace_of_rank[r]]->count;
        prepared->node_total += count;
        empty += count == 0;
    }
    for (uint32_t t = 0; t < workload->trace_count && !does_something; t++)
        does_something = has_work(workload->traces[t]);
    if (!does_something && !config->workload.allow_empty) {
        diag_fail(diag, STATUS_EMPTY,
                  "the traces of all %u ranks hold no node that does anything (%" PRIu64
                  " nodes, all metadata or invalid)",
                  workload->rank_count, prepared->node_total);
        diag_in(diag, workload->traces[0]->path);
        diag_hint(diag, "--allow-empty accepts a job that does nothing");
        return STATUS_EMPTY;
    }
    if (empty)
        notices_add(notices, NOTICE_ODDITY, "rank without any node", empty, "%u of %u ranks", empty,
                    workload->rank_count);
    return STATUS_OK;
}

static enum status build_graphs(struct prepared *prepared, const struct config *config,
                                const struct workload *workload, struct notices *notices,
                                struct diag *diag)
{
    prepared->graphs = calloc(workload->trace_count + 1, sizeof *prepared->graphs);
    need_memory(prepared->graphs != NULL);
    for (uint32_t t = 0; t < workload->trace_count; t++) {
        enum status status = graph_build(&prepared->graphs[t], workload->traces[t],
                                         &config->workload, notices, diag);
        if (status)
            return status;
        prepared->graph_count++;
    }
    return STATUS_OK;
}

/* `auto` has exchanges for a library's trees (sched/plan_auto.h). In step each is a permutation of
 * the ranks; out of step partners at different distances meet on the fabric's links, and an
 * all-reduce may take several times as long at the least jitter. */
static void say_stand_ins(const struct prepared *prepared, const struct config *config,
                          struct notices *notices)
{
    const struct algorithm_list *list = &config->system.algorithm[SLOT_ALL_REDUCE];
    if (!variation_is_on(&config->variation) || !config->system.library_costs || !list->count ||
        list->choice[0].id != ALG_AUTO ||
        !network_model_of(config->network.backend)->has_contention)
        return;
    for (uint32_t p = 0; p < prepared->book.count; p++) {
        const struct chunk_plan *plan = prepared->book.plan[p];
        if (plan->phase_count &&
            plan->phase[0].algorithm == collective_algorithms[ALG_HALVING_DOUBLING])
            notices_add(notices, NOTICE_ODDITY,
                        "exchanges that stand for a library's trees, under jitter: out of step "
                        "they meet on links where trees would not",
                        1, "all-reduce of %u ranks; --network-backend analytical has no contention",
                        plan->phase[0].n);
    }
}

/* The lines of what is slow for a time: ranks and links that there are. */
static enum status check_slow(const struct config *config, struct diag *diag)
{
    struct network_config network = config->network;
    struct rank_speed *ranks = NULL;
    struct link_speed *links = NULL;
    network.variation = &config->variation;
    enum status status = rank_speed_create(&ranks, config, diag);
    if (status == STATUS_OK && network.fabric)
        status = link_speed_create(&links, &network, NULL, NULL, diag);
    rank_speed_destroy(ranks);
    link_speed_destroy(links);
    return status;
}

enum status prepare(struct prepared *prepared, const struct config *config,
                    const struct workload *workload, const struct group_file *groups,
                    struct notices *notices, struct diag *diag)
{
    *prepared = (struct prepared){0};
    plan_book_init(&prepared->book, config);
    enum status status = network_model_of(config->network.backend)->check(&config->network, diag);
    if (!status)
        status = check_slow(config, diag);
    if (!status)
        status = check_counts(prepared, config, workload, notices, diag);
    if (!status)
        status = build_graphs(prepared, config, workload, notices, diag);
    if (!status) {
        status = groups_build(&prepared->groups, workload, groups, notices, diag);
        prepared->has_groups = !status;
    }
    if (!status)
        status = load_customs(prepared, config, notices, diag);
    struct node_checks checks = {config,          workload, &prepared->groups,
                                 &prepared->book, notices,  diag};
    if (!status)
        status = check_nodes(&checks);
    if (!status)
        say_stand_ins(prepared, config, notices);
    if (status)
        prepared_release(prepared);
    return status;
}

void prepared_release(struct prepared *prepared)
{
    for (uint32_t t = 0; t < prepared->graph_count; t++)
        graph_release(&prepared->graphs[t]);
    free(prepared->graphs);
    if (prepared->has_groups)
        groups_release(&prepared->groups);
    plan_book_release(&prepared->book);
    for (uint32_t i = 0; i < prepared->custom_trace_count; i++)
        prepared->custom_traces[i]->destroy(prepared->custom_traces[i]);
    free(prepared->custom_traces);
    free(prepared->custom);
    *prepared = (struct prepared){0};
}
