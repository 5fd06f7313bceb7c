#include "compute/model/gemm.h"

static bool gemm_time(const struct device *device, const struct op_shape *shape,
                      const struct op_time_options *options, struct op_time *out, const char **why)
{
    (void)device;
    (void)options;
    (void)out;
    *why = op_class_is_product(shape->class) ? "not yet" : NULL;
    return false;
}

const struct op_model_ops op_model_gemm = {
    .name = "gemm",
    .summary = "tiles, waves, split-K and L2 traffic of a GPU",
    .time = gemm_time,
};
