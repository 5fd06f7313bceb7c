#include "workloads/generate/pipeline.h"

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

struct pipeline_spec pipeline_spec_of(const struct train_plan *plan)
{
    return (struct pipeline_spec){.schedule = plan->schedule,
                                  .stages = plan->pp,
                                  .chunks = plan->interleave ? plan->interleave : 1,
                                  .micro_batches = (uint32_t)plan->micro_batches};
}

enum status pipeline_check(const struct pipeline_spec *spec, struct diag *diag)
{
    uint32_t m = spec->micro_batches, p = spec->stages;
    if (spec->schedule == PIPE_1F1B && spec->chunks > 1) {
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "1f1b runs one chunk of layers on a stage, not %u virtual stages", spec->chunks);
        diag_hint(diag, "schedule: interleaved, or interleave: 1");
        return STATUS_BAD_CONFIG;
    }
    if (spec->schedule == PIPE_GPIPE || spec->chunks == 1 || m % p == 0)
        return STATUS_OK;
    diag_fail(
        diag, STATUS_BAD_CONFIG,
        "%u micro-batches: chunks of an interleaved pipeline take turns every %u micro-batches "
        "(its stages), so these must divide them",
        m, p);
    if (m < p)
        diag_hint(diag, "nearest: %u micro-batches (a larger batch, or less data parallelism)", p);
    else
        diag_hint(diag, "nearest: %u or %u micro-batches", m / p * p, (m / p + 1) * p);
    return STATUS_BAD_CONFIG;
}

static bool splits_backward(const struct pipeline_spec *spec)
{
    return spec->schedule == PIPE_ZERO_BUBBLE;
}

uint64_t pipeline_unit_count(const struct pipeline_spec *spec)
{
    return (splits_backward(spec) ? 3 : 2) * (uint64_t)spec->chunks * spec->micro_batches;
}

/*
 * Unit k of the forward passes in their order, k < chunks x micro-batches: chunks take turns every
 * `stages` micro-batches, in GPipe when all micro-batches are through. Backward passes go through
 * the chunks from the last.
 */
static struct pipeline_unit pass(const struct pipeline_spec *spec, enum unit_kind kind, uint64_t k)
{
    uint32_t turn = spec->schedule == PIPE_GPIPE ? spec->micro_batches : spec->stages;
    if (spec->chunks == 1)
        return (struct pipeline_unit){(uint8_t)kind, 0, (uint32_t)k};
    uint64_t round = (uint64_t)turn * spec->chunks;
    uint32_t chunk = (uint32_t)(k % round / turn);
    return (struct pipeline_unit){(uint8_t)kind,
                                  kind == UNIT_FORWARD ? chunk : spec->chunks - 1 - chunk,
                                  (uint32_t)(k / round * turn + k % turn)};
}

/* Forwards before the first backward, less the one that goes with it. */
static uint64_t warm_up(const struct pipeline_spec *spec, uint32_t stage)
{
    uint64_t all = (uint64_t)spec->chunks * spec->micro_batches;
    uint64_t behind = spec->stages - 1 - stage,
             others = (spec->chunks - 1) * (uint64_t)spec->stages;
    switch (spec->schedule) {
    case PIPE_GPIPE:
        return all;
    case PIPE_INTERLEAVED:
        return lesser(all, spec->chunks == 1 ? behind : 2 * behind + others);
    case PIPE_1F1B:
    case PIPE_ZERO_BUBBLE:
        break;
    }
    return lesser(all, behind + others);
}

void pipeline_order(const struct pipeline_spec *spec, uint32_t stage, struct pipeline_unit *unit)
{
    uint64_t all = (uint64_t)spec->chunks * spec->micro_batches;
    uint64_t warm = warm_up(spec, stage), weights = 0;
    for (uint64_t k = 0; k < warm; k++)
        *unit++ = pass(spec, UNIT_FORWARD, k);
    for (uint64_t k = 0; k < all; k++) {
        if (warm + k < all)
            *unit++ = pass(spec, UNIT_FORWARD, warm + k);
        *unit++ = pass(spec, UNIT_BACKWARD, k);
        if (splits_backward(spec) && k >= stage)
            *unit++ = pass(spec, UNIT_WEIGHT, weights++);
    }
    while (splits_backward(spec) && weights < all)
        *unit++ = pass(spec, UNIT_WEIGHT, weights++);
}

uint64_t pipeline_in_flight(const struct pipeline_spec *spec, uint32_t stage)
{
    uint64_t all = (uint64_t)spec->chunks * spec->micro_batches;
    uint64_t late = splits_backward(spec) ? stage : 0; /* weight gradients behind */
    return lesser(all, warm_up(spec, stage) + 1 + late);
}
