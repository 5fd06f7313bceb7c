/* As what a device multiplies, and how fast. */
#include "compute/device.h"

enum data_type device_multiplies_as(const struct device *device, enum data_type type)
{
    static const enum data_type wider[] = {TYPE_FP4,  TYPE_FP6,  TYPE_FP8,  TYPE_INT8, TYPE_BF16,
                                           TYPE_FP16, TYPE_TF32, TYPE_FP32, TYPE_FP64};
    size_t at = 0, count = sizeof wider / sizeof wider[0];
    if (device->peak_flops[type] > 0)
        return type;
    while (wider[at] != type)
        at++;
    for (at++; at < count; at++) {
        if (device->peak_flops[wider[at]] > 0)
            return wider[at];
    }
    return type == TYPE_FP16 && device->peak_flops[TYPE_BF16] > 0 ? TYPE_BF16 : DATA_TYPE_COUNT;
}

double device_share(const double table[DATA_TYPE_COUNT], enum data_type type)
{
    return table[type] > 0 ? table[type] : table[TYPE_BF16];
}
