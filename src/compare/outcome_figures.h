/*
 * outcome_figures - what ranks did, from their ops: for sides that are timelines.
 *
 * Rules:
 *  1. compute is the length of the union of the rank's compute intervals, communication that of its
 *     communication, and communication alone the length of the union of both less compute.
 *  2. finish is the last end; of a side whose clock does not begin at 0 the reader shifts begins
 *     (outcome_op.begin_ps is from the begin of the run or step).
 *  3. The sum of compute needs durations only. Everything else needs begins of all the rank's ops.
 *  4. What a rank says itself stays.
 */
#ifndef ORRERY_COMPARE_OUTCOME_FIGURES_H
#define ORRERY_COMPARE_OUTCOME_FIGURES_H

#include "compare/outcome.h"

/* Adds the ranks that have ops only, in no order. */
void outcome_figures_of_ops(struct outcome *outcome);

/* For others: ops by rank, then begin, then order in the file. */
int outcome_compare_ops(const void *left, const void *right);

#endif
