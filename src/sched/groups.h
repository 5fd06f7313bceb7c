/*
 * groups - resolves communicator names to groups (rules in model/group.h).
 *
 * A name means the group its rank's trace declares, else the one of the group file, else (only ""
 * and "0") all ranks. Resolution depends on the trace, so ranks that share a trace share it.
 */
#ifndef ORRERY_SCHED_GROUPS_H
#define ORRERY_SCHED_GROUPS_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/notice.h"
#include "config/group_file.h"
#include "model/group.h"
#include "model/trace.h"

struct group_place {
    uint32_t rank, position;
};

struct groups {
    struct arena arena;
    struct group_table table;   /* group 0 is all ranks */
    struct group_place **place; /* [group]: ascending by rank; NULL: position is the rank */
    uint32_t **of_name;         /* [trace][group name index] -> group, or family (groups_of()) */
    uint32_t **family;          /* [family]: group of each rank, or GROUP_NONE */
    uint32_t family_count;
};

#define GROUP_NONE      UINT32_MAX
#define GROUP_IS_FAMILY 0x80000000u /* in of_name: the group depends on the rank */

/*
 * Resolves every name that any trace uses. Fails (STATUS_BAD_INPUT or STATUS_BAD_CONFIG) with the
 * list of known groups for an undefined name, for a member that does not exist, for a repeated
 * member, and for a rank that uses a group it is not in.
 */
enum status groups_build(struct groups *groups, const struct workload *workload,
                         const struct group_file *file, struct notices *notices, struct diag *diag);
void groups_release(struct groups *groups);

/* The group that `rank`, which runs `trace`, means by group name `name` of the trace (TRACE_NONE:
 * all). */
static inline uint32_t groups_of(const struct groups *groups, uint32_t trace, uint32_t name,
                                 uint32_t rank)
{
    if (name == TRACE_NONE)
        return 0;
    uint32_t group = groups->of_name[trace][name];
    return group & GROUP_IS_FAMILY ? groups->family[group & ~GROUP_IS_FAMILY][rank] : group;
}

/* The rank at the other side of a send or receive of `rank`, which runs `trace`. */
uint32_t groups_peer(const struct groups *groups, uint32_t trace, const struct trace_node *node,
                     uint32_t rank);

/* Position of `rank` in `group`, or UINT32_MAX if it is not a member. O(log members). */
uint32_t groups_position(const struct groups *groups, uint32_t group, uint32_t rank);

#endif
