/*
 * job_groups - which ranks of a training job make up each of its communicators.
 *
 * Rules:
 *  1. A rank has a place along tp, cp, dp and pp, and as host of experts one along expert-tp, ep,
 *     expert-dp and pp; plan->order says which varies fastest from rank to rank (train_plan.h, rule
 *     3). Without "ep" in the order it comes just before "dp".
 *  2. Both views must give a rank the same pipeline stage: with experts, pp stands last (as
 *     Megatron-LM asks) or first, or the two views have the same strides.
 *  3. Members are in ascending rank. The group of a kind that a rank is in is the one place along
 *     the kind's own dimensions:
 *        tp, cp, ep, dp, pp,   that dimension
 *        expert-tp, expert-dp
 *        dp-cp                 both: where gradients of dense weights are summed
 *        shard, replica        runs of plan->shard_group members of dp-cp, and the members at one
 *                              place of each run (hybrid sharding)
 *        dp-cp-gradients, ..   dp-cp, shard and expert-dp once more, for the gradients of zero 3:
 *                              gathers of weights go on beside their reductions, and collectives
 *                              of one group begin in one order on all ranks
 *        embedding             the first and the last stage, of tied embeddings
 *  4. In a run every rank means its own group by the kind's name (model/group.h, rule 4).
 */
#ifndef ORRERY_WORKLOADS_GENERATE_JOB_GROUPS_H
#define ORRERY_WORKLOADS_GENERATE_JOB_GROUPS_H

#include "base/diag.h"
#include "config/group_file.h"
#include "workloads/generate/layer_ops.h"
#include "workloads/generate/train_plan.h"

/* One view of the ranks: coordinate d of rank r is r / stride[d] % size[d]. */
enum { LAYOUT_TP, LAYOUT_CP, LAYOUT_EP, LAYOUT_DP, LAYOUT_PP, LAYOUT_DIMS };
struct rank_view {
    uint32_t size[LAYOUT_DIMS], stride[LAYOUT_DIMS];
};

struct job_layout {
    struct rank_view dense, expert;
    uint32_t ranks, shard_group;
};

/* The plan must have passed train_plan_check(); fails for an order that is none, and by rule 2. */
enum status job_layout_init(struct job_layout *layout, const struct train_plan *plan,
                            struct diag *diag);

/* Pipeline stage of a rank. */
uint32_t job_layout_stage(const struct job_layout *layout, uint32_t rank);

/* Name of a kind: "dp-cp". */
const char *job_group_name(enum group_kind kind);

/* Members of each group of a kind. */
uint32_t job_group_size(const struct job_layout *layout, enum group_kind kind);

/* Ranks from one member to the next, on the mean: of the outermost dimension of the kind, divided
 * by the members inside it. */
uint32_t job_group_stride(const struct job_layout *layout, enum group_kind kind);

/*
 * The groups of all kinds in `kinds` (bit 1 << kind) that have more than one member, as a group
 * file would give them. `groups` must be initialised and empty.
 */
void job_groups_make(struct group_file *groups, const struct job_layout *layout, uint32_t kinds);

#endif
