#include "compute/model/attention.h"

#include <math.h>
#include <stdio.h>

/* What a device without measured kernels is taken to have: FlashAttention-2 on Ampere, near
 * enough. */
static const struct device_attention assumed = {
    .start_ns = 3000,
    .forward = {[TYPE_BF16] = 0.6},
    .backward = {[TYPE_BF16] = 0.5},
    .exposed_exp_ratio = 1,
    .tile_ns = 2000,
    .tail_ratio = 0.5,
    .tile_q = 128,
    .tile_kv = 128,
};

enum { HEAD_DIM_STEP = 16 };
static const uint64_t most_length = (uint64_t)1 << 31; /* tiles squared stay below 2^63 */
static const double memory_ratio =
    0.85; /* of memory bandwidth where the catalogue has no element-wise ratio */

static uint64_t round_up(uint64_t n, uint64_t step)
{
    return (n + step - 1) / step;
}

/* -- tiles ------------------------------------------------------------------------------------ */

/*
 * Sum of floor((a i + b) / m) over i = 0 .. n - 1, by Euclid's steps: whole parts are taken out of
 * a and b, then the lattice points under the line are counted along the other axis. a, b >= 0, m >
 * 0.
 */
static uint64_t floor_sum(uint64_t n, uint64_t m, uint64_t a, uint64_t b)
{
    uint64_t sum = 0;
    while (n > 0) {
        sum += (n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1)) * (a / m) + n * (b / m);
        a %= m, b %= m;
        uint64_t last = a * n + b;
        if (last < m)
            break;
        n = last / m;
        b = last % m;
        uint64_t was = m;
        m = a, a = was;
    }
    return sum;
}

/* Sum over query tiles i < n of clamp(floor((step i + from) / tile), 0, most). */
static uint64_t clamped_sum(uint64_t n, uint64_t step, int64_t from, uint64_t tile, uint64_t most)
{
    uint64_t first =
        from >= 0 ? 0 : round_up((uint64_t)-from, step); /* the first that is not negative */
    if (first >= n)
        return 0;
    uint64_t base = (uint64_t)(from + (int64_t)(first * step));
    uint64_t count = n - first;
    uint64_t full = base >= most * tile ? 0 : round_up(most * tile - base, step);
    if (full > count)
        full = count;
    return floor_sum(full, tile, step, base) + (count - full) * most;
}

/* floor for a positive tile, and never below 0 or above `most`. */
static uint64_t clamped(int64_t keys, uint64_t tile, uint64_t most)
{
    uint64_t tiles = keys <= 0 ? 0 : (uint64_t)keys / tile;
    return tiles < most ? tiles : most;
}

struct attention_tiles attention_tiles(const struct op_shape *shape, uint64_t tile_q,
                                       uint64_t tile_kv)
{
    uint64_t n = round_up(shape->q_len, tile_q), most = round_up(shape->kv_len, tile_kv);
    struct attention_tiles tiles = {n, n * most, most};
    if (n == 0 || most == 0 || !shape->is_causal) {
        if (shape->window && shape->window < shape->kv_len) {
            tiles.longest = round_up(shape->window + tile_q, tile_kv);
            if (tiles.longest > most)
                tiles.longest = most;
            tiles.pairs = n * tiles.longest;
        }
        return tiles;
    }
    /* Query tile i ends at key `offset + min((i + 1) tile_q, q_len)`, in tiles rounded up. */
    int64_t offset = (int64_t)shape->kv_len - (int64_t)shape->q_len;
    int64_t up = (int64_t)tile_kv - 1;
    uint64_t ends = clamped_sum(n - 1, tile_q, offset + (int64_t)tile_q + up, tile_kv, most) + most;
    uint64_t starts = 0, first_of_last = 0;
    if (shape->window &&
        shape->window < shape->kv_len) { /* its first query sees back to this key */
        int64_t from = offset + 1 - (int64_t)shape->window;
        starts = clamped_sum(n, tile_q, from, tile_kv, most);
        first_of_last = clamped(from + (int64_t)((n - 1) * tile_q), tile_kv, most);
    }
    tiles.pairs = ends - starts;
    tiles.longest = most - first_of_last;
    if (starts && n > 1) { /* the last may be cut short: the one before is whole */
        int64_t before = (int64_t)((n - 2) * tile_q);
        uint64_t end = clamped(offset + before + (int64_t)tile_q + up, tile_kv, most);
        uint64_t start = clamped(offset + 1 - (int64_t)shape->window + before, tile_kv, most);
        if (end - start > tiles.longest)
            tiles.longest = end - start;
    }
    return tiles;
}

