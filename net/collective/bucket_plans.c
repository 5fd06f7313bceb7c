/* The algorithms of bucket.h: how each cuts its data, its checks and costs. */
#include "net/collective/bucket.h"

#include "base/status.h"
#include "net/collective/bucket_parts.h"
#include "net/collective/request.h"

/* -- plans ---------------------------------------------------------------------------------- */

static struct bucket *bucket_new(struct arena *arena, const struct schedule_request *request,
                                 struct schedule *schedule)
{
    struct bucket *bucket = arena_take(arena, sizeof *bucket);
    *bucket = (struct bucket){
        .dims = request->dim_count, .parts = 1, .no_wrap = request->no_wrap, .stride = {1}};
    for (uint32_t d = 0; d < request->dim_count; d++) {
        bucket->size[d] = request->dim[d];
        bucket->stride[d] = d ? bucket->stride[d - 1] * request->dim[d - 1] : 1;
    }
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM, .program_data = bucket};
    return bucket;
}

/* All positions as one ring. */
static void flatten(const struct schedule_request *request, struct bucket *bucket)
{
    bucket->dims = 1;
    bucket->size[0] = request->n;
    if (request->dim_count > 1)
        bucket->no_wrap = 0;
}

static void finish(const struct schedule_request *request, struct bucket *bucket,
                   enum schedule_symmetry symmetry, struct schedule *schedule)
{
    request_cut_blocks(request, bucket->parts, schedule);
    schedule->slots = bucket_rounds(bucket, request->kind) * bucket->parts;
    schedule->symmetry = bucket->no_wrap ? SYMMETRY_NONE : symmetry;
}

static void plan_bidirectional(const struct schedule_request *request, struct arena *arena,
                               struct schedule *schedule)
{
    struct bucket *bucket = bucket_new(arena, request, schedule);
    flatten(request, bucket);
    bucket->rotates = true;
    bucket->parts = 2;
    finish(request, bucket, request_cycle(request), schedule);
}

static void plan_hierarchical(const struct schedule_request *request, struct arena *arena,
                              struct schedule *schedule)
{
    struct bucket *bucket = bucket_new(arena, request, schedule);
    bucket->dims = 2;
    bucket->size[1] = request->n / request->dim[0];
    if (request->dim_count > 2)
        bucket->no_wrap &= 1;
    finish(request, bucket, request->dim_count == 2 ? SYMMETRY_SHIFT : SYMMETRY_NONE, schedule);
}

static void plan_torus(const struct schedule_request *request, struct arena *arena,
                       struct schedule *schedule)
{
    finish(request, bucket_new(arena, request, schedule), SYMMETRY_SHIFT, schedule);
}

static void plan_multiport(const struct schedule_request *request, struct arena *arena,
                           struct schedule *schedule)
{
    struct bucket *bucket = bucket_new(arena, request, schedule);
    bucket->rotates = true;
    bucket->parts = 2 * bucket->dims;
    finish(request, bucket, SYMMETRY_SHIFT, schedule);
}

/* -- multi-ring ----------------------------------------------------------------------------- */

static uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The units mod n in the order 1, -1, 3, -3, ..: stores up to `most` with inverses, if `unit`. */
static uint32_t find_units(uint32_t n, uint32_t most, uint32_t *unit)
{
    uint32_t count = 0;
    for (uint32_t s = 1; 2 * s <= n && count < most; s++) {
        if (common_divisor(s, n) != 1)
            continue;
        for (int side = 0; side < 2 && count < most; side++) {
            if (side && 2 * s == n)
                break;
            if (unit) {
                uint32_t inverse = 1;
                while ((uint64_t)inverse * s % n != 1 % n)
                    inverse++;
                unit[2 * count] = side ? n - s : s;
                unit[2 * count + 1] = side ? n - inverse : inverse;
            }
            count++;
        }
    }
    return count;
}

static bool has_domains(const struct schedule_request *request)
{
    return request->dim_count > 1 && request->dim[0] > 1 && request->dim[0] < request->n;
}

enum { DEFAULT_CHANNELS = 2 };

static uint32_t channels_of(const struct schedule_request *request)
{
    if (request->channels)
        return request->channels;
    if (has_domains(request))
        return request->dim[0];
    return request->n > 2 ? DEFAULT_CHANNELS : 1;
}

static void plan_multi_ring(const struct schedule_request *request, struct arena *arena,
                            struct schedule *schedule)
{
    struct bucket *bucket = bucket_new(arena, request, schedule);
    flatten(request, bucket);
    bucket->no_wrap = 0;
    bucket->parts = channels_of(request);
    if (has_domains(request)) {
        bool is_alike = request->dim_count == 2 && bucket->parts == request->dim[0];
        bucket->domain = request->dim[0];
        bucket->zigzags = request->is_mesh;
        finish(request, bucket, is_alike ? SYMMETRY_SHIFT : SYMMETRY_NONE, schedule);
        return;
    }
    bucket->unit = arena_array(arena, 2 * (size_t)bucket->parts, sizeof *bucket->unit);
    find_units(request->n, bucket->parts, bucket->unit);
    finish(request, bucket, request_cycle(request), schedule);
}

