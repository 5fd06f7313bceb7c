#include "net/collective/recursive.h"

#include "base/status.h"
#include "net/collective/lanes.h"
#include "net/collective/request.h"

/* The power of two that takes part, and what is left. */
struct core {
    uint32_t size, levels, rest;
};

static struct core core_of(uint32_t n)
{
    uint32_t levels = 31 - (uint32_t)__builtin_clz(n);
    return (struct core){1u << levels, levels, n - (1u << levels)};
}

/* Position of the core's i-th member. */
static uint32_t member(struct core core, uint32_t i)
{
    return i < core.rest ? 2 * i : i + core.rest;
}

static bool is_extra(struct core core, uint32_t position)
{
    return position < 2 * core.rest && position % 2;
}

static uint32_t index_in(struct core core, uint32_t position)
{
    return position < 2 * core.rest ? position / 2 : position - core.rest;
}

/* An extra position: all data to the even one before, the result back. */
static void run_extra(struct lanes *lanes, struct core core, uint32_t position, uint32_t pieces,
                      uint32_t slot)
{
    (void)core;
    uint32_t begin = lanes_begin(lanes, pieces);
    lanes_carry(lanes, 0, pieces);
    lanes_swap(lanes, begin, position - 1, position - 1, slot, pieces, false);
}

static uint32_t take_extra(struct lanes *lanes, struct core core, uint32_t position,
                           uint32_t pieces, uint32_t slot)
{
    uint32_t begin = lanes_begin(lanes, pieces);
    if (position >= 2 * core.rest)
        return begin;
    return lanes_recv(lanes, begin, position + 1, slot, pieces, true);
}

static void give_extra(struct lanes *lanes, struct core core, uint32_t position, uint32_t pieces,
                       uint32_t slot, uint32_t last)
{
    if (position >= 2 * core.rest)
        return;
    lanes_carry(lanes, 0, pieces);
    lanes_send(lanes, last, position + 1, slot);
}

/* -- recursive doubling --------------------------------------------------------------------- */

static enum status check_doubling(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_recursive_doubling, diag);
}

static void plan_doubling(const struct schedule_request *request, struct arena *arena,
                          struct schedule *schedule)
{
    (void)arena;
    struct core core = core_of(request->n);
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM,
                                  .symmetry = core.rest ? SYMMETRY_NONE : SYMMETRY_XOR,
                                  .slots = core.levels + 1};
    request_cut_whole(request, 1, schedule);
}

static void program_doubling(const struct schedule_request *request,
                             const struct schedule *schedule, uint32_t position,
                             struct arena *arena, struct program *program)
{
    struct core core = core_of(request->n);
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, core.levels + 2, arena, program);
    if (is_extra(core, position)) {
        run_extra(&lanes, core, position, 1, core.levels);
    } else {
        uint32_t last = take_extra(&lanes, core, position, 1, core.levels);
        for (uint32_t k = 0; k < core.levels; k++) {
            uint32_t partner = member(core, index_in(core, position) ^ 1u << k);
            lanes_carry(&lanes, 0, 1);
            last = lanes_swap(&lanes, last, partner, partner, k, 1, true);
        }
        give_extra(&lanes, core, position, 1, core.levels, last);
    }
    lanes_close(&lanes);
}

static void cost_doubling(const struct schedule_request *request, struct collective_cost *cost)
{
    struct core core = core_of(request->n);
    uint64_t bytes = request->bytes, fold = core.rest ? 1 : 0;
    /* A member that starts late, with an extra's data, delays by as many levels as its number
     * differs in; the last message goes to an extra of a member below `rest` too. */
    uint32_t late = fold + (fold && levels_of(core.rest) == core.levels);
    *cost = (struct collective_cost){
        .latency_terms = core.levels + late,
        .path_bytes = (core.levels + late) * bytes,
        .reduce_bytes = (core.levels + fold) * bytes,
        .port_bytes = (core.levels + fold) * bytes,
        .total_bytes = ((uint64_t)core.size * core.levels + 2 * core.rest) * bytes,
    };
}

const struct collective_ops collective_recursive_doubling = {
    .name = "recursive-doubling",
    .summary = "the whole data to the partner across 1, 2, 4, ..; any n (two fold steps)",
    .steps = "log2 n, +1 or +2 unless a power of two",
    .formula = "log2(n)(a + S b)",
    .kinds = KIND_BIT(COLL_ALL_REDUCE),
    .check = check_doubling,
    .plan = plan_doubling,
    .program = program_doubling,
    .cost = cost_doubling,
};

