#include "net/collective/bucket.h"

#include "base/status.h"
#include "net/collective/bucket_parts.h"
#include "net/collective/lanes.h"

/* Where a part's ring goes in one dimension. */
struct ring {
    uint32_t size;
    bool is_line, backwards;
    uint32_t unit, inverse; /* 0: neighbours */
    uint32_t domain, start; /* 0: no domains */
    bool zigzags;
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
    uint32_t local = x % ring->domain, size = ring->domain;
    uint32_t offset = (local + size - ring->start) % size;
    if (ring->zigzags && offset)
        offset = 2 * offset <= size ? 2 * offset - 1 : 2 * (size - offset);
    return x - local + offset;
}

static uint32_t coordinate_of(const struct ring *ring, uint32_t index)
{
    if (ring->is_line)
        return 2 * index < ring->size ? 2 * index : 2 * (ring->size - index) - 1;
    if (ring->unit)
        return (uint32_t)((uint64_t)index * ring->unit % ring->size);
    if (!ring->domain)
        return index;
    uint32_t local = index % ring->domain, offset = local;
    if (ring->zigzags)
        offset = local % 2 ? (local + 1) / 2 : (ring->domain - local / 2) % ring->domain;
    return index - local + (offset + ring->start) % ring->domain;
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
    ring.zigzags = bucket->zigzags;
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

uint32_t bucket_rounds(const struct bucket *bucket, enum collective_kind kind)
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
void bucket_program(const struct schedule_request *request, const struct schedule *schedule,
                    uint32_t position, struct arena *arena, struct program *made)
{
    const struct bucket *bucket = schedule->program_data;
    struct bucket_run run = {.bucket = bucket, .position = position};
    uint32_t rounds = bucket_rounds(bucket, request->kind), domain = bucket->domain;
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
    bucket_program(request, &of_one, position, arena, made);
}
