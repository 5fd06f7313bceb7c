/* Times of ops: a second's worth of shapes, searched and from the cache. */
#include <stdio.h>

#include "compute/op_time_cache.h"
#include "tests/bench/bench.h"

enum { SEARCHED = 200000, CACHED = 10000000, SHAPES = 1000 };

static struct op_shape shape_of(uint32_t i)
{
    struct op_shape shape = {.class = OP_CLASS_GEMM,
                             .type = TYPE_BF16,
                             .out_type = TYPE_BF16,
                             .m = 1024 + i,
                             .n = 8192,
                             .k = 4096};
    op_shape_finish(&shape);
    return shape;
}

static void say(const char *what, double calls, double seconds)
{
    printf("%-28s %10.0f calls/s, %.0f ns each\n", what, calls / seconds, seconds / calls * 1e9);
}

int main(void)
{
    struct arena arena;
    struct notices notices;
    struct diag diag = DIAG_NONE;
    struct device device;
    arena_init(&arena);
    notices_init(&notices);
    promise(device_load(&device, "h100-sxm", &arena, &notices, &diag) == STATUS_OK);
    struct op_time_options options = {0};
    struct op_time_cache cache;
    op_time_cache_init(&cache, &device, &options);
    double start_s = bench_user_s(), sum = 0;
    for (uint32_t i = 0; i < SEARCHED; i++) {
        struct op_shape shape = shape_of(i);
        struct op_time time;
        const char *why;
        promise(op_time(&device, &shape, &options, &time, &why));
        sum += time.ns;
    }
    say("matrix products, searched", SEARCHED, bench_user_s() - start_s);
    start_s = bench_user_s();
    for (uint32_t i = 0; i < CACHED; i++) {
        struct op_shape shape = shape_of(i % SHAPES);
        sum += op_time_cache_get(&cache, &shape)->ns;
    }
    say("the same, from the cache", CACHED, bench_user_s() - start_s);
    op_time_cache_release(&cache);
    notices_release(&notices);
    arena_release(&arena);
    return sum > 0 ? 0 : 1;
}
