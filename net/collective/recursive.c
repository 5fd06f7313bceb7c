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
    return request_check_kind(request, &collective_rabenseifner, diag);
}

/* all-reduce: a piece for each member of the core; else a block for each position. */
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

/* Pieces of the core's members whose numbers agree with i in bits 0 .. k: one each, or, if members
 * stand for positions, two for those that have an extra. */
static uint32_t agreeing(struct core core, uint32_t i, uint32_t k, bool by_position)
{
    uint32_t step = 2u << k, first = i % step;
    uint32_t extras = core.rest > first ? (core.rest - first - 1) / step + 1 : 0;
    return core.size / step + (by_position ? extras : 0);
}

static void carry_agreeing(struct lanes *lanes, struct core core, uint32_t i, uint32_t k,
                           bool by_position)
{
    uint32_t step = 2u << k;
    if (!lanes->is_described) {
        lanes_carry(lanes, 0, agreeing(core, i, k, by_position));
        return;
    }
    for (uint32_t j = i % step; j < core.size; j += step) {
        if (by_position)
            lanes_carry(lanes, member(core, j), j < core.rest ? 2 : 1);
        else
            lanes_carry(lanes, j, 1);
    }
}

static uint32_t halve_and_double(struct lanes *lanes, struct core core, uint32_t position,
                                 enum collective_kind kind, uint32_t last)
{
    uint32_t i = index_in(core, position);
    bool by_position = kind != COLL_ALL_REDUCE;
    for (uint32_t k = 0; k < core.levels && kind != COLL_ALL_GATHER; k++) {
        uint32_t partner = i ^ 1u << k, to = member(core, partner);
        carry_agreeing(lanes, core, partner, k, by_position);
        last = lanes_swap(lanes, last, to, to, k, agreeing(core, i, k, by_position), true);
    }
    for (uint32_t k = core.levels; k-- > 0 && kind != COLL_REDUCE_SCATTER;) {
        uint32_t partner = i ^ 1u << k, to = member(core, partner);
        carry_agreeing(lanes, core, i, k, by_position);
        last = lanes_swap(lanes, last, to, to, core.levels + k,
                          agreeing(core, partner, k, by_position), false);
    }
    return last;
}

/* What an extra position gives before, and is given after. */
struct fold {
    uint32_t first, count;     /* pieces given */
    uint32_t back, back_count; /* pieces given back: from `back` on .. */
    uint32_t skipped;          /* .. but this one (NO_STEP: none) */
    bool combine;
};

static struct fold fold_of(const struct schedule_request *request, struct core core, uint32_t extra)
{
    uint32_t n = request->n;
    if (request->kind == COLL_ALL_GATHER)
        return (struct fold){extra, 1, 0, n - 1, extra, false};
    if (request->kind == COLL_REDUCE_SCATTER)
        return (struct fold){0, n, extra, 1, NO_STEP, true};
    return (struct fold){0, core.size, 0, core.size, NO_STEP, true};
}

static void program_extra(struct lanes *lanes, const struct fold *fold, uint32_t position,
                          uint32_t slot)
{
    uint32_t begin = lanes_begin(lanes, fold->count);
    lanes_carry(lanes, fold->first, fold->count);
    lanes_swap(lanes, begin, position - 1, position - 1, slot, fold->back_count, false);
}

static void give_back(struct lanes *lanes, const struct fold *fold, uint32_t last, uint32_t extra,
                      uint32_t slot)
{
    uint32_t before = fold->skipped == NO_STEP ? fold->back_count : fold->skipped - fold->back;
    lanes_carry(lanes, fold->back, before);
    if (before < fold->back_count)
        lanes_carry(lanes, fold->skipped + 1, fold->back_count - before);
    lanes_send(lanes, last, extra, slot);
}

static void program_halving(const struct schedule_request *request, const struct schedule *schedule,
                            uint32_t position, struct arena *arena, struct program *program)
{
    struct core core = core_of(request->n);
    uint32_t slot = 2 * core.levels, extra = position | 1;
    bool has_extra = position < 2 * core.rest;
    struct fold fold = fold_of(request, core, extra);
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, 2 * core.levels + 2, arena, program);
    if (is_extra(core, position)) {
        program_extra(&lanes, &fold, position, slot);
    } else {
        uint32_t last = lanes_begin(&lanes, 1);
        if (has_extra)
            last = lanes_recv(&lanes, last, extra, slot, fold.count, fold.combine);
        last = halve_and_double(&lanes, core, position, request->kind, last);
        if (has_extra)
            give_back(&lanes, &fold, last, extra, slot);
    }
    lanes_close(&lanes);
}

