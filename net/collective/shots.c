#include "net/collective/shots.h"

#include "base/status.h"
#include "net/collective/request.h"

static uint32_t member(const struct shot_group *group, uint32_t index)
{
    return group->first + index * group->stride;
}

/* n-1 receives that began after `sent`, each handed over once the one before was. */
static uint32_t take_all(struct lanes *lanes, const struct shot_group *group, uint32_t slot,
                         uint32_t sent, uint32_t pieces, bool combine)
{
    uint32_t last = NO_STEP;
    for (uint32_t i = 1; i < group->count; i++) {
        uint32_t from = exchange_down(group->own, i, group->count);
        uint32_t here = lanes_recv(lanes, sent, member(group, from), slot + i - 1, pieces, combine);
        lanes_order(lanes, last, here);
        last = here;
    }
    return last;
}

uint32_t shots_reduce_scatter(struct lanes *lanes, const struct shot_group *group, uint32_t slot,
                              uint32_t last)
{
    for (uint32_t i = 1; i < group->count; i++) {
        uint32_t to = exchange_up(group->own, i, group->count);
        lanes_carry(lanes, (uint64_t)to * group->width, group->width);
        last = lanes_send(lanes, last, member(group, to), slot + i - 1);
    }
    return take_all(lanes, group, slot, last, group->width, true);
}

uint32_t shots_all_gather(struct lanes *lanes, const struct shot_group *group, uint32_t slot,
                          uint32_t last)
{
    for (uint32_t i = 1; i < group->count; i++) {
        uint32_t to = exchange_up(group->own, i, group->count);
        lanes_carry(lanes, (uint64_t)group->own * group->width, group->width);
        last = lanes_send(lanes, last, member(group, to), slot + i - 1);
    }
    return take_all(lanes, group, slot, last, group->width, false);
}

/* -- one-shot -------------------------------------------------------------------------------- */

static enum status check_one(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_one_shot, diag);
}

static void plan_one(const struct schedule_request *request, struct arena *arena,
                     struct schedule *schedule)
{
    (void)arena;
    *schedule = (struct schedule){
        .form = SCHEDULE_PROGRAM, .symmetry = request_cycle(request), .slots = request->n - 1};
    request_cut_whole(request, 1, schedule);
}

static void program_one(const struct schedule_request *request, const struct schedule *schedule,
                        uint32_t position, struct arena *arena, struct program *program)
{
    struct shot_group all = {.stride = 1, .count = request->n, .own = position};
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, request->n, arena, program);
    uint32_t last = lanes_begin(&lanes, 1);
    for (uint32_t i = 1; i < request->n; i++) {
        lanes_carry(&lanes, 0, 1);
        last = lanes_send(&lanes, last, exchange_up(position, i, request->n), i - 1);
    }
    take_all(&lanes, &all, 0, last, 1, true);
    lanes_close(&lanes);
}

static void cost_one(const struct schedule_request *request, struct collective_cost *cost)
{
    uint64_t others = request->n - 1;
    *cost = (struct collective_cost){
        .latency_terms = 1,
        .path_bytes = request->bytes,
        .reduce_bytes = others * request->bytes,
        .port_bytes = others * request->bytes,
        .total_bytes = request->n * others * request->bytes,
    };
}

const struct collective_ops collective_one_shot = {
    .name = "one-shot",
    .summary = "everything to everyone at once; for small data",
    .steps = "1",
    .formula = "a + S b per link; (n-1)S b per port",
    .kinds = KIND_BIT(COLL_ALL_REDUCE),
    .check = check_one,
    .plan = plan_one,
    .program = program_one,
    .cost = cost_one,
};

/* -- two-shot -------------------------------------------------------------------------------- */

static enum status check_two(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_two_shot, diag);
}

static void plan_two(const struct schedule_request *request, struct arena *arena,
                     struct schedule *schedule)
{
    (void)arena;
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM,
                                  .symmetry = request_cycle(request),
                                  .slots = 2 * (request->n - 1)};
    request_cut_blocks(request, 1, schedule);
}

static void program_two(const struct schedule_request *request, const struct schedule *schedule,
                        uint32_t position, struct arena *arena, struct program *program)
{
    struct shot_group all = {.stride = 1, .count = request->n, .own = position, .width = 1};
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, 2 * request->n, arena, program);
    uint32_t last = lanes_begin(&lanes, 1);
    last = shots_reduce_scatter(&lanes, &all, 0, last);
    shots_all_gather(&lanes, &all, request->n - 1, last);
    lanes_close(&lanes);
}

static void cost_two(const struct schedule_request *request, struct collective_cost *cost)
{
    uint64_t others = request->n - 1, part = ceil_div(request->bytes, request->n);
    *cost = (struct collective_cost){
        .latency_terms = 2,
        .path_bytes = 2 * part,
        .reduce_bytes = others * part,
        .port_bytes = 2 * others * part,
        .total_bytes = 2 * request->n * others * part,
    };
}

const struct collective_ops collective_two_shot = {
    .name = "two-shot",
    .summary = "each position adds up one part of all, then gives it to everyone",
    .steps = "2",
    .formula = "2(a + m b) per link; 2(n-1)m b per port",
    .kinds = KIND_BIT(COLL_ALL_REDUCE),
    .check = check_two,
    .plan = plan_two,
    .program = program_two,
    .cost = cost_two,
};
