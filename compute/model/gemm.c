#include "compute/model/gemm.h"

#include <math.h>
#include <stdio.h>

struct tile {
    uint16_t m, n;
};

/*
 * Tiles that the matrix libraries of a generation choose from; each list ends with 0 x 0. Those of
 * 192 are what the names of kernels in profiles of cuBLAS 12 show for Hopper and Blackwell; pairs
 * of SMs share a 256 x 256.
 */
static const struct tile common_tiles[] = {
    {128, 256}, {256, 128}, {128, 128}, {64, 256}, {256, 64}, {128, 64}, {64, 128}, {64, 64}, {0},
};

static const struct tile hopper_tiles[] = {
    {128, 256}, {256, 128}, {128, 192}, {192, 128}, {128, 128}, {64, 256},
    {256, 64},  {128, 64},  {64, 128},  {64, 64},   {0},
};

static const struct tile blackwell_tiles[] = {
    {256, 256}, {128, 256}, {256, 128}, {256, 192}, {192, 256}, {128, 192},
    {192, 128}, {128, 128}, {128, 64},  {64, 128},  {64, 64},   {0},
};

static const struct tile cdna_tiles[] = {
    {256, 256}, {128, 256}, {256, 128}, {128, 128}, {64, 256},
    {256, 64},  {128, 64},  {64, 128},  {64, 64},   {0},
};

static const struct tile *tiles_of(const struct device *device)
{
    switch (device->generation) {
    case GENERATION_HOPPER:
        return hopper_tiles;
    case GENERATION_BLACKWELL:
        return blackwell_tiles;
    case GENERATION_CDNA:
        return cdna_tiles;
    default:
        return common_tiles;
    }
}

enum { K_BYTES = 128 /* of a row of a tile in shared memory */, MOST_SPLIT = 16 };

/* Rule 3. */
static const double conv_share = 0.75;

struct search {
    const struct device *device;
    const struct op_shape *shape;
    double core_flops; /* of a core at its share of peak with the usual tile */
    double bits;       /* of an input number as it is multiplied */
    double groups;     /* products side by side */
    double rows;       /* of each */
    double memory_ns;
};

struct plan {
    struct tile tile;
    uint32_t split;
    double units, waves;
    double compute_ns, cache_ns;
    double ns; /* without the start */
};

static double norm6(double a, double b, double c)
{
    double a2 = a * a, b2 = b * b, c2 = c * c;
    return sqrt(cbrt(a2 * a2 * a2 + b2 * b2 * b2 + c2 * c2 * c2));
}

/* How fast a tile is beside the usual 128 x 256: its operands weigh more. */
static double tile_share(const struct device_gemm *gemm, struct tile tile)
{
    double usual = 1 + gemm->tile_loss * (1.0 / 128 + 1.0 / 256);
    return usual / (1 + gemm->tile_loss * (1.0 / tile.m + 1.0 / tile.n));
}

static struct plan plan_of(const struct search *search, struct tile tile, uint32_t split)
{
    const struct device *device = search->device;
    const struct device_gemm *gemm = &device->gemm;
    double columns = (double)search->shape->n;
    double step = K_BYTES * 8 / search->bits;
    double depth = ceil((double)search->shape->k / (split * step)) * step;
    struct plan plan = {.tile = tile, .split = split};
    plan.units = search->groups * ceil(search->rows / tile.m) * ceil(columns / tile.n) * split;
    double full = plan.units / device->cores;
    plan.waves = fmax(full + gemm->wave_ratio * (ceil(full) - full), 1);
    double unit_ns =
        2.0 * tile.m * tile.n * depth / (search->core_flops * tile_share(gemm, tile)) * 1e9;
    plan.compute_ns = plan.waves * (unit_ns + gemm->tile_ns);
    double loaded = plan.units * (tile.m + tile.n) * depth * search->bits / 8;
    if (split > 1) /* parts in fp32, written and read */
        loaded += 8.0 * split * search->groups * search->rows * columns;
    double rate = gemm->cache_ratio * device->cache_Bps;
    plan.cache_ns = rate > 0 ? loaded / rate * 1e9 : 0;
    plan.ns = norm6(plan.compute_ns, search->memory_ns, plan.cache_ns);
    if (split > 1)
        plan.ns += 0.5 * gemm->start_ns;
    return plan;
}

