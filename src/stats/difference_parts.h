/*
 * difference_parts - what the files of difference share.
 */
#ifndef ORRERY_STATS_DIFFERENCE_PARTS_H
#define ORRERY_STATS_DIFFERENCE_PARTS_H

#include "stats/difference.h"

/* What follows the last '/'. */
const char *difference_stage_name(const char *path);

/* Fill difference->rank and difference->stage (difference.h, rule 4). */
void difference_find_ranks(struct difference *difference, const struct difference_side *a,
                           const struct difference_side *b);
void difference_find_stages(struct difference *difference, const struct difference_side *a,
                            const struct difference_side *b);

#endif
