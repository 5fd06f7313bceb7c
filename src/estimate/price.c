#include "estimate/price.h"

static double or_one(double ratio)
{
    return ratio > 0 ? ratio : 1;
}

void prices_init(struct prices *prices, const struct device *device,
                 const struct framework *framework)
{
    *prices = (struct prices){.device = device, .options = {.is_sustained = true}};
    prices->options.attention = framework->attention_kernel;
    prices->options.slowness[OP_SORT_MATRIX] = 1 / or_one(framework->matrix_ratio);
    prices->options.slowness[OP_SORT_ATTENTION] = 1 / or_one(framework->attention_ratio);
    prices->options.slowness[OP_SORT_MEMORY] = or_one(framework->memory_ratio);
    op_time_cache_init(&prices->cache, device, &prices->options);
}

void prices_release(struct prices *prices)
{
    op_time_cache_release(&prices->cache);
}

double price_ns(struct prices *prices, const struct op_shape *shape)
{
    return op_time_cache_get(&prices->cache, shape)->ns;
}
