/*
 * fold_groups - the groups of a folded run, for the scheduler (sched/sched.h, struct fold_group).
 *
 * Groups of one class (partition.h) have as many members of each class of ranks, and messages
 * between their members are alike, so that one collective of each class of groups is run, with one
 * seat for each class of ranks among the members. It takes part for the lowest rank of that class,
 * in that rank's own group and position: groups of a class need not have a common member.
 */
#ifndef ORRERY_RUN_FOLD_GROUPS_H
#define ORRERY_RUN_FOLD_GROUPS_H

#include "run/message_types.h"
#include "run/partition.h"
#include "sched/sched.h"

struct fold_groups {
    struct arena arena;
    struct fold_group *group; /* [count] by class of groups */
    uint32_t count;
};

/*
 * `types` may be NULL if all groups in use are of all ranks. False, with *why, if a rank is in two
 * groups that look alike, or in one that it never uses. Release in every case.
 */
bool fold_groups_init(struct fold_groups *made, const struct groups *groups,
                      const struct classes *of_ranks, const struct classes *of_groups,
                      const struct message_types *types, const char **why);
void fold_groups_release(struct fold_groups *made);

/*
 * May sends and receives be matched by classes instead of ranks? Every message that is sent must be
 * asked for by the rank that it goes to, and the other way round; and a rank must not exchange
 * messages of one tag and size with two ranks of one class. Then a class of senders and a class of
 * receivers are one to one.
 */
bool fold_messages_match(const struct message_types *types, const struct classes *of_ranks,
                         const char **why);

#endif
