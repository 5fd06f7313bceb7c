#include "estimate/price.h"

enum price_sort price_sort_of(enum op_class class)
{
    switch (class) {
    case OP_CLASS_GEMM:
    case OP_CLASS_GROUPED_GEMM:
    case OP_CLASS_CONV:
        return PRICE_MATRIX;
    case OP_CLASS_ATTENTION:
    case OP_CLASS_ATTENTION_BACKWARD:
        return PRICE_ATTENTION;
    default:
        return PRICE_MEMORY;
    }
}

static double or_one(double ratio)
{
    return ratio > 0 ? ratio : 1;
}

void prices_init(struct prices *prices, const struct device *device,
                 const struct framework *framework)
{
    *prices = (struct prices){.device = device, .options = {.is_sustained = true}};
    prices->options.attention = framework->attention_kernel;
    prices->ratio[PRICE_MATRIX] = 1 / or_one(framework->matrix_ratio);
    prices->ratio[PRICE_ATTENTION] = 1 / or_one(framework->attention_ratio);
    prices->ratio[PRICE_MEMORY] = or_one(framework->memory_ratio);
    op_time_cache_init(&prices->cache, device, &prices->options);
}

void prices_release(struct prices *prices)
{
    op_time_cache_release(&prices->cache);
}

double price_ns(struct prices *prices, const struct op_shape *shape)
{
    const struct op_time *time = op_time_cache_get(&prices->cache, shape);
    return time->ns * prices->ratio[price_sort_of((enum op_class)shape->class)];
}
