#include "net/collective/swing.h"

#include "base/status.h"
#include "net/collective/lanes.h"
#include "net/collective/request.h"

enum { MOST_STEPS = 32 };

/* The steps of one part: in which dimension, how far from an even coordinate. */
struct swing {
    const struct schedule_request *request;
    uint32_t stride[CONFIG_MAX_DIMS];
    uint32_t count;
    uint8_t dim[MOST_STEPS];
    uint32_t up[MOST_STEPS]; /* rho modulo the dimension's size, sides exchanged if mirrored */
};

/* rho(s) modulo `size`, a power of two, to which 1/3 exists: unsigned arithmetic wraps around. */
static uint32_t rho(uint32_t s, uint32_t size)
{
    uint64_t power = s & 1 ? 1ull << (s + 1) : -(1ull << (s + 1)); /* (-2)^(s+1) */
    int64_t distance = (int64_t)(1 - power) / 3;
    return (uint32_t)((uint64_t)distance & (size - 1));
}

static void lay_out(struct swing *swing, const struct schedule_request *request, uint32_t part)
{
    uint32_t dims = request->dim_count, done[CONFIG_MAX_DIMS] = {0}, left = levels_of(request->n);
    *swing = (struct swing){.request = request};
    for (uint32_t d = 0, stride = 1; d < dims; stride *= request->dim[d++])
        swing->stride[d] = stride;
    for (uint32_t d = part / 2; left; d++) {
        uint32_t dim = d % dims, size = request->dim[dim];
        if (1u << done[dim] == size)
            continue;
        uint32_t up = rho(done[dim]++, size);
        swing->dim[swing->count] = (uint8_t)dim;
        swing->up[swing->count++] = part % 2 ? (size - up) & (size - 1) : up;
        left--;
    }
}

static uint32_t partner(const struct swing *swing, uint32_t position, uint32_t step)
{
    uint32_t dim = swing->dim[step], size = swing->request->dim[dim];
    uint32_t x = position / swing->stride[dim] % size;
    uint32_t up = swing->up[step];
    uint32_t to = (x % 2 ? x + size - up : x + up) & (size - 1);
    return position - x * swing->stride[dim] + to * swing->stride[dim];
}

/* Names the part's pieces of all that `position` is the way to in the steps from `step` on. */
static void carry_reach(struct lanes *lanes, const struct swing *swing, uint32_t position,
                        uint32_t step, uint32_t parts, uint32_t part)
{
    uint32_t count = 1u << (swing->count - step);
    if (!lanes->is_described) {
        lanes_carry(lanes, 0, count);
        return;
    }
    for (uint32_t chosen = 0; chosen < count; chosen++) {
        uint32_t at = position;
        for (uint32_t s = step; s < swing->count; s++)
            at = chosen >> (s - step) & 1 ? partner(swing, at, s) : at;
        lanes_carry(lanes, (uint64_t)at * parts + part, 1);
    }
}

static uint32_t parts_of(const struct schedule_request *request)
{
    return 2 * request->dim_count;
}

static enum status check(const struct schedule_request *request, const struct collective_ops *ops,
                         struct diag *diag)
{
    enum status status = request_check_kind(request, ops, diag);
    for (uint32_t d = 0; d < request->dim_count && !status; d++) {
        if (is_power_of_two(request->dim[d]))
            continue;
        status =
            diag_fail(diag, STATUS_BAD_CONFIG,
                      "%s needs powers of two in all dimensions; dimension %u has %u positions",
                      ops->name, d, request->dim[d]);
        diag_hint(diag, "use torus-bucket-multiport");
    }
    return status;
}

/* -- swing ----------------------------------------------------------------------------------- */

static enum status check_swing(const struct schedule_request *request, struct diag *diag)
{
    return check(request, &collective_swing, diag);
}

static uint32_t slots_of(const struct schedule_request *request)
{
    uint32_t times = request->kind == COLL_ALL_REDUCE ? 2 : 1;
    return times * levels_of(request->n) * parts_of(request);
}

static void plan_swing(const struct schedule_request *request, struct arena *arena,
                       struct schedule *schedule)
{
    (void)arena;
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM, .slots = slots_of(request)};
    request_cut_blocks(request, parts_of(request), schedule);
}

