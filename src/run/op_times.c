#include "run/op_times.h"

#include "compute/model/device_op.h"

enum { MOST_ROWS = OP_MODEL_COUNT * OP_CLASS_COUNT };

/* Sums by model and class while times are worked out. */
struct tally {
    struct compute_row row[MOST_ROWS];
};

static void add(struct tally *tally, const struct op_shape *shape, const struct op_time *answer,
                uint64_t nodes)
{
    struct compute_row *row = &tally->row[answer->model * OP_CLASS_COUNT + shape->class];
    row->model = op_models[answer->model]->name;
    row->class = (enum op_class)shape->class;
    row->nodes += nodes;
    row->time_ns += answer->ns * (double)nodes;
    row->flops += (double)shape->flops * (double)nodes;
    row->extrapolated += answer->is_extrapolated ? nodes : 0;
}

/* Nodes of all ranks of the trace that have each shape. */
static uint64_t *count_nodes(const struct trace *trace, uint64_t ranks, struct arena *arena)
{
    uint64_t *nodes = arena_array(arena, trace->shape_count, sizeof *nodes);
    for (uint32_t i = 0; i < trace->count; i++) {
        if (trace->node[i].shape != TRACE_NONE)
            nodes[trace->node[i].shape] += ranks;
    }
    return nodes;
}

static const time_ps *times_of(const struct trace *trace, uint64_t ranks,
                               const struct system_config *system, struct arena *arena,
                               struct tally *tally)
{
    const uint64_t *nodes = count_nodes(trace, ranks, arena);
    time_ps *times = arena_array(arena, trace->shape_count, sizeof *times);
    for (uint32_t s = 0; s < trace->shape_count; s++) {
        struct op_time answer;
        times[s] = device_op_time(system, &trace->shape[s], &answer);
        add(tally, &trace->shape[s], &answer, nodes[s]);
    }
    return times;
}

static void keep_rows(const struct tally *tally, struct run_result *result)
{
    result->compute = arena_array(&result->arena, MOST_ROWS, sizeof *result->compute);
    for (uint32_t i = 0; i < MOST_ROWS; i++) {
        if (tally->row[i].nodes)
            result->compute[result->compute_count++] = tally->row[i];
    }
}

static time_ps launch_time(const struct trace_node *node, time_ps kernel, time_ps collective)
{
    switch (trace_run_as(node)) {
    case OP_COMPUTE:
    case OP_MEM_LOAD:
    case OP_MEM_STORE:
        if (node->flags & NODE_IS_HOST)
            return 0;
        return kernel * (node->kernels ? node->kernels : 1);
    case OP_COLLECTIVE:
    case OP_SEND:
    case OP_RECV:
        return collective;
    default:
        return 0;
    }
}

static const time_ps *launches_of(const struct trace *trace, const struct system_config *system,
                                  struct arena *arena)
{
    time_ps *launches = arena_array(arena, trace->count, sizeof *launches);
    time_ps at = time_rounded(system->step_overhead_ns, system->whole_ns);
    time_ps kernel = time_rounded(system->launch_overhead_ns, system->whole_ns);
    time_ps collective = time_rounded(system->collective_launch_ns, system->whole_ns);
    for (uint32_t i = 0; i < trace->count; i++)
        launches[i] = at = time_after(at, launch_time(&trace->node[i], kernel, collective));
    return launches;
}

static void find_launches(struct op_times *times, const struct config *config,
                          const struct workload *workload)
{
    const struct system_config *system = &config->system;
    if (!(system->launch_overhead_ns + system->collective_launch_ns + system->step_overhead_ns > 0))
        return;
    times->launch_of_trace =
        arena_array(&times->arena, workload->trace_count, sizeof *times->launch_of_trace);
    for (uint32_t t = 0; t < workload->trace_count; t++)
        times->launch_of_trace[t] = launches_of(workload->traces[t], system, &times->arena);
}

/* Products of a type without matrix units are timed at another type's rate. */
static void say_missing_types(const struct device *device, const struct workload *workload,
                              struct run_result *result)
{
    for (uint32_t t = 0; t < workload->trace_count; t++) {
        const struct trace *trace = workload->traces[t];
        for (uint32_t s = 0; s < trace->shape_count; s++) {
            const struct op_shape *shape = &trace->shape[s];
            enum data_type type = (enum data_type)shape->type;
            bool is_product = op_class_is_product((enum op_class)shape->class);
            if (is_product && type != TYPE_FP32 && type != TYPE_FP64 && type != TYPE_TF32 &&
                !(device->peak_flops[type] > 0))
                notices_add(&result->notices, NOTICE_GUESSED,
                            "products of a number type that the device has no matrix units for: "
                            "another's rate",
                            1, "%s on %s", data_type_name(type), device->name);
        }
    }
}

void op_times_init(struct op_times *times, const struct config *config,
                   const struct workload *workload, struct run_result *result)
{
    *times = (struct op_times){0};
    arena_init(&times->arena);
    find_launches(times, config, workload);
    const struct system_config *system = &config->system;
    if (system->compute != COMPUTE_DEVICE || system->replay_only)
        return;
    uint32_t count = workload->trace_count;
    say_missing_types(system->device, workload, result);
    uint64_t *ranks = arena_array(&times->arena, count, sizeof *ranks);
    for (uint32_t r = 0; r < workload->rank_count; r++)
        ranks[workload->trace_of_rank[r]]++;
    times->of_trace = arena_array(&times->arena, count, sizeof *times->of_trace);
    struct tally tally = {0};
    for (uint32_t t = 0; t < count; t++)
        times->of_trace[t] = times_of(workload->traces[t], ranks[t], system, &times->arena, &tally);
    keep_rows(&tally, result);
}

void op_times_release(struct op_times *times)
{
    arena_release(&times->arena);
    *times = (struct op_times){0};
}
