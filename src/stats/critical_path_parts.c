#include "stats/critical_path_parts.h"

#include "compute/op_time.h"
#include "model/compute.h"

const char *path_part_name(enum path_part part)
{
    static const char *const names[] = {
#define X(name, text, change) [name] = text,
        PATH_PART_LIST(X)
#undef X
    };
    return names[part];
}

const char *path_part_change(enum path_part part)
{
    static const char *const changes[] = {
#define X(name, text, change) [name] = change,
        PATH_PART_LIST(X)
#undef X
    };
    return changes[part];
}

static void add(struct path_parts *parts, enum path_part part, int dim, time_ps time)
{
    if (!time)
        return;
    parts->row[parts->count].part = part;
    parts->row[parts->count].dim = dim;
    parts->row[parts->count++].time_ps = time;
}

/* -- compute --------------------------------------------------------------------------------- */

/* By the roofline model: which of the two is longer. */
static enum path_part roofline_part(const struct system_config *system,
                                    const struct trace_node *node)
{
    double at_peak = (double)node->flop_count / system->peak_flop_per_s;
    double of_memory = (double)node->size_bytes / system->local_memory_Bps;
    return of_memory > at_peak ? PART_LOCAL_MEMORY : PART_PEAK;
}

static enum path_part compute_part(const struct path_splitter *splitter, const struct path_op *op)
{
    const struct system_config *system = &splitter->config->system;
    static const enum path_part of_sort[OP_SORT_COUNT] = {[OP_SORT_MATRIX] = PART_MATRIX,
                                                          [OP_SORT_ATTENTION] = PART_ATTENTION,
                                                          [OP_SORT_MEMORY] = PART_MEMORY_BOUND};
    if (op->node->shape != TRACE_NONE && splitter->shape_ps)
        return of_sort[op_sort_of((enum op_class)op->trace->shape[op->node->shape].class)];
    bool is_roofline =
        system->compute == COMPUTE_ROOFLINE && !system->replay_only && op->node->type == OP_COMPUTE;
    return is_roofline ? roofline_part(system, op->node) : PART_COMPUTE;
}

time_ps path_undisturbed(const struct path_splitter *splitter, const struct path_op *op,
                         time_ps length)
{
    const struct system_config *system = &splitter->config->system;
    bool is_free;
    if (system->overlap_slowdown <= 0)
        return length;
    uint32_t trace = splitter->workload->trace_of_rank[op->rank];
    time_ps alone = op->node->shape != TRACE_NONE && splitter->shape_ps
                        ? splitter->shape_ps[trace][op->node->shape]
                        : compute_model_for(system, op->node)->duration(system, op->node, &is_free);
    return alone < length ? alone : length;
}

/* Rule 3. */
static bool compute_varies(const struct config *config)
{
    const struct variation_config *variation = &config->variation;
    bool jitters = variation->op_ratio > 0 || variation->rank_ratio > 0;
    return variation->slow_ranks || (variation->form != JITTER_NONE && jitters);
}

static void find_op(const struct path_splitter *splitter, const struct path_op *op, time_ps length,
                    struct path_parts *parts)
{
    switch (trace_run_as(op->node)) {
    case OP_COLLECTIVE:
    case OP_SEND:
    case OP_RECV:
        add(parts, PART_REPLAYED, -1, length);
        return;
    case OP_MEM_LOAD:
    case OP_MEM_STORE:
        add(parts, PART_REMOTE_MEMORY, -1, length);
        return;
    default:
        break;
    }
    if (trace_run_as(op->node) == OP_HOST_WORK || op->node->flags & NODE_IS_HOST) {
        add(parts, PART_HOST, -1, length);
        return;
    }
    time_ps alone = path_undisturbed(splitter, op, length);
    add(parts, compute_part(splitter, op), -1, alone);
    add(parts, compute_varies(splitter->config) ? PART_VARIED : PART_SLOWED, -1, length - alone);
}

/* -- the network and the host ---------------------------------------------------------------- */

bool path_is_replayed(const struct path_splitter *splitter, const struct trace_node *node)
{
    const struct system_config *system = &splitter->config->system;
    return system->replay_only ||
           (node->type == OP_COLLECTIVE && node->collective == COLL_BROADCAST &&
            system->broadcast_replayed);
}

static void find_network(struct path_splitter *splitter, const struct path_op *op, time_ps length,
                         struct path_parts *parts)
{
    if (path_is_replayed(splitter, op->node)) {
        add(parts, PART_REPLAYED, -1, length);
        return;
    }
    struct path_split split;
    path_split(splitter, op->rank, op->node, length, &split);
    for (int d = 0; d < CONFIG_MAX_DIMS; d++) {
        add(parts, PART_LATENCY, d, split.latency_ps[d]);
        add(parts, PART_BANDWIDTH, d, split.bandwidth_ps[d]);
    }
    add(parts, PART_CONTENTION, -1, split.rest_ps);
}

/* The host has launched all nodes up to this one: step overhead first, what is left is kernels'. */
static void find_launch(const struct path_splitter *splitter, const struct path_op *op,
                        time_ps length, struct path_parts *parts)
{
    const struct system_config *system = &splitter->config->system;
    time_ps step = time_rounded(system->step_overhead_ns, system->whole_ns);
    time_ps each = time_rounded(system->collective_launch_ns, system->whole_ns);
    uint64_t communication = 0;
    for (const struct trace_node *node = op->trace->node; node <= op->node; node++)
        communication += trace_is_communication(node);
    step = step < length ? step : length;
    time_ps theirs = time_times(each, communication);
    theirs = theirs < length - step ? theirs : length - step;
    add(parts, PART_STEP_OVERHEAD, -1, step);
    add(parts, PART_LAUNCH_COMM, -1, theirs);
    add(parts, PART_LAUNCH, -1, length - step - theirs);
}

void path_parts_find(struct path_splitter *splitter, const struct path_op *op,
                     enum path_step_kind kind, time_ps length, struct path_parts *parts)
{
    parts->count = 0;
    switch (kind) {
    case PATH_OP:
        find_op(splitter, op, length, parts);
        return;
    case PATH_NETWORK:
        find_network(splitter, op, length, parts);
        return;
    case PATH_LAUNCH:
        find_launch(splitter, op, length, parts);
        return;
    case PATH_IDLE:
        add(parts, PART_IDLE, -1, length);
    }
}