/* -- time ------------------------------------------------------------------------------------- */

static bool is_backward(const struct op_shape *shape)
{
    return shape->class == OP_CLASS_ATTENTION_BACKWARD;
}

/* The kernel asked for, or the first that the device has. */
static const struct device_attention *kernel_of(const struct device *device,
                                                enum attention_kernel asked, const char **name)
{
    static const char *const names[] = {
#define X(name, text, about) text,
        ATTENTION_KERNEL_LIST(X)
#undef X
    };
    int index = (int)asked;
    for (int i = 0; device->attention[index].tile_q == 0; i++) {
        if (i == ATTENTION_KERNEL_COUNT) {
            *name = "assumed";
            return &assumed;
        }
        index = i;
    }
    *name = names[index];
    return &device->attention[index];
}

static double efficiency_of(const struct device_attention *kernel, const struct op_shape *shape)
{
    const double *of_type = is_backward(shape) ? kernel->backward : kernel->forward;
    const double *of_assumed = is_backward(shape) ? assumed.backward : assumed.forward;
    double efficiency = of_type[shape->type] > 0 ? of_type[shape->type] : of_type[TYPE_BF16];
    if (!(efficiency > 0))
        efficiency = of_assumed[TYPE_BF16];
    return efficiency;
}

struct parts {
    struct attention_tiles tiles;
    double units; /* query tiles' heads: batch x heads, or x kv_heads where a group shares a tile */
    double packing;            /* of the pairs that equal sequences would have: of the header */
    double product_ns, exp_ns; /* of one pair of tiles */
    double compute_ns, memory_ns, passes_ns;
};

/* Flops given over those of the formula: sequences of unequal length, or documents that do not
 * see each other. */
static double packing_of(const struct op_shape *shape)
{
    struct op_shape equal = *shape;
    equal.flops = equal.read_bytes = equal.write_bytes = 0;
    op_shape_finish(&equal);
    if (shape->flops == equal.flops || equal.flops == 0)
        return 1;
    return (double)shape->flops / (double)equal.flops;
}

/* Of the header; with the split of keys where cores are left over. */
static double compute_ns(const struct device *device, const struct device_attention *kernel,
                         const struct op_shape *shape, struct parts *parts)
{
    double pair_ns = parts->product_ns + parts->exp_ns;
    double longest = (double)parts->tiles.longest * sqrt(parts->packing);
    double pairs = parts->units * (double)parts->tiles.pairs * parts->packing;
    double queries = parts->units * (double)parts->tiles.query_tiles;
    if (!is_backward(shape) && parts->tiles.query_tiles == 1) {
        double split = floor(device->cores / queries); /* flash-decoding */
        if (split > 1)
            longest = ceil(longest / fmin(split, longest));
    }
    double longest_ns = kernel->tile_ns + longest * pair_ns;
    double work_ns = (queries * kernel->tile_ns + pairs * pair_ns) / device->cores;
    return fmax(longest_ns, work_ns + kernel->tail_ratio * longest_ns);
}

