#include "net/collective/bucket.h"

#include "base/status.h"
#include "net/collective/lanes.h"
#include "net/collective/request.h"

/* What differs between the algorithms of this file; lives in schedule.program_data. */
struct bucket {
    uint32_t dims;
    uint32_t size[CONFIG_MAX_DIMS], stride[CONFIG_MAX_DIMS]; /* of the coordinates */
    uint32_t no_wrap;
    uint32_t parts;
    bool rotates;    /* part t starts in dimension t / 2 and turns backwards if t is odd */
    uint32_t domain; /* multi-ring on a shape: NPUs of a domain, else 0 */
    uint32_t *unit;  /* multi-ring: stride of each part, and its inverse mod n [2 parts] */
};

/* Where a part's ring goes in one dimension. */
struct ring {
    uint32_t size;
    bool is_line, backwards;
    uint32_t unit, inverse; /* 0: neighbours */
    uint32_t domain, start; /* 0: no domains */
};

/* -- rings: index along the ring <-> coordinate --------------------------------------------- */

static uint32_t index_of(const struct ring *ring, uint32_t x)
{
    if (ring->is_line)
        return x % 2 ? ring->size - (x + 1) / 2 : x / 2;
    if (ring->unit)
        return (uint32_t)((uint64_t)x * ring->inverse % ring->size);
    if (!ring->domain)
        return x;
    uint32_t local = x % ring->domain;
    return x - local + (local + ring->domain - ring->start) % ring->domain;
}

static uint32_t coordinate_of(const struct ring *ring, uint32_t index)
{
    if (ring->is_line)
        return 2 * index < ring->size ? 2 * index : 2 * (ring->size - index) - 1;
    if (ring->unit)
        return (uint32_t)((uint64_t)index * ring->unit % ring->size);
    if (!ring->domain)
        return index;
    uint32_t local = index % ring->domain;
    return index - local + (local + ring->start) % ring->domain;
}

/* The coordinate `steps` (below size) further along the ring from the coordinate x. */
static uint32_t further(const struct ring *ring, uint32_t x, uint32_t steps)
{
    if (ring->backwards)
        steps = steps ? ring->size - steps : 0;
    uint32_t index = index_of(ring, x);
    return coordinate_of(ring, index >= ring->size - steps ? index - (ring->size - steps)
                                                           : index + steps);
}

static uint32_t before(const struct ring *ring, uint32_t x, uint32_t steps)
{
    steps %= ring->size;
    return further(ring, x, steps ? ring->size - steps : 0);
}

static struct ring ring_in(const struct bucket *bucket, uint32_t part, uint32_t dim)
{
    struct ring ring = {.size = bucket->size[dim]};
    ring.is_line = bucket->no_wrap >> dim & 1 && ring.size > 2;
    ring.backwards = bucket->rotates && part % 2;
    if (bucket->unit) {
        ring.unit = bucket->unit[2 * part];
        ring.inverse = bucket->unit[2 * part + 1];
    }
    ring.domain = bucket->domain;
    ring.start = part;
    return ring;
}

/* Dimension of the part's stage. */
static uint32_t dim_of(const struct bucket *bucket, uint32_t part, uint32_t stage)
{
    return ((bucket->rotates ? part / 2 : 0) + stage) % bucket->dims;
}

static uint32_t coordinate(const struct bucket *bucket, uint32_t position, uint32_t dim)
{
    return position / bucket->stride[dim] % bucket->size[dim];
}

/* -- the program ---------------------------------------------------------------------------- */

struct bucket_run {
    const struct bucket *bucket;
    struct lanes lanes;
    uint32_t position, part;
    uint32_t last;    /* step that the chain has come to */
    uint32_t in, out; /* slots of the next message received, and of the next sent */
};

/* Blocks of one step of a stage: those that agree with the position in the dimensions of earlier
 * stages and have one coordinate here; what comes later is free. */
static uint64_t group_size(const struct bucket *bucket, uint32_t part, uint32_t stage)
{
    uint64_t count = 1;
    for (uint32_t later = stage + 1; later < bucket->dims; later++)
        count *= bucket->size[dim_of(bucket, part, later)];
    return count;
}

