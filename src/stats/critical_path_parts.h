/*
 * critical_path_parts - what the time of one op, message or launch is made of, and which setting
 * each part of it scales with.
 *
 * Rules:
 *  1. The parts of an op sum to its length exactly.
 *  2. Compute is told apart by what bounds it: by shape where a device times it; under the roofline
 *     model by the longer of flops / peak-compute and bytes / local-memory-bandwidth.
 *  3. A compute op that took longer than it does alone was slowed by communication: the difference
 *     is a part of its own. Where compute varies (slow ranks, jitter) it is not known by which of
 *     the two, and the part is called so.
 */
#ifndef ORRERY_STATS_CRITICAL_PATH_PARTS_H
#define ORRERY_STATS_CRITICAL_PATH_PARTS_H

#include "stats/critical_path_split.h"

/* X(enumerator, name, what to change) - those of the network have one row per dimension. */
#define PATH_PART_LIST(X)                                                                          \
    X(PART_MATRIX, "matrix products", "matrix-ratio")                                              \
    X(PART_ATTENTION, "attention", "attention-ratio")                                              \
    X(PART_MEMORY_BOUND, "compute bound by memory", "memory-ratio")                                \
    X(PART_PEAK, "compute bound by the peak rate", "peak-compute")                                 \
    X(PART_LOCAL_MEMORY, "compute bound by local memory", "local-memory-bandwidth")                \
    X(PART_COMPUTE, "compute", "durations")                                                        \
    X(PART_SLOWED, "compute slowed by communication", "overlap-slowdown")                          \
    X(PART_VARIED, "compute slower than its model: variation, overlap", "")                        \
    X(PART_HOST, "host work", "")                                                                  \
    X(PART_STEP_OVERHEAD, "host: start of the step", "step-overhead")                              \
    X(PART_LAUNCH, "host: launches of kernels", "launch-overhead")                                 \
    X(PART_LAUNCH_COMM, "host: launches of communication", "collective-launch-overhead")           \
    X(PART_REMOTE_MEMORY, "remote memory", "remote-memory")                                        \
    X(PART_LATENCY, "link latency", "latency")                                                     \
    X(PART_BANDWIDTH, "link bandwidth", "bandwidth")                                               \
    X(PART_CONTENTION, "contention, queues, hand-overs", "")                                       \
    X(PART_REPLAYED, "replayed communication", "")                                                 \
    X(PART_IDLE, "late starts: start-delay, ASTRA-sim", "")

enum path_part {
#define X(name, text, change) name,
    PATH_PART_LIST(X)
#undef X
        PATH_PART_COUNT
};

/* "matrix products"; "matrix-ratio", or "" if no setting stands for it. */
const char *path_part_name(enum path_part part);
const char *path_part_change(enum path_part part);

struct path_parts {
    struct {
        enum path_part part;
        int dim; /* of latency and bandwidth, else -1 */
        time_ps time_ps;
    } row[2 * CONFIG_MAX_DIMS + 4]; /* none of length 0 */
    uint32_t count;
};

/* An op of a rank. */
struct path_op {
    uint32_t rank;
    const struct trace *trace;
    const struct trace_node *node;
};

/* The parts of `length_ps` of `op`, which was such a piece. */
void path_parts_find(struct path_splitter *splitter, const struct path_op *op,
                     enum path_step_kind kind, time_ps length_ps, struct path_parts *parts);

/* Communication that takes its recorded time, and uses no network. */
bool path_is_replayed(const struct path_splitter *splitter, const struct trace_node *node);

/* How long a compute op takes when no communication slows it down; at most `length_ps`. */
time_ps path_undisturbed(const struct path_splitter *splitter, const struct path_op *op,
                         time_ps length_ps);

#endif
