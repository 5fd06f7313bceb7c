/*
 * job_graph - the work of a training step as graphs in memory: one trace for each class of ranks
 * that do the same, and the communicators they use.
 *
 * Rules:
 *  1. One step is generated, in the state it has after many: weights of the step before are
 *     gathered at its start (zero 1 and 2 with overlap_weights), or at its end.
 *  2. All ranks of a pipeline stage share a trace: groups are named by kind and mean each rank's
 *     own (job_groups.h), messages go so many places onwards in "pp" or "cp" (NODE_PEER_IN_GROUP).
 *  3. A stage does its units in the order of pipeline.h. A unit receives, runs the lists of its
 *     pieces (layer_ops.h) and sends. A receive is posted when the unit before it is through, which
 *     is no later than it matters (messages do not wait for it), so that the time it takes is time
 *     spent waiting. Sends are waited for by the next unit unless overlap_pp.
 *  4. An item that `overlaps` runs beside the chain; the item it `waits` for, or the first one
 *     after its list, needs it. Items of groups with one member are left out.
 *  5. Data parallelism, by zero:
 *       0  all-reduce of each bucket over dp-cp when the last micro-batch is through (expert
 *          weights: expert-dp)
 *       1  reduce-scatter of each bucket then; all-gather of weights per bucket once a step
 *       2  the same, but gradients are reduce-scattered for each micro-batch; the chain waits for
 *          the reduction before, so that one bucket of whole gradients is held beside the next
 *       3  besides, weights are gathered for each piece before each forward and backward,
 *          `prefetch` pieces ahead (framework.h) if overlap_weights, and dropped after it; but not
 *          for the embedding's backward, which needs none, and the head's stay from forward to
 *          backward
 *     With a shard group: reduce-scatter and all-gather inside it, and an all-reduce of the shard
 *     between replicas. Gradients overlap the backward pass if overlap_gradients; else they follow
 *     it.
 *  6. The step ends with: sums of what replicas of tied embeddings (first and last stage) and, with
 *     sequence parallelism, norms have; the gradient norm over tp, pp (and dp-cp if sharded); the
 *     optimizer.
 *  7. Lives of activations, of what a pass needs for itself, of gathered weights, of whole
 *     gradients (zero 2 and 3) and of messages' buffers are in trace->life; weights, gradients and
 *     states in trace->fixed_bytes.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_JOB_GRAPH_H
#define ORRERY_WORKLOADS_GENERATE_JOB_GRAPH_H

#include "base/diag.h"
#include "config/group_file.h"
#include "model/trace.h"
#include "workloads/generate/layer_ops.h"

struct job_input {
    const struct model_spec *model;
    const struct train_plan *plan; /* has passed train_plan_check() */
    const struct framework *framework;
    const struct layer_book *book; /* lists of the model under this plan */
};

struct job_graph {
    struct workload workload; /* released with job_graph_release() */
    struct group_file groups;
};

/* Fails for a schedule or an order of ranks that cannot be; then nothing is left to release. */
enum status job_graph_make(struct job_graph *job, const struct job_input *input, struct diag *diag);
void job_graph_release(struct job_graph *job);

#endif
