/*
 * mini - tiny jobs built in memory, run without any file: for tests of feed, sched, net and run.
 *
 * A job has `npus` ranks; rank r runs trace job.of_rank[r]. Build traces with mini_*() in order of
 * index; the id of node i is 10 (i + 1). Sizes in bytes, durations in ns.
 */
#ifndef ORRERY_TESTS_UNIT_MINI_H
#define ORRERY_TESTS_UNIT_MINI_H

#include <stdlib.h>
#include <string.h>

#include "run/simulate.h"
#include "tests/unit/unit.h"

enum { MINI_NODES = 64, MINI_EDGES = 256, MINI_TRACES = 16, MINI_RANKS = 4096, MINI_GROUPS = 8 };

struct mini_trace {
    struct trace trace;
    struct trace_node node[MINI_NODES];
    uint64_t parent_begin[MINI_NODES + 1];
    uint32_t parent[MINI_EDGES];
    const char *group_names[MINI_GROUPS];
    struct missing_parent missing[4];
};

struct mini {
    struct mini_trace trace[MINI_TRACES];
    struct trace *traces[MINI_TRACES];
    uint32_t of_rank[MINI_RANKS];
    uint32_t trace_count;
    struct group_entry group[MINI_GROUPS];
    uint32_t members[MINI_GROUPS][64];
    uint32_t group_count;
    struct config config;
    struct run_result result;
    struct diag diag;
};

static inline const char *mini_name(struct trace *trace, uint32_t index)
{
    (void)trace, (void)index;
    return "mini";
}

static inline struct mini *mini_new(void)
{
    struct mini *mini = calloc(1, sizeof *mini);
    mini->diag = DIAG_NONE;
    config_init(&mini->config);
    result_init(&mini->result);
    mini->config.system.dataset_splits = 1;
    mini->config.fold = false;
    return mini;
}

static inline void mini_free(struct mini *mini)
{
    result_release(&mini->result);
    config_release(&mini->config);
    free(mini);
}

/* Adds a dimension; bandwidth in B/ns, latency in ns. */
static inline void mini_dim(struct mini *mini, enum net_block block, uint32_t npus,
                            double bandwidth_B_per_ns, double latency_ns)
{
    struct network_config *network = &mini->config.network;
    network->dim[network->dim_count++] = (struct net_dim){.block = block,
                                                          .npus = npus,
                                                          .bandwidth_B_per_ns = bandwidth_B_per_ns,
                                                          .latency_ns = latency_ns};
    network->npu_count = 1;
    for (uint32_t d = 0; d < network->dim_count; d++)
        network->npu_count *= network->dim[d].npus;
}

/* One algorithm in every dimension for all four collectives. */
static inline void mini_algorithm(struct mini *mini, enum algorithm_id id, uint32_t window)
{
    for (int s = 0; s < SLOT_PER_DIM_COUNT; s++) {
        struct algorithm_list *list = &mini->config.system.algorithm[s];
        list->count = mini->config.network.dim_count;
        for (uint32_t d = 0; d < list->count; d++)
            list->choice[d] = (struct algorithm_choice){.id = id, .window = window};
    }
}

static inline uint32_t mini_trace_new(struct mini *mini)
{
    uint32_t t = mini->trace_count++;
    struct mini_trace *made = &mini->trace[t];
    made->trace = (struct trace){.node = made->node,
                                 .parent_begin = made->parent_begin,
                                 .parent = made->parent,
                                 .missing = made->missing,
                                 .group_names = made->group_names,
                                 .path = "mini.et",
                                 .format = "mini",
                                 .version = "",
                                 .schema = "",
                                 .name_of = mini_name};
    mini->traces[t] = &made->trace;
    return t;
}

/* Adds a node that depends on `after` (index, or -1). Returns its index. */
static inline uint32_t mini_node(struct mini *mini, uint32_t t, int after, struct trace_node node)
{
    struct trace *trace = &mini->trace[t].trace;
    uint32_t index = trace->count++;
    node.id = 10 * (uint64_t)(index + 1);
    if (node.type != OP_COLLECTIVE || !node.group)
        node.group = TRACE_NONE;
    node.shape = TRACE_NONE;
    trace->node[index] = node;
    trace->parent_begin[index + 1] = trace->parent_begin[index];
    if (after >= 0) {
        trace->parent[trace->parent_begin[index + 1]++] = (uint32_t)after;
        trace->data_edge_count++;
    }
    return index;
}

/* Adds another parent to the node added last. */
static inline void mini_also_after(struct mini *mini, uint32_t t, uint32_t parent)
{
    struct trace *trace = &mini->trace[t].trace;
    trace->parent[trace->parent_begin[trace->count]++] = parent;
    trace->data_edge_count++;
}

static inline uint32_t mini_compute(struct mini *mini, uint32_t t, int after, uint64_t ns)
{
    return mini_node(mini, t, after, (struct trace_node){.type = OP_COMPUTE, .duration_ns = ns});
}

static inline uint32_t mini_host(struct mini *mini, uint32_t t, int after, uint64_t ns)
{
    return mini_node(
        mini, t, after,
        (struct trace_node){.type = OP_COMPUTE, .duration_ns = ns, .flags = NODE_IS_HOST});
}

static inline uint32_t mini_collective(struct mini *mini, uint32_t t, int after,
                                       enum collective_kind kind, uint64_t bytes)
{
    return mini_node(mini, t, after,
                     (struct trace_node){.type = OP_COLLECTIVE,
                                         .collective = (uint8_t)kind,
                                         .size_bytes = bytes,
                                         .flags = NODE_HAS_SIZE | NODE_HAS_KIND});
}

/* Puts the collective added last into the group called `name`. */
static inline void mini_in_group(struct mini *mini, uint32_t t, const char *name)
{
    struct trace *trace = &mini->trace[t].trace;
    uint32_t g = 0;
    while (g < trace->group_name_count && strcmp(trace->group_names[g], name) != 0)
        g++;
    trace->group_names[g] = name;
    if (g == trace->group_name_count)
        trace->group_name_count++;
    trace->node[trace->count - 1].group = g;
}

static inline uint32_t mini_message(struct mini *mini, uint32_t t, int after, enum op_type type,
                                    uint32_t peer, uint32_t tag, uint64_t bytes)
{
    return mini_node(mini, t, after,
                     (struct trace_node){.type = (uint8_t)type,
                                         .peer = peer,
                                         .tag = tag,
                                         .size_bytes = bytes,
                                         .flags = NODE_HAS_SIZE | NODE_HAS_PEER | NODE_HAS_TAG});
}

/* Declares the group `name` with `count` members (0: all ranks). */
static inline void mini_group(struct mini *mini, const char *name, const uint32_t *ranks,
                              uint32_t count)
{
    uint32_t g = mini->group_count++;
    if (count)
        memcpy(mini->members[g], ranks, count * sizeof *ranks);
    mini->group[g] = (struct group_entry){name, mini->members[g], count};
}

static inline enum status mini_run(struct mini *mini)
{
    struct workload workload = {mini->config.network.npu_count, mini->of_rank, mini->traces,
                                mini->trace_count};
    struct group_file groups = {.entry = mini->group, .count = mini->group_count, .path = "mini"};
    return simulate(&mini->config, &workload, &groups, NULL, &mini->result, &mini->diag);
}

/* Finish time of a rank in ns. */
static inline uint64_t mini_finish_ns(const struct mini *mini, uint32_t rank)
{
    return result_rank(&mini->result, rank)->finish_ps / PS_PER_NS;
}

#endif
