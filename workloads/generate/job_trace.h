/*
 * job_trace - builds the trace of one class of ranks in memory, node by node.
 *
 * Rules:
 *  1. A node's parents come before it. Ids are indices.
 *  2. Streams are those of a device: nodes of one stream run in the order of their index. What the
 *     dependencies say is enough without that: a message or collective waits for the one before it
 *     on its stream, a compute node for the one before it.
 *  3. A name is made when asked for: "mb3.backward.layer12.qkv", "step.optimizer".
 */
#ifndef ORRERY_WORKLOADS_GENERATE_JOB_TRACE_H
#define ORRERY_WORKLOADS_GENERATE_JOB_TRACE_H

#include "model/trace.h"
#include "workloads/generate/layer_ops.h"

/* The number is the node's `stream`. */
enum job_stream {
    STREAM_COMPUTE,
    STREAM_TP,
    STREAM_CP,
    STREAM_CP_RECEIVE,
    STREAM_EP,
    STREAM_GATHER,  /* weights, data-parallel */
    STREAM_REDUCE,  /* gradients, data-parallel */
    STREAM_REPLICA, /* gradients, between shard groups */
    STREAM_FORWARD_SEND,
    STREAM_FORWARD_RECEIVE,
    STREAM_BACKWARD_SEND,
    STREAM_BACKWARD_RECEIVE,
    STREAM_STEP, /* embedding gradients, norms */
    JOB_STREAM_COUNT
};

/* X(enumerator, text) */
#define JOB_PASS_LIST(X)                                                                           \
    X(PASS_FORWARD, "forward")                                                                     \
    X(PASS_BACKWARD, "backward")                                                                   \
    X(PASS_WEIGHT, "weight")                                                                       \
    X(PASS_STEP, "step")

enum job_pass {
#define X(name, text) name,
    JOB_PASS_LIST(X)
#undef X
        JOB_PASS_COUNT
};

/* Where in a training step a node belongs, for its name. */
struct job_place {
    enum job_pass pass;
    uint32_t micro_batch; /* not of PASS_STEP */
    uint32_t layer;       /* TRACE_NONE: none */
};

struct job_trace;

struct job_trace *job_trace_create(void);

/*
 * Adds a node. `text` is constant text; `node` gives type, stream and what the type needs; id,
 * name, flag NODE_HAS_STREAM and (of a compute node with `shape`) operations, bytes and shape are
 * filled in. Parents are indices of nodes already there. Returns the index.
 */
uint32_t job_trace_add(struct job_trace *job, const char *text, struct job_place place,
                       struct trace_node node, const struct op_shape *shape, const uint32_t *parent,
                       uint32_t parent_count);

/* Index of the group name of `kind`, for trace_node.group. */
uint32_t job_trace_group(struct job_trace *job, enum group_kind kind);

/* Kinds of groups used so far: bit 1 << kind. */
uint32_t job_trace_kinds(const struct job_trace *job);

/* Nothing is added if `bytes` is 0. */
void job_trace_hold(struct job_trace *job, uint32_t first, uint32_t last, uint64_t bytes,
                    enum life_kind kind);

/* Number of nodes so far. */
uint32_t job_trace_count(const struct job_trace *job);

/* The trace of pipeline stage `stage`, which is the caller's now (trace->destroy()). */
struct trace *job_trace_finish(struct job_trace *job, uint32_t stage, uint64_t fixed_bytes);

#endif
