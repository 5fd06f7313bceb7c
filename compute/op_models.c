#include <string.h>

#include "compute/model/attention.h"
#include "compute/model/gemm.h"
#include "compute/model/memory_bound.h"
#include "compute/model/op_roofline.h"
#include "compute/model/systolic_op.h"
#include "compute/op_time.h"
#include "compute/profile.h"

const struct op_model_ops *const op_models[OP_MODEL_COUNT] = {
    [OP_MODEL_ROOFLINE] = &op_model_roofline,         [OP_MODEL_GEMM] = &op_model_gemm,
    [OP_MODEL_SYSTOLIC] = &op_model_systolic,         [OP_MODEL_ATTENTION] = &op_model_attention,
    [OP_MODEL_MEMORY_BOUND] = &op_model_memory_bound, [OP_MODEL_PROFILE] = &op_model_profile,
};

const enum op_model op_chain[] = {OP_MODEL_PROFILE, OP_MODEL_ATTENTION,    OP_MODEL_SYSTOLIC,
                                  OP_MODEL_GEMM,    OP_MODEL_MEMORY_BOUND, OP_MODEL_ROOFLINE};
const uint32_t op_chain_count = sizeof op_chain / sizeof op_chain[0];

enum op_model op_model_find(const char *name)
{
    enum op_model model = OP_MODEL_AUTO;
    while (model < OP_MODEL_COUNT && strcmp(op_model_name(model), name) != 0)
        model++;
    return model;
}

const char *op_model_name(enum op_model model)
{
    if (model == OP_MODEL_AUTO)
        return "auto";
    return model < OP_MODEL_COUNT && op_models[model] ? op_models[model]->name : "?";
}

enum op_sort op_sort_of(enum op_class class)
{
    switch (class) {
    case OP_CLASS_GEMM:
    case OP_CLASS_GROUPED_GEMM:
    case OP_CLASS_CONV:
        return OP_SORT_MATRIX;
    case OP_CLASS_ATTENTION:
    case OP_CLASS_ATTENTION_BACKWARD:
        return OP_SORT_ATTENTION;
    default:
        return OP_SORT_MEMORY;
    }
}

static bool ask(enum op_model model, const struct device *device, const struct op_shape *shape,
                const struct op_time_options *options, struct op_time *out, const char **why)
{
    *why = NULL;
    if (!op_models[model] || !op_models[model]->time(device, shape, options, out, why))
        return false;
    out->model = model;
    if (model == OP_MODEL_PROFILE) /* what was measured is as slow as it is */
        return true;
    double slowness = options->slowness[op_sort_of((enum op_class)shape->class)];
    if (slowness > 0)
        out->ns *= slowness;
    return true;
}

bool op_time(const struct device *device, const struct op_shape *shape,
             const struct op_time_options *options, struct op_time *out, const char **why)
{
    *out = (struct op_time){0};
    if (options->model != OP_MODEL_AUTO)
        return ask(options->model, device, shape, options, out, why);
    const char *note = NULL;
    for (uint32_t i = 0; i < op_chain_count; i++) {
        if (ask(op_chain[i], device, shape, options, out, why)) {
            out->note = note;
            return true;
        }
        if (!note)
            note = *why;
    }
    promise(false); /* roofline answers always */
}