static struct plan best_plan(const struct search *search)
{
    struct plan best = {.ns = INFINITY};
    double row_bytes = (double)search->shape->k * search->bits / 8;
    for (const struct tile *tile = tiles_of(search->device); tile->m; tile++) {
        for (uint32_t split = 1; split <= MOST_SPLIT; split *= 2) {
            if (split > 1 && row_bytes < 2.0 * K_BYTES * split)
                break;
            struct plan plan = plan_of(search, *tile, split);
            if (plan.ns < best.ns)
                best = plan;
        }
    }
    return best;
}

/* Rule 1. */
static double share_of(const struct device *device, enum data_type type, double flops,
                       bool is_sustained)
{
    const struct device_gemm *gemm = &device->gemm;
    double burst = device_share(gemm->efficiency, type);
    double sustained = device_share(gemm->sustained, type);
    if (is_sustained)
        return sustained;
    if (gemm->burst_ns <= 0)
        return burst;
    double ns = flops / (burst * device->peak_flops[type]) * 1e9;
    return sustained + (burst - sustained) / (1 + ns / gemm->burst_ns);
}

static struct search search_of(const struct device *device, const struct op_shape *shape,
                               enum data_type type, bool is_sustained)
{
    struct search search = {.device = device, .shape = shape};
    double share = share_of(device, type, (double)shape->flops, is_sustained);
    if (shape->class == OP_CLASS_CONV)
        share *= conv_share;
    search.core_flops = share * device->peak_flops[type] / device->cores;
    search.bits = (double)data_type_bytes(type, 8);
    search.groups = (double)shape->batch;
    search.rows = (double)shape->m;
    if (shape->class == OP_CLASS_GROUPED_GEMM)
        search.rows = ceil((double)shape->m / (double)shape->batch);
    double bytes = (double)shape->read_bytes + (double)shape->write_bytes;
    search.memory_ns =
        bytes / (device->gemm.bandwidth_ratio * device->memory_Bps) * 1e9 + device->gemm.ramp_ns;
    return search;
}

static const char *bound_of(const struct search *search, const struct plan *plan)
{
    if (search->memory_ns > plan->compute_ns && search->memory_ns > plan->cache_ns)
        return "memory";
    return plan->cache_ns > plan->compute_ns ? "cache" : "compute";
}

static bool gemm_time(const struct device *device, const struct op_shape *shape,
                      const struct op_time_options *options, struct op_time *out, const char **why)
{
    if (!op_class_is_product(shape->class))
        return false;
    enum data_type type = device_multiplies_as(device, shape->type);
    if (device->kind != DEVICE_GPU) {
        *why = "the device is no GPU";
        return false;
    }
    if (type == DATA_TYPE_COUNT) {
        *why = "the device has no matrix rate for this type";
        return false;
    }
    struct search search = search_of(device, shape, type, options->is_sustained);
    struct plan best = best_plan(&search);
    out->ns = device->gemm.start_ns + best.ns;
    double reached = (double)shape->flops / (out->ns * 1e-9) / device->peak_flops[type] * 100;
    snprintf(out->reason, sizeof out->reason,
             "%.0f %s%s of %ux%u%s in %.4g wave%s, %s-bound, %.0f %% of %s peak", best.units,
             best.split > 1 ? "part" : "tile", best.units > 1 ? "s" : "", best.tile.m, best.tile.n,
             best.split > 1 ? " with split K" : "", best.waves, best.waves > 1 ? "s" : "",
             bound_of(&search, &best), reached, data_type_name(type));
    return true;
}

const struct op_model_ops op_model_gemm = {
    .name = "gemm",
    .summary = "tiles, waves, split K and cache traffic of a GPU",
    .time = gemm_time,
};
