#include "run/step_memory.h"

#include "compute/device.h"

void step_memory_find(struct step_memory *memory, const struct job_spec *spec,
                      const struct config *config)
{
    struct arena arena;
    struct layer_book book;
    const struct device *device = config->system.device;
    arena_init(&arena);
    layer_book_make(&book, &spec->model, &spec->plan, &spec->framework, &arena);
    const struct memory_input input = {&spec->model, &spec->plan, &spec->framework, &book};
    *memory = (struct step_memory){.device_bytes = device ? device->memory_bytes : 0};
    memory->stage = memory_worst_stage(&memory->worst, &input);
    arena_release(&arena);
}

static enum memory_class largest_class(const struct stage_memory *memory)
{
    enum memory_class largest = MEMORY_WEIGHTS;
    for (enum memory_class class = 0; class < MEMORY_CLASS_COUNT; class ++)
        if (memory->bytes[class] > memory->bytes[largest])
            largest = class;
    return largest;
}

enum status step_memory_check(const struct step_memory *memory, const struct config *config,
                              struct diag *diag)
{
    static const char *const helps[MEMORY_CLASS_COUNT] = {
        [MEMORY_WEIGHTS] = "more tp or pp, or zero 3",
        [MEMORY_GRADIENTS] = "more tp or pp, or zero 2",
        [MEMORY_OPTIMIZER] = "zero 1, or more tp or pp",
        [MEMORY_ACTIVATIONS] = "recompute, sequence-parallel, more tp or cp, smaller micro-batch",
        [MEMORY_TRANSIENT] = "more tp or cp, or a smaller micro-batch",
        [MEMORY_BUFFERS] = "less prefetch, or more tp",
        [MEMORY_RESERVE] = "a smaller reserve of the framework",
    };
    if (step_fits(memory))
        return STATUS_OK;
    char needs[32], has[32], most[32];
    enum memory_class class = largest_class(&memory->worst);
    units_show_bytes(needs, sizeof needs, (double)memory->worst.total_bytes);
    units_show_bytes(has, sizeof has, memory->device_bytes);
    units_show_bytes(most, sizeof most, (double)memory->worst.bytes[class]);
    diag_hint(diag, "largest: %s, %s: try %s", memory_class_names[class], most, helps[class]);
    return diag_fail(diag, STATUS_DOES_NOT_FIT,
                     "a rank of pipeline stage %u needs %s, but %s has %s", memory->stage, needs,
                     config->system.device->name, has);
}
