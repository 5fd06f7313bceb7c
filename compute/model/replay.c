#include "compute/model/replay.h"

static enum status check(const struct system_config *system, const struct trace_node *node,
                         struct diag *diag)
{
    (void)system, (void)node, (void)diag;
    return STATUS_OK;
}

static time_ps duration(const struct system_config *system, const struct trace_node *node,
                        bool *free)
{
    *free = false;
    return time_of_whole_ns(node->duration_ns ? node->duration_ns : system->least_duration_ns);
}

const struct compute_ops compute_replay = {
    .name = "replay",
    .summary = "recorded durations (a recorded 0 becomes the configured least duration)",
    .check = check,
    .duration = duration,
};