static uint32_t run_part(struct lanes *lanes, const struct swing *swing, uint32_t position,
                         uint32_t part, uint32_t slot)
{
    uint32_t steps = swing->count, parts = parts_of(swing->request);
    enum collective_kind kind = swing->request->kind;
    uint32_t last = lanes_begin(lanes, 1u << (steps - 1));
    for (uint32_t s = 0; s < steps && kind != COLL_ALL_GATHER; s++) {
        uint32_t to = partner(swing, position, s);
        carry_reach(lanes, swing, to, s + 1, parts, part);
        last = lanes_swap(lanes, last, to, to, slot++, 1u << (steps - s - 1), true);
    }
    for (uint32_t s = steps; s-- > 0 && kind != COLL_REDUCE_SCATTER;) {
        uint32_t to = partner(swing, position, s);
        carry_reach(lanes, swing, position, s + 1, parts, part);
        last = lanes_swap(lanes, last, to, to, slot++, 1u << (steps - s - 1), false);
    }
    return slot;
}

static void program_swing(const struct schedule_request *request, const struct schedule *schedule,
                          uint32_t position, struct arena *arena, struct program *program)
{
    struct lanes lanes;
    uint32_t slot = 0;
    lanes_open(&lanes, request, schedule->piece_bytes, schedule->slots, arena, program);
    for (uint32_t part = 0; part < parts_of(request); part++) {
        struct swing swing;
        lay_out(&swing, request, part);
        slot = run_part(&lanes, &swing, position, part, slot);
    }
    lanes_close(&lanes);
}

static void cost_swing(const struct schedule_request *request, struct collective_cost *cost)
{
    struct schedule cut = {0};
    request_cut_blocks(request, parts_of(request), &cut);
    uint64_t times = request->kind == COLL_ALL_REDUCE ? 2 : 1;
    uint64_t once = (request->n - 1) * cut.piece_bytes, parts = parts_of(request);
    *cost = (struct collective_cost){
        .latency_terms = times * levels_of(request->n),
        .path_bytes = times * once,
        .reduce_bytes = request->kind == COLL_ALL_GATHER ? 0 : once,
        .port_bytes = times * once * parts,
        .total_bytes = times * once * parts * request->n,
    };
}

const struct collective_ops collective_swing = {
    .name = "swing",
    .summary = "halving and doubling with partners to both sides of a torus; powers of two",
    .steps = "log2 n, all-reduce 2 log2 n",
    .formula = "log2(n) a + (n-1)m/(2D) b, all-reduce twice that",
    .kinds = KIND_BIT(COLL_ALL_REDUCE) | KIND_BIT(COLL_ALL_GATHER) | KIND_BIT(COLL_REDUCE_SCATTER),
    .needs_shape = true,
    .check = check_swing,
    .plan = plan_swing,
    .program = program_swing,
    .cost = cost_swing,
};

/* -- swing-latency ---------------------------------------------------------------------------- */

static enum status check_latency(const struct schedule_request *request, struct diag *diag)
{
    return check(request, &collective_swing_latency, diag);
}

static void plan_latency(const struct schedule_request *request, struct arena *arena,
                         struct schedule *schedule)
{
    (void)arena;
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM,
                                  .slots = levels_of(request->n) * parts_of(request)};
    request_cut_whole(request, parts_of(request), schedule);
}

static void program_latency(const struct schedule_request *request, const struct schedule *schedule,
                            uint32_t position, struct arena *arena, struct program *program)
{
    struct lanes lanes;
    uint32_t slot = 0;
    lanes_open(&lanes, request, schedule->piece_bytes, schedule->slots, arena, program);
    for (uint32_t part = 0; part < parts_of(request); part++) {
        struct swing swing;
        lay_out(&swing, request, part);
        uint32_t last = lanes_begin(&lanes, 1);
        for (uint32_t s = 0; s < swing.count; s++) {
            uint32_t to = partner(&swing, position, s);
            lanes_carry(&lanes, part, 1);
            last = lanes_swap(&lanes, last, to, to, slot++, 1, true);
        }
    }
    lanes_close(&lanes);
}

static void cost_latency(const struct schedule_request *request, struct collective_cost *cost)
{
    uint64_t steps = levels_of(request->n), parts = parts_of(request);
    uint64_t piece = ceil_div(request->bytes, parts);
    *cost = (struct collective_cost){
        .latency_terms = steps,
        .path_bytes = steps * piece,
        .reduce_bytes = steps * piece,
        .port_bytes = steps * piece * parts,
        .total_bytes = steps * piece * parts * request->n,
    };
}

const struct collective_ops collective_swing_latency = {
    .name = "swing-latency",
    .summary = "all data to swing's partners at each step; for small data; powers of two",
    .steps = "log2 n",
    .formula = "log2(n)(a + S/(2D) b)",
    .kinds = KIND_BIT(COLL_ALL_REDUCE),
    .needs_shape = true,
    .check = check_latency,
    .plan = plan_latency,
    .program = program_latency,
    .cost = cost_latency,
};
