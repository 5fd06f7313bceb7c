/*
 * pipeline - in what order a stage of a pipeline does its forward and backward passes.
 *
 * Rules:
 *  1. A unit is one pass of one micro-batch through one chunk (virtual stage) of a rank. Chunk c of
 *     stage s is virtual stage c x stages + s of the model.
 *  2. Every stage does each unit once, and if all do so in the order given here, one at a time,
 *     none waits for ever: a forward waits for that of the virtual stage before, a backward for
 *     that of the one after, a weight gradient for its backward.
 *  3. Sources: GPipe: Huang et al. 2019, with chunks breadth-first (Lamy-Poirier 2022). 1F1B and
 *     interleaved: Narayanan et al. 2021, warm-up counts of Megatron-LM: stages - 1 - s forwards,
 *     with chunks 2 (stages - 1 - s) + (chunks - 1) stages. Zero-bubble: ZB-H1 of Qi et al. 2023,
 *     "Zero Bubble Pipeline Parallelism": the backward is split, weight gradients stay s
 *     micro-batches behind, so that every stage holds as many activations as stage 0 of 1F1B does.
 *  4. With equal times of all forwards, and of all backwards, idle time over busy time is
 *     (stages - 1) / (micro-batches x chunks), for GPipe, 1F1B and interleaved; for zero-bubble
 *     with three equal parts a third of that. 4 stages, 8 micro-batches: 3/8; 2 chunks: 3/16.
 */
#ifndef ORRERY_WORKLOADS_GENERATE_PIPELINE_H
#define ORRERY_WORKLOADS_GENERATE_PIPELINE_H

#include "base/diag.h"
#include "workloads/generate/train_plan.h"

enum unit_kind {
    UNIT_FORWARD,
    UNIT_BACKWARD, /* zero-bubble: of the input only */
    UNIT_WEIGHT    /* zero-bubble: gradient of the weights */
};

struct pipeline_unit {
    uint8_t kind; /* enum unit_kind */
    uint32_t chunk;
    uint32_t micro_batch;
};

struct pipeline_spec {
    enum pipeline_schedule schedule;
    uint32_t stages;        /* ranks in line, at least 1 */
    uint32_t chunks;        /* virtual stages of a rank, at least 1 */
    uint32_t micro_batches; /* at least 1 */
};

struct pipeline_spec pipeline_spec_of(const struct train_plan *plan);

/*
 * Refuses chunks with a plain 1F1B, and micro-batches that do not come in whole rounds of `stages`
 * where chunks take turns (interleaved, zero-bubble with chunks), with the nearest that do.
 */
enum status pipeline_check(const struct pipeline_spec *spec, struct diag *diag);

/* Units of one stage: 2 (zero-bubble 3) x micro-batches x chunks. */
uint64_t pipeline_unit_count(const struct pipeline_spec *spec);

/* The order of `stage`, unit[pipeline_unit_count()]. The spec must have passed pipeline_check(). */
void pipeline_order(const struct pipeline_spec *spec, uint32_t stage, struct pipeline_unit *unit);

/*
 * Most units of `stage` whose activations are held at once, from the start of the forward to the
 * end of the backward (zero-bubble: of the weight gradient); each is of one chunk.
 */
uint64_t pipeline_in_flight(const struct pipeline_spec *spec, uint32_t stage);

#endif
