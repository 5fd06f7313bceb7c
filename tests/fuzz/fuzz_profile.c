/* Any bytes as a profile: read or refused, and every answer is a time. */
#include <math.h>
#include <stdlib.h>

#include "compute/profile.h"

static void ask(const struct profile *profile, const char *text)
{
    struct device device = {.kind = DEVICE_GPU,
                            .cores = 8,
                            .vector_flops = 1e12,
                            .memory_Bps = 1e12,
                            .gemm = {.bandwidth_ratio = 1, .wave_ratio = 1}};
    struct op_time_options options = {.profile = profile};
    struct diag diag = DIAG_NONE;
    struct op_shape shape;
    struct op_time time;
    const char *why;
    device.peak_flops[TYPE_BF16] = 1e13;
    device.gemm.efficiency[TYPE_BF16] = device.gemm.sustained[TYPE_BF16] = 1;
    promise(op_shape_parse(&shape, text, &diag) == STATUS_OK);
    promise(op_time(&device, &shape, &options, &time, &why));
    promise(time.ns >= 0 && isfinite(time.ns));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct profile *profile;
    struct arena arena;
    arena_init(&arena);
    struct notices notices;
    struct diag diag = DIAG_NONE;
    notices_init(&notices);
    if (profile_parse(&profile, "fuzz", (const char *)data, size, &arena, &notices, &diag) ==
        STATUS_OK) {
        ask(profile, "gemm 100x200x300");
        ask(profile, "norm 7x7 fp32");
    }
    notices_release(&notices);
    arena_release(&arena);
    return 0;
}
