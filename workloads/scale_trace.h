/*
 * scale_trace - traces of few ranks run on many: more data-parallel replicas of the same job.
 *
 * A job of R ranks becomes k x R ranks: rank c R + r is copy c of rank r and runs its trace. The
 * batch grows with the copies; what a rank computes stays as it was recorded.
 *
 * Rules:
 *  1. Data-parallel groups grow: their members are those of all copies, copy by copy. All other
 *     groups stay, one for each copy. Collectives without a group are over all ranks and grow.
 *  2. Which groups are data-parallel is said by name (`grow`), or, if nothing is said, guessed, and
 *     a notice says so: names that mean it (dp, dp-cp, data, replica, expert-dp and their like),
 *     and groups of all ranks. If named groups are used and none is known, the job is refused:
 *     there is no telling tensor from data parallelism.
 *  3. In a group that grows by k: all-reduce, reduce-scatter, reduce, broadcast: the buffer is the
 *     same; all-gather: a rank's own input is 1/k of what it was (shards of weights), rounded up;
 *     barrier: the same. All-to-all, gather and scatter are refused: expert or embedding
 *     parallelism does not scale like that.
 *  4. Messages stay within a copy.
 *  5. Refused as well: ranks that are not a multiple of the traces', a group to grow that no trace
 *     uses, one name that means groups of different sizes or overlapping ones on different ranks of
 *     one trace, and messages that name ranks in a trace of several ranks.
 *  6. Times of optimizer steps on sharded states stay as they are, though shards shrink; a notice
 *     says it where gathers were rescaled.
 */
#ifndef ORRERY_WORKLOADS_SCALE_TRACE_H
#define ORRERY_WORKLOADS_SCALE_TRACE_H

#include "base/diag.h"
#include "base/notice.h"
#include "config/group_file.h"
#include "model/trace.h"

/*
 * Makes `scaled` and its groups from `from` and `groups`. `grow`: names with ',' between, or NULL
 * (rule 2). `scaled` borrows the traces of `from`, which must live longer, and nothing of `groups`;
 * release with scale_release(). On failure nothing is left to release.
 */
enum status scale_workload(struct workload *scaled, struct group_file *scaled_groups,
                           const struct workload *from, const struct group_file *groups,
                           uint32_t ranks, const char *grow, struct notices *notices,
                           struct diag *diag);
void scale_release(struct workload *scaled);

#endif