/* -- halving-doubling ----------------------------------------------------------------------- */

static enum status check_halving(const struct schedule_request *request, struct diag *diag)
{
    enum status status = request_check_kind(request, &collective_rabenseifner, diag);
    if (status || request->kind == COLL_ALL_REDUCE)
        return status;
    return request_check_power(request, "halving-doubling", "bruck, pat or ring", diag);
}

static void plan_halving(const struct schedule_request *request, struct arena *arena,
                         struct schedule *schedule)
{
    (void)arena;
    struct core core = core_of(request->n);
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM,
                                  .symmetry = core.rest ? SYMMETRY_NONE : SYMMETRY_XOR,
                                  .slots = 2 * core.levels + 1};
    if (request->kind == COLL_ALL_REDUCE)
        request_cut_whole(request, core.size, schedule);
    else
        request_cut_blocks(request, 1, schedule);
}

/* Names the pieces whose numbers agree with i in bits 0 .. k. */
static void carry_agreeing(struct lanes *lanes, struct core core, uint32_t i, uint32_t k)
{
    uint32_t step = 2u << k;
    if (!lanes->is_described) {
        lanes_carry(lanes, 0, core.size / step);
        return;
    }
    for (uint32_t piece = i % step; piece < core.size; piece += step)
        lanes_carry(lanes, piece, 1);
}

static uint32_t halve_and_double(struct lanes *lanes, struct core core, uint32_t position,
                                 enum collective_kind kind, uint32_t last)
{
    uint32_t i = index_in(core, position);
    for (uint32_t k = 0; k < core.levels && kind != COLL_ALL_GATHER; k++) {
        uint32_t partner = i ^ 1u << k;
        carry_agreeing(lanes, core, partner, k);
        last = lanes_swap(lanes, last, member(core, partner), member(core, partner), k,
                          core.size / (2u << k), true);
    }
    for (uint32_t k = core.levels; k-- > 0 && kind != COLL_REDUCE_SCATTER;) {
        uint32_t partner = i ^ 1u << k;
        carry_agreeing(lanes, core, i, k);
        last = lanes_swap(lanes, last, member(core, partner), member(core, partner),
                          core.levels + k, core.size / (2u << k), false);
    }
    return last;
}

static void program_halving(const struct schedule_request *request, const struct schedule *schedule,
                            uint32_t position, struct arena *arena, struct program *program)
{
    struct core core = core_of(request->n);
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, 2 * core.levels + 2, arena, program);
    uint32_t fold = 2 * core.levels;
    if (is_extra(core, position)) {
        run_extra(&lanes, core, position, core.size, fold);
    } else {
        uint32_t last = take_extra(&lanes, core, position, core.size, fold);
        last = halve_and_double(&lanes, core, position, request->kind, last);
        give_extra(&lanes, core, position, core.size, fold, last);
    }
    lanes_close(&lanes);
}

static void cost_halving(const struct schedule_request *request, struct collective_cost *cost)
{
    struct core core = core_of(request->n);
    struct schedule cut;
    plan_halving(request, NULL, &cut);
    bool is_all = request->kind == COLL_ALL_REDUCE, is_gather = request->kind == COLL_ALL_GATHER;
    uint64_t whole = core.rest ? core.size * cut.piece_bytes : 0, times = is_all ? 2 : 1;
    uint64_t once = (core.size - 1) * cut.piece_bytes;
    *cost = (struct collective_cost){
        .latency_terms = times * core.levels + (core.rest ? 2 : 0),
        .path_bytes = times * once + 2 * whole,
        .reduce_bytes = is_gather ? 0 : once + whole,
        .port_bytes = times * once + whole,
        .total_bytes = times * once * core.size + 2 * core.rest * whole,
    };
}

const struct collective_ops collective_rabenseifner = {
    .name = "halving-doubling",
    .summary = "half, a quarter, .. to partners across 1, 2, ..; all-reduce for any n",
    .steps = "log2 n, all-reduce 2 log2 n, +2 unless a power of two",
    .formula = "log2(n) a + (n-1)m b, all-reduce twice that",
    .kinds = KIND_BIT(COLL_ALL_REDUCE) | KIND_BIT(COLL_ALL_GATHER) | KIND_BIT(COLL_REDUCE_SCATTER),
    .check = check_halving,
    .plan = plan_halving,
    .program = program_halving,
    .cost = cost_halving,
};

void recursive_halving_program(const struct schedule_request *request,
                               const struct schedule *schedule, uint32_t position,
                               struct arena *arena, struct program *program)
{
    program_halving(request, schedule, position, arena, program);
}
