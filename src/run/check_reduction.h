/*
 * check_reduction - can switches reduce for this collective? Asked before anything is simulated.
 */
#ifndef ORRERY_RUN_CHECK_REDUCTION_H
#define ORRERY_RUN_CHECK_REDUCTION_H

#include "model/group.h"
#include "sched/plan.h"

/*
 * For each phase of `plan` that sends to the network (model/collective.h, PEER_NETWORK): is there a
 * fabric, and a tree of switches for the first line of members in `group`? The other lines' trees
 * are made when they are first needed.
 */
enum status check_reduction(const struct config *config, struct plan_book *book,
                            const struct chunk_plan *plan, const struct comm_group *group,
                            struct diag *diag);

#endif