static void carry_group(struct bucket_run *run, uint32_t stage, uint32_t x)
{
    const struct bucket *bucket = run->bucket;
    uint64_t count = group_size(bucket, run->part, stage);
    if (!run->lanes.is_described) {
        lanes_carry(&run->lanes, 0, count);
        return;
    }
    uint32_t base = 0;
    for (uint32_t s = 0; s <= stage; s++) {
        uint32_t dim = dim_of(bucket, run->part, s);
        base += (s == stage ? x : coordinate(bucket, run->position, dim)) * bucket->stride[dim];
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t left = i, block = base;
        for (uint32_t s = stage + 1; s < bucket->dims; s++) {
            uint32_t dim = dim_of(bucket, run->part, s);
            block += left % bucket->size[dim] * bucket->stride[dim];
            left /= bucket->size[dim];
        }
        lanes_carry(&run->lanes, block * bucket->parts + run->part, 1);
    }
}

/* One stage: reduce-scatter (what belongs j + 1 back leaves at step j) or all-gather (j back). */
static void run_stage(struct bucket_run *run, uint32_t stage, bool combine)
{
    const struct bucket *bucket = run->bucket;
    uint32_t dim = dim_of(bucket, run->part, stage);
    struct ring ring = ring_in(bucket, run->part, dim);
    uint32_t x = coordinate(bucket, run->position, dim);
    uint32_t base = run->position - x * bucket->stride[dim];
    if (ring.size == 1)
        return;
    uint32_t next = base + further(&ring, x, 1) * bucket->stride[dim];
    uint32_t last = base + before(&ring, x, 1) * bucket->stride[dim];
    uint64_t count = group_size(bucket, run->part, stage);
    for (uint32_t j = 0; j + 1 < ring.size; j++) {
        carry_group(run, stage, before(&ring, x, j + combine));
        uint32_t sent = lanes_send(&run->lanes, run->last, next, run->out++);
        run->last = lanes_recv(&run->lanes, sent, last, run->in++, count, combine);
    }
}

static void run_part(struct bucket_run *run, enum collective_kind kind)
{
    const struct bucket *bucket = run->bucket;
    run->last = lanes_begin(&run->lanes, group_size(bucket, run->part, 0));
    for (uint32_t stage = 0; stage < bucket->dims && kind != COLL_ALL_GATHER; stage++)
        run_stage(run, stage, true);
    for (uint32_t stage = bucket->dims; stage-- > 0 && kind != COLL_REDUCE_SCATTER;)
        run_stage(run, stage, false);
}

/* Messages of one part. */
static uint32_t rounds_of(const struct bucket *bucket, enum collective_kind kind)
{
    uint32_t rounds = 0;
    for (uint32_t d = 0; d < bucket->dims; d++)
        rounds += bucket->size[d] - 1;
    return kind == COLL_ALL_REDUCE ? 2 * rounds : rounds;
}

/*
 * Each part in turn, a slot for each of its rounds. With one channel for each NPU of a domain, a
 * position begins with the channel that starts at itself, so the programs of all positions are
 * alike; the slots follow the receiver's order.
 */
static void program(const struct schedule_request *request, const struct schedule *schedule,
                    uint32_t position, struct arena *arena, struct program *made)
{
    const struct bucket *bucket = schedule->program_data;
    struct bucket_run run = {.bucket = bucket, .position = position};
    uint32_t rounds = rounds_of(bucket, request->kind), domain = bucket->domain;
    bool is_own_order = domain && bucket->parts == domain;
    lanes_open(&run.lanes, request, schedule->piece_bytes, rounds * bucket->parts, arena, made);
    for (uint32_t turn = 0; turn < bucket->parts; turn++) {
        run.part = is_own_order ? (position + turn) % domain : turn;
        struct ring ring = ring_in(bucket, run.part, 0);
        uint32_t turn_of_next =
            is_own_order ? (run.part + domain - further(&ring, position, 1) % domain) % domain
                         : turn;
        run.in = turn * rounds;
        run.out = turn_of_next * rounds;
        run_part(&run, request->kind);
    }
    lanes_close(&run.lanes);
}

void bucket_ring_program(const struct schedule_request *request, const struct schedule *schedule,
                         uint32_t position, struct arena *arena, struct program *made)
{
    struct bucket one = {.dims = 1, .size = {request->n}, .stride = {1}, .parts = 1};
    struct schedule of_one = *schedule;
    of_one.program_data = &one;
    program(request, &of_one, position, arena, made);
}

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
    schedule->slots = rounds_of(bucket, request->kind) * bucket->parts;
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
    .program = program,
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
    .program = program,
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
    .program = program,
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
    .program = program,
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
    .program = program,
    .cost = cost_multiport,
};
