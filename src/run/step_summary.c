#include "run/step_summary.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "compute/device.h"
#include "run/step_memory.h"
#include "workloads/generate/family.h"

static void add(struct step_figures *step, size_t *used, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(struct step_figures *step, size_t *used, const char *format, ...)
{
    size_t room = sizeof step->plan - *used;
    va_list args;
    va_start(args, format);
    int length = vsnprintf(step->plan + *used, room, format, args);
    va_end(args);
    *used += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

/* Degrees of 1 and choices that are usual are left out. */
static void show_plan(struct step_figures *step, const struct train_plan *plan)
{
    const struct {
        const char *name;
        uint64_t degree;
    } degrees[] = {{"tp", plan->tp}, {"pp", plan->pp}, {"interleave", plan->interleave},
                   {"cp", plan->cp}, {"ep", plan->ep}, {"dp", plan->dp}};
    size_t used = 0;
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
        if (degrees[i].degree > 1)
            add(step, &used, "%s %" PRIu64 ", ", degrees[i].name, degrees[i].degree);
    }
    if (plan->zero)
        add(step, &used, "zero %" PRIu32 ", ", plan->zero);
    if (plan->shard_group)
        add(step, &used, "shard-group %" PRIu32 ", ", plan->shard_group);
    if (plan->recompute != RECOMPUTE_NONE)
        add(step, &used, "recompute %s, ", recompute_names[plan->recompute]);
    if (plan->pp > 1)
        add(step, &used, "%s, ", schedule_names[plan->schedule]);
    if (plan->seq > 1)
        add(step, &used, "seq %" PRIu64 ", ", plan->seq);
    add(step, &used, "batch %" PRIu64 " of micro-batch %" PRIu64, plan->global_batch,
        plan->micro_batch);
}

struct step_figures step_summary(const struct job_spec *spec, const struct config *config)
{
    const struct train_plan *plan = &spec->plan;
    const struct device *device = config->system.device;
    struct step_figures step = {
        .model = spec->model.name,
        .framework = spec->framework.name,
        .device = device ? device->name : NULL,
        .type = data_type_name(plan->compute_type),
        .devices = plan->ranks,
        .tokens = plan->seq * plan->global_batch,
        .unit = family_of(&spec->model) ? "samples" : "tokens",
        .model_flops = model_spec_train_flops(&spec->model, plan->seq) * (double)plan->global_batch,
        .peak_flops = device ? device->peak_flops[plan->compute_type] : 0,
    };
    step_memory_find(&step.memory, spec, config);
    show_plan(&step, plan);
    return step;
}
