#include "compare/outcome_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/describe.h"

/* -- ranks and collectives --------------------------------------------------------------------- */

static bool set(int64_t *figure, time_ps time)
{
    *figure = (int64_t)time;
    return time <= INT64_MAX;
}

/* As rank_times.h has it of a report. */
static bool add_rank(struct outcome *outcome, uint32_t r, const struct rank_result *rank)
{
    time_ps alone = rank->waiting_ps, overlapped = 0;
    uint32_t kinds = 0;
    for (int kind = 0; kind < COMM_KIND_COUNT; kind++) {
        alone = time_after(alone, rank->exposed_ps[kind]);
        overlapped = time_after(overlapped, rank->overlapped_ps[kind]);
        kinds += rank->overlapped_ps[kind] > 0;
    }
    int64_t *figure = outcome_add_rank(outcome, r)->figure_ps;
    bool fits = set(&figure[RANK_FINISH], rank->finish_ps) &&
                set(&figure[RANK_COMPUTE], rank->compute_ps) &&
                set(&figure[RANK_COMPUTE_SUM], rank->compute_sum_ps) &&
                set(&figure[RANK_ALONE], alone);
    if (fits && kinds <= 1)
        fits = set(&figure[RANK_COMMUNICATION], time_after(alone, overlapped));
    return fits;
}

static void add_collectives(struct outcome *outcome, const struct run_result *result)
{
    for (uint32_t i = 0; i < result->collective_count; i++) {
        const struct collective_row *row = &result->collective[i];
        struct outcome_collective *added = outcome_add_collective(outcome, row->kind);
        added->group_size = row->group_size;
        added->count = row->count;
        added->size_bytes = row->bytes;
        added->time_ps = (double)row->time_ps;
    }
}

/* -- what it was made from --------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void add_file(struct outcome *outcome, const char *key, const char *path, uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    outcome_add_input(outcome, &(struct outcome_input){key, text, path, true});
}

static void add_inputs(struct outcome *outcome, const struct config *config,
                       const struct workload *workload)
{
    for (uint32_t i = 0; i < config->input_count; i++)
        add_file(outcome, config->input[i].role, config->input[i].path, config->input[i].hash);
    for (uint32_t t = 0; workload && t < workload->trace_count; t++) {
        char key[256];
        const struct trace *trace = workload->traces[t];
        snprintf(key, sizeof key, "trace %s", base_name(trace->path));
        add_file(outcome, key, trace->path, trace->content_hash);
    }
    for (uint32_t i = 0; i < config->provenance_count; i++) {
        const struct provenance *row = &config->provenance[i];
        if (!describe_is_fold_row(row))
            outcome_add_input(outcome,
                              &(struct outcome_input){row->key, row->value, row->source, false});
    }
}

enum status outcome_of_run(struct outcome *outcome, const struct run_result *result,
                           const struct config *config, const struct workload *workload,
                           struct diag *diag)
{
    outcome->kind = "orrery run";
    outcome->ranks_in_all = result->rank_count;
    bool fits = result->end_ps <= INT64_MAX;
    for (uint32_t r = 0; r < result->rank_count && fits; r++) {
        const struct rank_result *rank = result_rank(result, r);
        if (rank->finished)
            fits = add_rank(outcome, r, rank);
        else
            notices_add(&outcome->notices, NOTICE_ODDITY, "rank that did not finish", 1,
                        "rank %" PRIu32, r);
    }
    if (!fits)
        return diag_fail(diag, STATUS_LIMIT, "a time of 106 days or more cannot be compared");
    if (result->status == STATUS_OK)
        outcome->end_ps = (int64_t)result->end_ps;
    add_collectives(outcome, result);
    add_inputs(outcome, config, workload);
    for (size_t i = 0; i < result->notices.count; i++) {
        const struct notice *notice = &result->notices.row[i];
        notices_add(&outcome->notices, notice->kind, notice->key, notice->count, "%s",
                    notice->example);
    }
    return STATUS_OK;
}

/* -- ops --------------------------------------------------------------------------------------- */

static bool is_host(const struct trace_node *node)
{
    return trace_run_as(node) == OP_HOST_WORK ||
           (node->type == OP_COMPUTE && node->flags & NODE_IS_HOST);
}

static const char *class_of(const struct trace *trace, const struct trace_node *node)
{
    enum op_type type = trace_run_as(node);
    if (is_host(node))
        return "host";
    if (type == OP_COMPUTE && node->shape != TRACE_NONE)
        return op_class_name((enum op_class)trace->shape[node->shape].class);
    if (type == OP_COLLECTIVE)
        return collective_name((enum collective_kind)node->collective);
    return op_name(type);
}

