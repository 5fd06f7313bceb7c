/*
 * group - communicator groups: opaque names, ordered members, resolved per rank.
 *
 * Rules:
 *  1. Group 0 is always all ranks in ascending order; it answers to "no name".
 *  2. A group is its name and its member list: one name with different members on different ranks
 *     makes several groups. Members keep their order, which is the ring order; a named group of all
 *     ranks is in ascending order instead (ASTRA-sim).
 *  3. An empty list means all ranks. A group may have one member.
 *  4. One name may stand for several groups without a common member, all of one size (the
 *     tensor-parallel groups of a job, say): a rank that uses the name means the group it is in.
 *  5. "" always, and "0" unless a group of that name is declared, mean all ranks (ASTRA-sim).
 */
#ifndef ORRERY_MODEL_GROUP_H
#define ORRERY_MODEL_GROUP_H

#include <stdbool.h>
#include <stdint.h>

struct comm_group {
    const char *name;      /* "world" for group 0 */
    const uint32_t *ranks; /* [count] */
    uint32_t count;
    bool is_world; /* same member set as all ranks */
};

struct group_table {
    struct comm_group *group;
    uint32_t count;
};

#endif