static double passes_bytes(const struct op_shape *shape)
{
    if (!is_backward(shape))
        return 0;
    double numbers = (double)shape->batch * shape->heads * (double)shape->q_len * shape->head_dim;
    double in = (double)data_type_bytes(shape->type, 1),
           out = (double)data_type_bytes(shape->out_type, 1);
    return numbers * (2 * in + 8 + out);
}

static struct parts parts_of(const struct device *device, const struct device_attention *kernel,
                             const struct op_shape *shape, double efficiency)
{
    struct parts parts = {.units = (double)shape->batch * shape->heads,
                          .packing = packing_of(shape)};
    uint64_t group = shape->kv_heads ? shape->heads / shape->kv_heads : 1;
    if (!is_backward(shape) && group > 1 && shape->q_len * group <= kernel->tile_q)
        parts.units = (double)shape->batch * shape->kv_heads;
    parts.tiles = attention_tiles(shape, kernel->tile_q, kernel->tile_kv);
    double pair = (double)kernel->tile_q * kernel->tile_kv;
    double width = (double)(round_up(shape->head_dim, HEAD_DIM_STEP) * HEAD_DIM_STEP);
    double core_flops = efficiency * device->peak_flops[shape->type] / device->cores;
    parts.product_ns = (is_backward(shape) ? 10 : 4) * pair * width / core_flops * 1e9;
    if (device->special_flops > 0)
        parts.exp_ns =
            kernel->exposed_exp_ratio * pair / (device->special_flops / device->cores) * 1e9;
    parts.compute_ns = compute_ns(device, kernel, shape, &parts);
    double ratio = device->memory_bound.ratio[OP_CLASS_ELEMENTWISE];
    double Bps = (ratio > 0 ? ratio : memory_ratio) * device->memory_Bps;
    parts.memory_ns = ((double)shape->read_bytes + (double)shape->write_bytes) / Bps * 1e9;
    parts.passes_ns = passes_bytes(shape) / Bps * 1e9;
    return parts;
}

static const char *reason_to_decline(const struct device *device, const struct op_shape *shape)
{
    if (shape->heads == 0 || shape->head_dim == 0)
        return "the shape has no heads";
    if (shape->q_len > most_length || shape->kv_len > most_length)
        return "sequences above 2^31 are not tiled";
    if (!(device->peak_flops[shape->type] > 0))
        return "the device has no matrix rate for this type";
    if (device->cores == 0 || !(device->memory_Bps > 0))
        return "the device's cores or memory bandwidth are not known";
    return NULL;
}

static bool time_attention(const struct device *device, const struct op_shape *shape,
                           const struct op_time_options *options, struct op_time *out,
                           const char **why)
{
    *why = NULL;
    if (!op_class_is_attention(shape->class))
        return false;
    *why = reason_to_decline(device, shape);
    if (*why)
        return false;
    const char *name;
    const struct device_attention *kernel = kernel_of(device, options->attention, &name);
    double efficiency = efficiency_of(kernel, shape);
    struct parts parts = parts_of(device, kernel, shape, efficiency);
    bool is_memory = parts.memory_ns > parts.compute_ns;
    out->ns = kernel->start_ns + fmax(parts.compute_ns, parts.memory_ns) + parts.passes_ns;
    out->is_extrapolated = kernel == &assumed;
    snprintf(out->reason, sizeof out->reason,
             "%s kernel: %.0f query tiles of %u on %u cores, %llu key tiles, exp %.0f %% of a "
             "tile, %s-bound, "
             "%.0f TFLOP/s",
             name, parts.units * (double)parts.tiles.query_tiles, kernel->tile_q, device->cores,
             (unsigned long long)parts.tiles.pairs,
             100 * parts.exp_ns / (parts.product_ns + parts.exp_ns),
             is_memory ? "memory" : "compute", (double)shape->flops / out->ns / 1e3);
    return true;
}

const struct op_model_ops op_model_attention = {
    .name = "attention",
    .summary = "fused attention: query tiles on cores, products, exponentials and memory",
    .time = time_attention,
};
