/*
 * step_figures - what a run of one training step means to who trains: throughput and utilisation.
 *
 * Model flops are those of forward and backward without recompute, attention causal
 * (workloads/generate/model_spec.h); MFU is them over the devices' dense peak at the type of the
 * large products. 1 s for 4,000 tokens on 2 devices: 2,000 tokens/s each.
 */
#ifndef ORRERY_STATS_STEP_FIGURES_H
#define ORRERY_STATS_STEP_FIGURES_H

#include <stdint.h>

#include "base/units.h"
#include "workloads/generate/memory_model.h"

enum { STEP_PLAN_TEXT = 240 };

/* What a rank of the stage that needs most holds (workloads/generate/memory_model.h). */
struct step_memory {
    struct stage_memory worst;
    uint32_t stage;
    double device_bytes; /* 0: not known */
};

struct step_figures {
    const char *model, *framework, *device; /* device: NULL if none is modelled */
    char plan[STEP_PLAN_TEXT];              /* "tp 8, pp 4, dp 32, .." */
    const char *type;                       /* of the large products: "bf16" */
    uint32_t devices;
    const char *unit; /* what a step's input is counted in: "tokens"; "samples" of other families */
    uint64_t tokens;  /* of a step, in that unit */
    double model_flops; /* of a step */
    double peak_flops;  /* of a device; 0: not known */
    struct step_memory memory;
};

static inline bool step_fits(const struct step_memory *memory)
{
    return memory->device_bytes <= 0 || (double)memory->worst.total_bytes <= memory->device_bytes;
}

static inline double step_tokens_per_s(const struct step_figures *step, time_ps end)
{
    return end ? (double)step->tokens / ((double)end / 1e12) : 0;
}

static inline double step_flops_per_device(const struct step_figures *step, time_ps end)
{
    return end ? step->model_flops / ((double)end / 1e12) / step->devices : 0;
}

static inline double step_mfu(const struct step_figures *step, time_ps end)
{
    return step->peak_flops > 0 ? step_flops_per_device(step, end) / step->peak_flops : 0;
}

#endif