static enum status check_multi_ring(const struct schedule_request *request, struct diag *diag)
{
    enum status status = request_check_kind(request, &collective_multi_ring, diag);
    if (status)
        return status;
    uint32_t channels = channels_of(request);
    uint32_t most = has_domains(request) ? request->dim[0] : find_units(request->n, channels, NULL);
    if (channels <= most)
        return STATUS_OK;
    return diag_fail(diag, STATUS_BAD_CONFIG,
                     "%u channels; rings of %u positions that share no link can be %u at most",
                     channels, request->n, most);
}

/* -- costs ---------------------------------------------------------------------------------- */

/* `parts` chains of `rounds` messages (once around, or there and back). */
static void fill_cost(const struct schedule_request *request, uint32_t parts, uint32_t rounds,
                      struct collective_cost *cost)
{
    struct schedule cut = {0};
    request_cut_blocks(request, parts, &cut);
    uint64_t once = (request->n - 1) * cut.piece_bytes;
    uint64_t times = request->kind == COLL_ALL_REDUCE ? 2 : 1;
    *cost = (struct collective_cost){
        .latency_terms = times * rounds,
        .path_bytes = times * once,
        .reduce_bytes = request->kind == COLL_ALL_GATHER ? 0 : once,
        .port_bytes = times * once * parts,
        .total_bytes = times * once * parts * request->n,
    };
}

static void cost_bidirectional(const struct schedule_request *request, struct collective_cost *cost)
{
    fill_cost(request, 2, request->n - 1, cost);
}

static void cost_multi_ring(const struct schedule_request *request, struct collective_cost *cost)
{
    fill_cost(request, channels_of(request), request->n - 1, cost);
}

static void cost_hierarchical(const struct schedule_request *request, struct collective_cost *cost)
{
    fill_cost(request, 1, request->dim[0] + request->n / request->dim[0] - 2, cost);
}

static uint32_t torus_rounds(const struct schedule_request *request)
{
    uint32_t rounds = 0;
    for (uint32_t d = 0; d < request->dim_count; d++)
        rounds += request->dim[d] - 1;
    return rounds;
}

static void cost_torus(const struct schedule_request *request, struct collective_cost *cost)
{
    fill_cost(request, 1, torus_rounds(request), cost);
}

static void cost_multiport(const struct schedule_request *request, struct collective_cost *cost)
{
    fill_cost(request, 2 * request->dim_count, torus_rounds(request), cost);
}

/* -- the table's rows ------------------------------------------------------------------------ */

static enum status check_bidirectional(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_bidirectional_ring, diag);
}

static enum status check_hierarchical(const struct schedule_request *request, struct diag *diag)
{
    enum status status = request_check_kind(request, &collective_hierarchical, diag);
    return status ? status : request_check_domains(request, "hierarchical", diag);
}

static enum status check_torus(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_torus_bucket, diag);
}

static enum status check_multiport(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_torus_bucket_multiport, diag);
}

#define BUCKET_KINDS                                                                               \
    (KIND_BIT(COLL_ALL_REDUCE) | KIND_BIT(COLL_ALL_GATHER) | KIND_BIT(COLL_REDUCE_SCATTER))

const struct collective_ops collective_bidirectional_ring = {
    .name = "bidirectional-ring",
    .summary = "half of the data round a ring each way",
    .steps = "n-1, all-reduce 2(n-1)",
    .formula = "(n-1)(a + m/2 b), all-reduce twice that",
    .kinds = BUCKET_KINDS,
    .check = check_bidirectional,
    .plan = plan_bidirectional,
    .program = bucket_program,
    .cost = cost_bidirectional,
};

const struct collective_ops collective_multi_ring = {
    .name = "multi-ring",
    .summary = "k rings that share no link; on domains each ring leaves through another NPU",
    .steps = "n-1, all-reduce 2(n-1)",
    .formula = "(n-1)(a + m/k b), all-reduce twice that",
    .kinds = BUCKET_KINDS,
    .check = check_multi_ring,
    .plan = plan_multi_ring,
    .program = bucket_program,
    .cost = cost_multi_ring,
};

const struct collective_ops collective_hierarchical = {
    .name = "hierarchical",
    .summary = "rings in the domain (dimension 0), then across domains, then back",
    .steps = "G+N-2, all-reduce 2(G+N-2)",
    .formula = "(G+N-2)a + (n-1)m b, all-reduce twice that; n = G N",
    .kinds = BUCKET_KINDS,
    .needs_shape = true,
    .check = check_hierarchical,
    .plan = plan_hierarchical,
    .program = bucket_program,
    .cost = cost_hierarchical,
};

const struct collective_ops collective_torus_bucket = {
    .name = "torus-bucket",
    .summary = "rings in one dimension after the other, one port at a time",
    .steps = "sum(d-1), all-reduce 2 sum(d-1)",
    .formula = "sum(d-1) a + (n-1)m b, all-reduce twice that",
    .kinds = BUCKET_KINDS,
    .needs_shape = true,
    .check = check_torus,
    .plan = plan_torus,
    .program = bucket_program,
    .cost = cost_torus,
};

const struct collective_ops collective_torus_bucket_multiport = {
    .name = "torus-bucket-multiport",
    .summary = "2D parts, each from another dimension and direction: all links of a torus at once",
    .steps = "sum(d-1), all-reduce 2 sum(d-1)",
    .formula = "sum(d-1) a + (n-1)m/(2D) b, all-reduce twice that",
    .kinds = BUCKET_KINDS,
    .needs_shape = true,
    .check = check_multiport,
    .plan = plan_multiport,
    .program = bucket_program,
    .cost = cost_multiport,
};
