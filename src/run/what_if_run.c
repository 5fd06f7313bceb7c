#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mix.h"
#include "base/table.h"
#include "compute/op_time.h"
#include "run/what_if_parts.h"

/*
 * Ranks with something of their own have a trace of their own, and traces with nodes that are free
 * are of a variant of their own, so that they are folded with nobody else.
 */
struct changed {
    struct workload workload; /* trace_of_rank and traces are its own */
    bool *is_free;            /* [traces] */
    double *factor;           /* [traces] */
    bool **node;              /* [traces] of nodes that are free, or NULL */
    uint64_t *variant;        /* [traces] */
    uint32_t first_own;       /* traces from here on share `node` with those before */
};

bool what_if_matches(const struct what_if *what_if, uint32_t match, struct trace *trace,
                     uint32_t index)
{
    const struct trace_node *node = &trace->node[index];
    const char *text = what_if->match[match].text;
    char family[256];
    if (what_if->match[match].is_collective && trace_run_as(node) != OP_COLLECTIVE)
        return false;
    if (!what_if->match[match].is_group) {
        trace_family(trace_name(trace, index), family, sizeof family);
        return strstr(family, text) != NULL || strcmp(trace_name(trace, index), text) == 0;
    }
    if (!trace_is_communication(node) || node->group == TRACE_NONE)
        return false;
    const char *name = trace->group_names[node->group];
    trace_family(name, family, sizeof family);
    return strcmp(name, text) == 0 || strcmp(family, text) == 0;
}

/* -- nodes ----------------------------------------------------------------------------------- */

static bool is_memory_bound(const struct trace *trace, const struct trace_node *node)
{
    enum op_type type = trace_run_as(node);
    if (type == OP_MEM_LOAD || type == OP_MEM_STORE)
        return true;
    return type == OP_COMPUTE && node->shape != TRACE_NONE &&
           op_sort_of((enum op_class)trace->shape[node->shape].class) == OP_SORT_MEMORY;
}

static bool is_free(const struct what_if *what_if, struct trace *trace, uint32_t index)
{
    const struct trace_node *node = &trace->node[index];
    enum op_type type = trace_run_as(node);
    if ((type == OP_COLLECTIVE && what_if->collectives >> node->collective & 1) ||
        ((type == OP_SEND || type == OP_RECV) && what_if->messages) ||
        (what_if->memory && is_memory_bound(trace, node)))
        return true;
    for (uint32_t m = 0; m < what_if->match_count; m++) {
        if (what_if_matches(what_if, m, trace, index))
            return true;
    }
    return false;
}

static void free_nodes(struct changed *changed, const struct what_if *what_if,
                       const struct workload *workload)
{
    for (uint32_t t = 0; t < workload->trace_count; t++) {
        struct trace *trace = workload->traces[t];
        changed->node[t] = calloc((size_t)trace->count + 1, sizeof **changed->node);
        need_memory(changed->node[t] != NULL);
        for (uint32_t i = 0; i < trace->count; i++)
            changed->node[t][i] = is_free(what_if, trace, i);
    }
}

/* -- ranks ----------------------------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
    time_ps a = *(const time_ps *)left, b = *(const time_ps *)right;
    return a < b ? -1 : a > b;
}

/* [ranks] How much less compute of each rank takes if none has more than the median. */
static double *level(const struct run_result *result)
{
    double *factor = calloc((size_t)result->rank_count + 1, sizeof *factor);
    time_ps *sorted = calloc((size_t)result->rank_count + 1, sizeof *sorted);
    need_memory(factor && sorted);
    for (uint32_t r = 0; r < result->rank_count; r++)
        sorted[r] = result_rank(result, r)->compute_sum_ps;
    qsort(sorted, result->rank_count, sizeof *sorted, compare);
    time_ps median = sorted[(result->rank_count - 1) / 2];
    for (uint32_t r = 0; r < result->rank_count; r++) {
        time_ps own = result_rank(result, r)->compute_sum_ps;
        factor[r] = own > median ? (double)median / (double)own : 1;
    }
    free(sorted);
    return factor;
}

/* The trace of a rank that is free, or whose compute takes `factor` times as long. */
static uint32_t own_trace(struct changed *changed, struct table *made, uint32_t trace, bool is_free,
                          double factor)
{
    struct workload *workload = &changed->workload;
    uint64_t key = mix_in(mix_in(trace, is_free), bits_of(factor));
    uint32_t found = table_find(made, key);
    if (found != TABLE_NONE)
        return found;
    uint32_t own = workload->trace_count++;
    workload->traces[own] = workload->traces[trace];
    changed->node[own] = changed->node[trace];
    changed->is_free[own] = is_free;
    changed->factor[own] = factor;
    table_put(made, key, own);
    return own;
}

