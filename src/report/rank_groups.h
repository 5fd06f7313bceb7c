/*
 * rank_groups - ranks whose figures are equal, as one row: what a table of very many ranks is made
 * of.
 *
 * Rules:
 *  1. Ranks are one group if every figure of theirs is equal. It does not matter how the run was
 *     folded.
 *  2. Groups are in the order of their first ranks.
 *  3. Memory: 16 bytes a class of ranks, 4 a rank.
 */
#ifndef ORRERY_REPORT_RANK_GROUPS_H
#define ORRERY_REPORT_RANK_GROUPS_H

#include "stats/result.h"

struct rank_group {
    uint32_t first, count;
    const struct rank_result *figures;
};

struct rank_groups {
    struct rank_group *group;
    uint32_t count;
    uint32_t *group_of_class; /* [class_count]: number of the group */
    const struct run_result *result;
};

void rank_groups_init(struct rank_groups *groups, const struct run_result *result);
void rank_groups_release(struct rank_groups *groups);

enum { RANK_GROUP_TEXT = 64 };

/* "0", "3, 8-15": the ranks of a group, cut with ".." to RANK_GROUP_TEXT bytes. O(ranks). */
const char *rank_groups_text(char *to, const struct rank_groups *groups, uint32_t number);

/*
 * At most `most` numbers of groups in `to`, evenly spaced, the first, the last and those that
 * finish first and last among them; ascending. Returns how many.
 */
uint32_t rank_groups_pick(const struct rank_groups *groups, uint32_t most, uint32_t *to);

#endif
