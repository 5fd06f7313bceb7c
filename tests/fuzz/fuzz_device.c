/* Any bytes as a device: refused, or a device on which every op takes a time. */

#include "compute/op_time.h"

static void ask(const struct device *device, const char *text)
{
    struct op_time_options options = {0};
    struct diag diag = DIAG_NONE;
    struct op_shape shape;
    struct op_time time;
    const char *why;
    promise(op_shape_parse(&shape, text, &diag) == STATUS_OK);
    promise(op_time(device, &shape, &options, &time, &why));
    promise(time.ns >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct notices notices;
    struct diag diag = DIAG_NONE;
    struct device device;
    arena_init(&arena);
    notices_init(&notices);
    if (device_parse(&device, "fuzz", (const char *)data, size, &arena, &notices, &diag) ==
        STATUS_OK) {
        ask(&device, "gemm 100x200x300");
        ask(&device, "grouped-gemm 7x7x7 groups=9 fp8");
        ask(&device, "attention 2x64 heads=4 dim=64 causal");
        ask(&device, "norm 7x7 fp32");
    }
    notices_release(&notices);
    arena_release(&arena);
    return 0;
}
