/*
 * train_plan_review - the checks of train_plan_check() that are about degrees: what divides what.
 *
 * Each refuses with the field, the reason and the nearest valid choice.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_TRAIN_PLAN_REVIEW_H
#define ORRERY_WORKLOADS_GENERATE_TRAIN_PLAN_REVIEW_H

#include "workloads/generate/train_plan.h"

/* What a check looks at, and completes. */
struct review {
    struct train_plan *plan;
    const struct model_spec *model;
    struct notices *notices;
    struct diag *diag;
};

/* Degrees that are 0 become 1. */
void review_fill(struct train_plan *plan);

/* `what` (`have` of them) must be a multiple of degree `degree` called `name`. */
enum status review_divides(const struct review *review, const char *what, uint64_t have,
                           const char *name, uint64_t degree);

/* tp x cp x dp x pp = ranks: completes dp or ranks. */
enum status review_ranks(const struct review *review);
/* Heads, key/value heads and columns by tp. */
enum status review_tensor(const struct review *review);
/* Layers by pp x interleave, rule 4 of train_plan.h. */
enum status review_layers(const struct review *review);
/* Experts by ep, ranks by ep x expert_tp: completes expert_tp. */
enum status review_experts(const struct review *review);

#endif
