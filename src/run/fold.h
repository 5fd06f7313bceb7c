/*
 * fold - may one rank stand for many?
 *
 * Claim: ranks can be divided into classes such that all ranks of a class do the same at the same
 * times, so that simulating one of each, whose messages to a class go to the one that stands for
 * it, gives every rank's times.
 *
 * Why it is exact:
 *  - Ranks of a class run traces of one shape (job_shape.h), send the same messages over links that
 *    are alike to ranks of one class, hear the same from one class, and have groups that are alike
 *    (partition.h). On a fabric nothing is taken for granted: link_fold.h follows every message.
 *  - A collective of a group is run once for all groups that are alike, with a seat for each class
 *    of ranks among its members (fold_groups.h). Each step of its schedule maps the members of a
 *    group one to one, so a class hears from one class, and from as many ranks as it has.
 *  - Sends and receives are matched by (class, class, tag, size) instead of by ranks. That is the
 *    same if every message is asked for by whom it goes to, and no rank has two partners of one
 *    class for one tag and size; where not, the fold is given up (fold_groups.h).
 *  - By induction over time, equal states give equal actions at equal times on all ranks of a
 *    class; only the order of same-time actions within a rank could differ. In our own form a rank
 *    issues its nodes once for all that ends at one time (sched/nodes.c), so that the order of ends
 *    decides nothing. For the rest the scheduler proves for each pair that the order is the same,
 *    and for each exchange that its gate sees one order, or gives the fold up (sched/fold_watch.c);
 *    the run is then done unfolded. So is a folded run that ends with a finding: its text would
 *    name the wrong ranks.
 *  - Ranks and links that are slow for a time are alike only if they are so by the same factors at
 *    the same times (slow_colours.h). What varies at random differs from rank to rank: no fold.
 *  - Without a fabric (ASTRA-sim's network models) there is one class: one trace, collectives over
 *    all ranks that are exchanges (model/collective.h). An exchange treats all positions alike, and
 *    its message j takes the same time from every position: Ring, FullyConnected and Switch are
 *    vertex-transitive, and the congestion-unaware time depends on the offset only. With
 *    congestion, it is required besides that each link carries messages of one sender only, and
 *    that one group of symmetries (shifts, or flips) maps all messages: ring on a Ring; ring or
 *    direct, or halving-doubling alone, on a FullyConnected; ring in one direction on a Switch.
 */
#ifndef ORRERY_RUN_FOLD_H
#define ORRERY_RUN_FOLD_H

#include <stdbool.h>

#include "run/link_fold.h"
#include "run/prepare.h"
#include "sched/sched.h"

struct fold {
    struct rank_fold ranks;  /* for the scheduler */
    struct link_proof proof; /* on a fabric */
    bool has_proof;
    uint32_t *class_of; /* without a proof: one class */
    struct fold_groups groups;
    uint32_t first, size;
};

/*
 * True if folding is exact for this run; *why says so or why not (constant text). fold_release() in
 * every case, after the run.
 */
bool fold_init(struct fold *fold, const struct config *config, const struct workload *workload,
               struct prepared *prepared, const char **why);
void fold_release(struct fold *fold);

/* What the network model is told, or NULL. */
const struct link_fold *fold_links(const struct fold *fold);

#endif