/* Ranks of a node's group; 0 if groups of its name are of several sizes. */
static uint32_t group_size(const struct run_result *result, const struct trace *trace,
                           const struct trace_node *node)
{
    uint32_t size = 0;
    if (node->group == TRACE_NONE)
        return result->rank_count;
    for (uint32_t i = 0; i < result->group_count; i++) {
        if (strcmp(result->group[i].name, trace->group_names[node->group]) != 0)
            continue;
        if (size && size != result->group[i].size)
            return 0;
        size = result->group[i].size;
    }
    return size;
}

/* A rank whose ops are added. */
struct rank_ops {
    struct outcome *outcome;
    const struct timeline *timeline;
    const struct run_result *result;
    uint32_t rank, seat;
};

static void add_op(const struct rank_ops *ops, struct trace *trace, uint32_t index,
                   const struct timeline_op *at)
{
    const struct trace_node *node = &trace->node[index];
    enum op_type type = trace_run_as(node);
    const char *name = trace_name(trace, index);
    struct outcome_op *op = outcome_add_op(ops->outcome, ops->rank, *name ? name : op_name(type),
                                           class_of(trace, node));
    op->begin_ps = (int64_t)at->begin;
    op->duration_ps = (int64_t)(at->end - at->begin);
    op->is_compute = type == OP_COMPUTE && !is_host(node);
    op->is_communication = trace_is_communication(node);
    if (type == OP_COLLECTIVE) {
        op->collective = node->collective;
        op->group_size = group_size(ops->result, trace, node);
    }
    if (op->is_communication)
        op->size_bytes = node->size_bytes;
}

static void add_ops(const struct rank_ops *ops)
{
    const struct timeline *timeline = ops->timeline;
    struct trace *trace = timeline->workload->traces[timeline_trace(timeline, ops->seat)];
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct timeline_op *at = &timeline->op[timeline->first[ops->seat] + i];
        if (at->begin == TIME_NEVER || at->end == TIME_NEVER || at->end > INT64_MAX)
            notices_add(&ops->outcome->notices, NOTICE_IGNORED, "op that did not end", 1,
                        "rank %" PRIu32, ops->rank);
        else if (at->end > at->begin)
            add_op(ops, trace, i, at);
    }
}

/* -- of which ranks ---------------------------------------------------------------------------- */

static uint64_t ops_of_rank(const struct timeline *timeline, const struct run_result *result,
                            uint32_t rank)
{
    uint32_t seat = result->class_of_rank[rank];
    return timeline->first[seat + 1] - timeline->first[seat];
}

static bool is_small(const struct timeline *timeline, const struct run_result *result)
{
    uint64_t ops = 0;
    for (uint32_t r = 0; r < result->rank_count && ops <= OUTCOME_USUAL_OPS; r++)
        ops += ops_of_rank(timeline, result, r);
    return ops <= OUTCOME_USUAL_OPS;
}

/* True for each rank that is asked for; to be freed. */
static bool *choose_ranks(struct outcome *outcome, const struct timeline *timeline,
                          const struct run_result *result, const struct outcome *like)
{
    bool *is_asked = calloc(result->rank_count + 1, sizeof *is_asked);
    need_memory(is_asked != NULL);
    bool takes_all = !like && is_small(timeline, result);
    for (uint32_t r = 0; takes_all && r < result->rank_count; r++)
        is_asked[r] = true;
    for (uint32_t i = 0; like && i < like->op_count; i++)
        if (like->op[i].rank < result->rank_count)
            is_asked[like->op[i].rank] = true;
    for (uint32_t s = 0; !like && !takes_all && s < timeline->seats; s++)
        is_asked[timeline->rank_of_seat[s]] = true;
    if (!like && !takes_all)
        notices_add(&outcome->notices, NOTICE_IGNORED, "ops of ranks that others stand for",
                    result->rank_count - timeline->seats, "%s", outcome->path);
    return is_asked;
}

void outcome_of_timeline(struct outcome *outcome, const struct timeline *timeline,
                         const struct run_result *result, const struct outcome *like)
{
    bool *is_asked = choose_ranks(outcome, timeline, result, like);
    for (uint32_t r = 0; r < result->rank_count; r++) {
        if (!is_asked[r])
            continue;
        uint64_t more = ops_of_rank(timeline, result, r);
        if (outcome->op_count && outcome->op_count + more > OUTCOME_MOST_OPS)
            notices_add(&outcome->notices, NOTICE_IGNORED, "ops of a rank beyond 20 million", 1,
                        "rank %" PRIu32, r);
        else
            add_ops(&(struct rank_ops){outcome, timeline, result, r, result->class_of_rank[r]});
    }
    free(is_asked);
}
