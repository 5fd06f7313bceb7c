/*
 * nearest_plan - degrees that are valid together, next to some that are not: for the hints of
 * refusals.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_NEAREST_PLAN_H
#define ORRERY_WORKLOADS_GENERATE_NEAREST_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "workloads/generate/train_plan.h"

/*
 * Finds tp, cp, pp and interleave whose product (without interleave) divides the devices (if
 * plan->ranks is known), with heads and columns that divide by tp and layers that divide by pp x
 * interleave (rule 4 of train_plan.h). Nearest is the least sum of squares of log2 of the ratios to
 * what the plan has, of interleave half; the first of equally near. `keeps_inner`: tp and cp stay.
 * Writes those that differ as "tp 8, pp 4" into `text`; false if there are none.
 */
bool nearest_plan(const struct train_plan *plan, const struct model_spec *model, bool keeps_inner,
                  char *text, size_t size);

#endif
