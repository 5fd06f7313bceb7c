/*
 * estimate - the time of one training iteration in closed form: what `orrery plan` ranks plans by,
 * and what published runs are compared with (tests/agree/training).
 *
 * With m micro-batches, p stages of v chunks, t_s = forward + backward of a micro-batch on stage s,
 * t = max t_s:
 *   1F1B, GPipe   m t + (sum t_s - t)                    fill and drain through the other stages
 *   interleaved   m t + (sum t_s - t) / v                Narayanan et al. 2021, eq. of section 2.2
 *   zero-bubble   m t + (sum t_s - t) (1 - 2 w), w = weight gradients / t     ZB-H1, Qi et al. 2023
 * and to each: messages between stages (2 v m of them, less what the framework hides, and 2 (p - 1)
 * of the bubble), data-parallel traffic and the optimizer (shard_cost.h), a step's host time.
 * Worked: 8 micro-batches on 4 stages of 10 ms each: 1F1B 80 + 30 = 110 ms, with 2 chunks 95 ms.
 *
 * Rules:
 *  1. Pieces are priced once per share of the work (tp, cp, ep, micro-batch, ..): plans that differ
 *     in the rest cost some microseconds.
 *  2. Ranks are alike: the slowest stage decides; stragglers, failures and evaluation are not in
 *     it.
 *  3. The terms sum to the step's time.
 */
#ifndef ORRERY_ESTIMATE_ESTIMATE_H
#define ORRERY_ESTIMATE_ESTIMATE_H

#include "compute/device.h"
#include "estimate/terms.h"
#include "net/collective/tuner.h"
#include "workloads/generate/memory_model.h"

struct estimate_setting {
    const struct model_spec *model;
    const struct device *device;
    const struct framework *framework;
    const struct tuner_system *system;
    uint32_t domain; /* ranks of a scale-up domain, if fewer than the system's (a slice); 0: its */
    bool is_frozen;  /* only adapters are trained (LoRA): no gradients of the model's weights */
};

struct estimate {
    double step_ns;
    double term_ns[ESTIMATE_TERM_COUNT];
    double tokens_per_s; /* of a device */
    double flops_per_s;  /* of a device: model flops, attention causal, no recompute */
    double mfu_ratio;    /* of the device's dense peak of the compute type */
};

struct estimator; /* opaque */

/* Borrows what the setting names until estimator_destroy(). */
struct estimator *estimator_create(const struct estimate_setting *setting);
void estimator_destroy(struct estimator *estimator);

/* The plan must have passed train_plan_check(). */
void estimate_plan(struct estimator *estimator, const struct train_plan *plan,
                   struct estimate *estimate);

/* What a rank of the stage that needs most holds. */
void estimate_memory(struct estimator *estimator, const struct train_plan *plan,
                     struct stage_memory *memory);

const char *estimate_term_name(enum estimate_term term);

#endif
