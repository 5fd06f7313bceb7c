#include "compute/model/roofline.h"

#include <math.h>

static enum status check(const struct system_config *system, const struct trace_node *node,
                         struct diag *diag)
{
    const char *lacks = NULL;
    if (!(node->flags & NODE_HAS_FLOPS))
        lacks = "num_ops";
    else if (!(node->flags & NODE_HAS_SIZE))
        lacks = "tensor_size";
    if (lacks) {
        diag_fail(diag, STATUS_BAD_INPUT,
                  "the roofline model needs this attribute, and the compute node has none");
        diag_at(diag, DIAG_NODE, node->id);
        diag_field(diag, "%s", lacks);
        diag_hint(diag, "replay recorded durations instead (roofline-enabled: 0)");
        return STATUS_BAD_INPUT;
    }
    if (system->peak_flop_per_s > 0 && system->local_memory_Bps > 0)
        return STATUS_OK;
    diag_fail(diag, STATUS_BAD_CONFIG,
              "the roofline model needs peak-perf (TFLOPS) and local-mem-bw (GB/s) above 0");
    diag_field(diag, "%s", system->peak_flop_per_s > 0 ? "local-mem-bw" : "peak-perf");
    diag_hint(diag, "give both in the system file, or set roofline-enabled to 0");
    return STATUS_BAD_CONFIG;
}

static time_ps duration(const struct system_config *system, const struct trace_node *node,
                        bool *free)
{
    double operations = (double)node->flop_count;
    double bytes = (double)node->size_bytes;
    *free = node->size_bytes == 0 && system->zero_bytes_is_free;
    if (*free)
        return 0;
    double seconds;
    if (node->flop_count == 0)
        seconds = bytes / system->local_memory_Bps;
    else if (node->size_bytes == 0)
        seconds = operations / system->peak_flop_per_s;
    else
        seconds = operations /
                  fmin(system->local_memory_Bps * (operations / bytes), system->peak_flop_per_s);
    return time_rounded(seconds * 1e9, system->whole_ns);
}

const struct compute_ops compute_roofline = {
    .name = "roofline",
    .summary = "max of compute time at peak and of memory time at local bandwidth",
    .check = check,
    .duration = duration,
};