static void change_ranks(struct changed *changed, const struct what_if *what_if,
                         const struct run_result *result)
{
    struct workload *workload = &changed->workload;
    double *factor = what_if->stragglers ? level(result) : NULL;
    bool *is_free = calloc((size_t)workload->rank_count + 1, sizeof *is_free);
    struct table made;
    need_memory(is_free != NULL);
    table_init(&made);
    for (uint32_t i = 0; i < what_if->rank_count; i++)
        is_free[what_if->rank[i]] = true;
    for (uint32_t r = 0; r < workload->rank_count; r++) {
        uint32_t *trace = &workload->trace_of_rank[r];
        double own = factor ? factor[r] : 1;
        if (is_free[r] || own != 1)
            *trace = own_trace(changed, &made, *trace, is_free[r] || what_if->compute, own);
    }
    table_release(&made);
    free(is_free);
    free(factor);
}

/* -- together -------------------------------------------------------------------------------- */

static void change(struct changed *changed, const struct what_if *what_if,
                   const struct what_if_job *job)
{
    const struct workload *workload = job->workload;
    struct workload *copy = &changed->workload;
    bool any_rank = what_if->rank_count || what_if->stragglers;
    size_t most = workload->trace_count + (any_rank ? workload->rank_count : 0) + 1;
    *copy = *workload;
    *changed = (struct changed){.workload = *workload,
                                .is_free = calloc(most, sizeof *changed->is_free),
                                .factor = calloc(most, sizeof *changed->factor),
                                .node = calloc(most, sizeof *changed->node),
                                .variant = calloc(most, sizeof *changed->variant),
                                .first_own = workload->trace_count};
    copy->trace_of_rank = malloc((workload->rank_count + 1) * sizeof *copy->trace_of_rank);
    copy->traces = malloc(most * sizeof *copy->traces);
    need_memory(copy->trace_of_rank && copy->traces && changed->is_free && changed->factor &&
                changed->node && changed->variant);
    memcpy(copy->trace_of_rank, workload->trace_of_rank,
           workload->rank_count * sizeof *copy->trace_of_rank);
    memcpy(copy->traces, workload->traces, workload->trace_count * sizeof *copy->traces);
    for (uint32_t t = 0; t < workload->trace_count; t++) {
        changed->is_free[t] = what_if->compute;
        changed->factor[t] = 1;
    }
    if (what_if->collectives || what_if->messages || what_if->memory || what_if->match_count)
        free_nodes(changed, what_if, workload);
    if (any_rank)
        change_ranks(changed, what_if, job->result);
    for (uint32_t t = 0; t < copy->trace_count; t++) {
        uint64_t variant = mix_in(changed->is_free[t], bits_of(changed->factor[t]));
        changed->variant[t] = changed->node[t]
                                  ? hash_bytes(changed->node[t], copy->traces[t]->count, variant)
                                  : variant;
    }
}

static void changed_release(struct changed *changed)
{
    for (uint32_t t = 0; t < changed->first_own; t++)
        free(changed->node[t]);
    free(changed->workload.trace_of_rank);
    free(changed->workload.traces);
    free(changed->is_free);
    free(changed->factor);
    free(changed->node);
    free(changed->variant);
}

enum status what_if_run(const struct what_if *what_if, const struct what_if_job *job,
                        const struct simulate_also *also, struct run_result *result,
                        struct diag *diag)
{
    struct changed changed;
    change(&changed, what_if, job);
    struct config config = *job->config; /* borrows all that it has */
    if (what_if->memory && config.system.local_memory_Bps > 0)
        config.system.local_memory_Bps = 1e30;
    bool has_nodes = changed.first_own && changed.node[0];
    const struct sched_free nothing = {.trace = changed.is_free,
                                       .compute_factor = changed.factor,
                                       .node = has_nodes ? (const bool *const *)changed.node : NULL,
                                       .variant = changed.variant,
                                       .launches = what_if->launches};
    struct simulate_also with = *also;
    with.free = &nothing;
    enum status status =
        simulate_also(&config, &changed.workload, job->groups, &with, result, diag);
    changed_release(&changed);
    return status;
}
