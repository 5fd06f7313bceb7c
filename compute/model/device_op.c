#include "compute/model/device_op.h"

#include "compute/model/replay.h"

/* 0 stays 0: not given. */
static double inverse(double ratio)
{
    return ratio > 0 ? 1 / ratio : 0;
}

time_ps device_op_time(const struct system_config *system, const struct op_shape *shape,
                       struct op_time *answer)
{
    const struct op_time_options options = {
        .profile = system->profile,
        .is_sustained = system->sustained_rates,
        .attention = (enum attention_kernel)system->attention,
        .slowness = {[OP_SORT_MATRIX] = inverse(system->matrix_ratio),
                     [OP_SORT_ATTENTION] = inverse(system->attention_ratio),
                     [OP_SORT_MEMORY] = system->memory_ratio}};
    const char *why;
    promise(op_time(system->device, shape, &options, answer, &why));
    return time_rounded(answer->ns, system->whole_ns);
}

static bool is_counted(const struct trace_node *node)
{
    return node->flags & (NODE_HAS_FLOPS | NODE_HAS_SIZE);
}

static enum status check(const struct system_config *system, const struct trace_node *node,
                         struct diag *diag)
{
    return is_counted(node) ? STATUS_OK : compute_replay.check(system, node, diag);
}

static time_ps duration(const struct system_config *system, const struct trace_node *node,
                        bool *free)
{
    if (!is_counted(node))
        return compute_replay.duration(system, node, free);
    const struct op_shape shape = {.class = OP_CLASS_NONE,
                                   .type = TYPE_BF16,
                                   .out_type = TYPE_BF16,
                                   .flops = node->flop_count,
                                   .read_bytes = node->size_bytes};
    struct op_time answer;
    *free = false;
    return device_op_time(system, &shape, &answer);
}

const struct compute_ops compute_device = {
    .name = "device",
    .summary = "models of a device, chosen by the shape of each op",
    .check = check,
    .duration = duration,
};
