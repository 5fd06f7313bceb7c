#include "net/collective/two_way_ring.h"

#include "base/status.h"
#include "net/collective/lanes.h"
#include "net/collective/request.h"

static enum status check(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_bidirectional_ring_full, diag);
}

static void plan(const struct schedule_request *request, struct arena *arena,
                 struct schedule *schedule)
{
    (void)arena;
    uint32_t times = request->kind == COLL_ALL_REDUCE ? 2 : 1;
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM,
                                  .symmetry = request_cycle(request),
                                  .slots = times * (request->n - 1)};
    request_cut_blocks(request, 1, schedule);
}

/* One direction of one half: `reach` messages to the next position, from the one before. */
struct direction {
    uint32_t n, position, reach;
    bool backwards, combine;
    uint32_t slot;
};

static uint32_t further(const struct direction *way, uint32_t steps)
{
    return way->backwards ? exchange_down(way->position, steps, way->n)
                          : exchange_up(way->position, steps, way->n);
}

static uint32_t before(const struct direction *way, uint32_t steps)
{
    return way->backwards ? exchange_up(way->position, steps, way->n)
                          : exchange_down(way->position, steps, way->n);
}

/* Gather: what came j steps ago goes on. Reduce: the block of the position reach - j ahead, to
 * which those before have added their part. */
static uint32_t run(struct lanes *lanes, const struct direction *way, uint32_t last)
{
    for (uint32_t j = 0; j < way->reach; j++) {
        lanes_carry(lanes, way->combine ? further(way, way->reach - j) : before(way, j), 1);
        last = lanes_swap(lanes, last, further(way, 1), before(way, 1), way->slot + j, 1,
                          way->combine);
    }
    return last;
}

/* Both ways at once; both begin after the two steps of `last`, and leave theirs there. */
static void run_both(struct lanes *lanes, const struct schedule_request *request, uint32_t position,
                     bool combine, uint32_t slot, uint32_t last[2])
{
    uint32_t after[2] = {last[0], last[1]};
    for (uint32_t b = 0; b < 2; b++) {
        struct direction way = {.n = request->n,
                                .position = position,
                                .reach = (request->n - b) / 2,
                                .backwards = b,
                                .combine = combine,
                                .slot = slot + b * (request->n / 2)};
        uint32_t first = lanes->program->count;
        if (!way.reach)
            continue;
        last[b] = run(lanes, &way, after[0]);
        if (after[1] != after[0])
            lanes_order(lanes, after[1], first);
    }
}

static void program(const struct schedule_request *request, const struct schedule *schedule,
                    uint32_t position, struct arena *arena, struct program *made)
{
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, schedule->slots, arena, made);
    uint32_t begin = lanes_begin(&lanes, 1), last[2] = {begin, begin}, slot = 0;
    if (request->kind != COLL_ALL_GATHER) {
        run_both(&lanes, request, position, true, slot, last);
        slot += request->n - 1;
    }
    if (request->kind != COLL_REDUCE_SCATTER)
        run_both(&lanes, request, position, false, slot, last);
    lanes_close(&lanes);
}

static void cost(const struct schedule_request *request, struct collective_cost *out)
{
    struct schedule cut = {0};
    request_cut_blocks(request, 1, &cut);
    uint64_t times = request->kind == COLL_ALL_REDUCE ? 2 : 1, reach = request->n / 2;
    uint64_t once = (request->n - 1) * cut.piece_bytes;
    *out = (struct collective_cost){
        .latency_terms = times * reach,
        .path_bytes = times * reach * cut.piece_bytes,
        .reduce_bytes = request->kind == COLL_ALL_GATHER ? 0 : reach * cut.piece_bytes,
        .port_bytes = times * once,
        .total_bytes = times * once * request->n,
    };
}

const struct collective_ops collective_bidirectional_ring_full = {
    .name = "bidirectional-ring-full",
    .summary = "whole blocks both ways, each half-way round the ring",
    .steps = "ceil((n-1)/2), all-reduce twice that",
    .formula = "ceil((n-1)/2)(a + m b), all-reduce twice that",
    .kinds = KIND_BIT(COLL_ALL_REDUCE) | KIND_BIT(COLL_ALL_GATHER) | KIND_BIT(COLL_REDUCE_SCATTER),
    .check = check,
    .plan = plan,
    .program = program,
    .cost = cost,
};