/* -- its cost -------------------------------------------------------------------------------- */

/* The path to one member of the core: the most messages, then the most pieces. */
struct path {
    uint64_t messages, pieces;
};

static struct path longer(struct path a, struct path b)
{
    bool is_b = b.messages > a.messages || (b.messages == a.messages && b.pieces > a.pieces);
    return is_b ? b : a;
}

/* One exchange across 2^k of all members: each waits for its own and for its partner's message. */
static void pass_level(const struct schedule_request *request, struct core core, uint32_t k,
                       struct path *path)
{
    bool by_position = request->kind != COLL_ALL_REDUCE, halves = request->kind != COLL_ALL_GATHER;
    for (uint32_t i = 0; i < core.size; i++) {
        uint32_t partner = i ^ 1u << k;
        if (partner < i)
            continue;
        struct path own = path[i], other = path[partner];
        uint32_t from_own = agreeing(core, halves ? partner : i, k, by_position);
        uint32_t from_other = agreeing(core, halves ? i : partner, k, by_position);
        path[i] = longer(own, (struct path){other.messages + 1, other.pieces + from_other});
        path[partner] = longer(other, (struct path){own.messages + 1, own.pieces + from_own});
    }
}

/* Reduce-scatter or all-gather with extras: members with an extra begin later and end later. */
static void cost_folded(const struct schedule_request *request, struct core core,
                        uint64_t piece_bytes, struct collective_cost *cost)
{
    struct arena arena;
    arena_init(&arena);
    struct path *path = arena_array(&arena, core.size, sizeof *path), end = {0, 0};
    struct fold fold = fold_of(request, core, 1);
    bool halves = request->kind != COLL_ALL_GATHER;
    uint64_t all = 0, most = 0;
    for (uint32_t i = 0; i < core.size; i++) {
        bool has_extra = i < core.rest;
        uint64_t in = has_extra ? fold.count : 0, out = has_extra ? fold.back_count : 0;
        path[i] = (struct path){has_extra, in};
        all += in + out;
        for (uint32_t k = 0; k < core.levels; k++) {
            uint32_t partner = i ^ 1u << k;
            out += agreeing(core, halves ? partner : i, k, true);
            in += agreeing(core, halves ? i : partner, k, true);
            all += agreeing(core, i, k, true);
        }
        most = in > most ? in : most;
        most = out > most ? out : most;
    }
    for (uint32_t k = 0; k < core.levels; k++)
        pass_level(request, core, halves ? k : core.levels - 1 - k, path);
    for (uint32_t i = 0; i < core.size; i++) {
        end = longer(end, path[i]);
        if (i < core.rest)
            end =
                longer(end, (struct path){path[i].messages + 1, path[i].pieces + fold.back_count});
    }
    *cost = (struct collective_cost){
        .latency_terms = end.messages,
        .path_bytes = end.pieces * piece_bytes,
        .reduce_bytes = halves ? (end.pieces - fold.back_count) * piece_bytes : 0,
        .port_bytes = most * piece_bytes,
        .total_bytes = all * piece_bytes,
    };
    arena_release(&arena);
}

static void cost_halving(const struct schedule_request *request, struct collective_cost *cost)
{
    struct core core = core_of(request->n);
    struct schedule cut;
    plan_halving(request, NULL, &cut);
    bool is_all = request->kind == COLL_ALL_REDUCE, is_gather = request->kind == COLL_ALL_GATHER;
    if (core.rest && !is_all) {
        cost_folded(request, core, cut.piece_bytes, cost);
        return;
    }
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
    .summary = "half, a quarter, .. to partners across 1, 2, ..; any n (two fold steps)",
    .steps = "log2 n, all-reduce 2 log2 n, up to 2 more unless a power of two",
    .formula = "log2(n) a + (n-1)m b, all-reduce twice that; a power of two",
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
