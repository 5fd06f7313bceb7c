#include "net/collective/exchange.h"

#include "base/status.h"
#include "net/collective/exchange_data.h"
#include "net/collective/recursive.h"

#define SHIFT_KINDS                                                                                \
    (KIND_BIT(COLL_ALL_REDUCE) | KIND_BIT(COLL_ALL_GATHER) | KIND_BIT(COLL_REDUCE_SCATTER))

/* What ring and direct share: message size, data after the phase, which inserts reduce. */
static void describe_shift(const struct schedule_request *request, struct schedule *schedule)
{
    struct exchange *exchange = &schedule->exchange;
    uint64_t part = request->bytes / request->n;
    exchange->peer = PEER_SHIFT;
    exchange->same_bytes = true;
    switch (request->kind) {
    case COLL_ALL_GATHER:
        schedule->final_bytes = request->bytes * request->n;
        exchange->reduce = REDUCE_NEVER;
        break;
    case COLL_REDUCE_SCATTER:
        schedule->final_bytes = part;
        exchange->reduce = REDUCE_ALL;
        break;
    case COLL_ALL_REDUCE:
        schedule->final_bytes = request->bytes;
        exchange->reduce = REDUCE_ODD_GROUPS;
        break;
    default:
        schedule->final_bytes = request->bytes;
        exchange->reduce = REDUCE_NEVER;
        break;
    }
}

static uint64_t shift_bytes(const struct schedule_request *request)
{
    return request->kind == COLL_ALL_GATHER ? request->bytes : request->bytes / request->n;
}

/* The four collectives that exchange schedules perform; the rest go to programs. */
static enum status check_kind(const struct schedule_request *request, const char *name,
                              struct diag *diag)
{
    if (request->sizes) { /* every position sends the same: there is no step of its own size */
        diag_fail(diag, STATUS_BAD_CONFIG, "%s cannot run an uneven all-to-all", name);
        diag_hint(diag, "use linear or pairwise");
        return STATUS_BAD_CONFIG;
    }
    switch (request->kind) {
    case COLL_ALL_REDUCE:
    case COLL_ALL_GATHER:
    case COLL_REDUCE_SCATTER:
    case COLL_ALL_TO_ALL:
        return STATUS_OK;
    default:
        return diag_fail(diag, STATUS_BAD_CONFIG, "the %s algorithm cannot run %s", name,
                         collective_name(request->kind));
    }
}

/* -- ring ---------------------------------------------------------------------------------- */

enum { MOST_RING_ALL_TO_ALL = 65536 }; /* n (n-1) / 2 messages are counted in 32 bits */

static enum status check_ring(const struct schedule_request *request, struct diag *diag)
{
    if (request->kind == COLL_ALL_TO_ALL && request->n > MOST_RING_ALL_TO_ALL) {
        diag_fail(diag, STATUS_BAD_CONFIG, "a ring all-to-all takes at most %d NPUs, here are %u",
                  MOST_RING_ALL_TO_ALL, request->n);
        diag_hint(diag, "use direct for all-to-all-implementation");
        return STATUS_BAD_CONFIG;
    }
    return check_kind(request, "ring", diag);
}

static void plan_ring(const struct schedule_request *request, struct arena *arena,
                      struct schedule *schedule)
{
    uint32_t n = request->n;
    struct exchange_step *step = arena_take(arena, sizeof *step);
    *step = (struct exchange_step){.bytes = shift_bytes(request), .offset = 1};
    *schedule = (struct schedule){.form = SCHEDULE_EXCHANGE, .slots = 2};
    describe_shift(request, schedule);
    exchange_data_plan(request, shift_bytes(request), schedule);
    struct exchange *exchange = &schedule->exchange;
    exchange->parallel = 1;
    exchange->reducible = n - 1;
    exchange->period = 1;
    exchange->step = step;
    if (request->kind == COLL_ALL_REDUCE)
        exchange->sends = 2 * (n - 1);
    else if (request->kind == COLL_ALL_TO_ALL)
        exchange->sends = (uint32_t)((uint64_t)n * (n - 1) / 2);
    else
        exchange->sends = n - 1;
}

/* `rounds` messages one after the other, of `parallel` at once. */
static void fill_cost(const struct schedule_request *request, uint64_t rounds, uint64_t parallel,
                      struct collective_cost *cost)
{
    uint64_t part = shift_bytes(request), once = (request->n - 1) * part;
    bool reduces = request->kind == COLL_ALL_REDUCE || request->kind == COLL_REDUCE_SCATTER;
    *cost = (struct collective_cost){
        .latency_terms = rounds,
        .path_bytes = rounds * part,
        .reduce_bytes = reduces ? once : 0,
        .port_bytes = rounds * parallel * part,
        .total_bytes = rounds * parallel * part * request->n,
    };
}

static void cost_ring(const struct schedule_request *request, struct collective_cost *cost)
{
    uint64_t others = request->n - 1;
    bool is_exchange = request->kind == COLL_ALL_TO_ALL;
    uint64_t rounds = is_exchange                        ? others * request->n / 2
                      : request->kind == COLL_ALL_REDUCE ? 2 * others
                                                         : others;
    fill_cost(request, rounds, 1, cost);
}

const struct collective_ops collective_ring = {
    .name = "ring",
    .summary = "neighbour to neighbour, n-1 steps (all-reduce 2(n-1), all-to-all n(n-1)/2)",
    .steps = "n-1, all-reduce 2(n-1), all-to-all n(n-1)/2",
    .formula = "(n-1)(a + m b), all-reduce twice that, all-to-all n/2 times",
    .kinds = SHIFT_KINDS | KIND_BIT(COLL_ALL_TO_ALL),
    .check = check_ring,
    .plan = plan_ring,
    .program = exchange_ring_program,
    .cost = cost_ring,
};

/* -- direct -------------------------------------------------------------------------------- */

enum { MOST_REDUCIBLE = 1 << 30 };

static enum status check_direct(const struct schedule_request *request, struct diag *diag)
{
    return check_kind(request, "direct", diag);
}

static void plan_direct(const struct schedule_request *request, struct arena *arena,
                        struct schedule *schedule)
{
    uint32_t peers = request->n - 1;
    struct exchange_step *step = arena_array(arena, peers, sizeof *step);
    for (uint32_t j = 0; j < peers; j++)
        step[j] = (struct exchange_step){shift_bytes(request), j + 1, j};
    *schedule = (struct schedule){.form = SCHEDULE_EXCHANGE, .slots = peers};
    describe_shift(request, schedule);
    exchange_data_plan(request, shift_bytes(request), schedule);
    struct exchange *exchange = &schedule->exchange;
    uint32_t window = request->window;
    exchange->parallel = window && window < peers ? window : peers;
    exchange->reducible = exchange->parallel;
    if (request->small_group) { /* more than are ever inserted: the cap changes nothing */
        uint64_t all = (uint64_t)peers * exchange->parallel;
        exchange->reducible = all < MOST_REDUCIBLE ? (uint32_t)all : MOST_REDUCIBLE;
    }
    exchange->sends = request->kind == COLL_ALL_REDUCE ? 2 * peers : peers;
    exchange->gated = request->kind == COLL_ALL_REDUCE;
    exchange->slot_is_distance = true;
    exchange->period = peers;
    exchange->step = step;
}

/* Without a window: all at once, and so are the reductions. With one, each message waits for one
 * of W before it, and ASTRA-sim leaves every
 * other reduction out. */
static void cost_direct(const struct schedule_request *request, struct collective_cost *cost)
{
    uint64_t others = request->n - 1, times = request->kind == COLL_ALL_REDUCE ? 2 : 1;
    uint64_t window = request->window && request->window < others ? request->window : others;
    uint64_t rounds = (others + window - 1) / window;
    fill_cost(request, times * rounds, window, cost);
    bool reduces = request->kind == COLL_ALL_REDUCE || request->kind == COLL_REDUCE_SCATTER;
    uint64_t reductions = request->small_group ? rounds : (rounds + 1) / 2;
    cost->reduce_bytes = reduces ? reductions * shift_bytes(request) : 0;
    cost->port_bytes = times * others * shift_bytes(request);
    cost->total_bytes = cost->port_bytes * request->n;
}

const struct collective_ops collective_direct = {
    .name = "direct",
    .summary = "every pair at once, or a window of W at a time (direct<W>)",
    .steps = "1, all-reduce 2; with a window (n-1)/W each",
    .formula = "a + m b per link, all-reduce twice that; (n-1)m b per port",
    .kinds = SHIFT_KINDS | KIND_BIT(COLL_ALL_TO_ALL),
    .check = check_direct,
    .plan = plan_direct,
    .program = exchange_direct_program,
    .cost = cost_direct,
};

/* -- halving-doubling ---------------------------------------------------------------------- */

static uint32_t log2_of(uint32_t n)
{
    return 31 - (uint32_t)__builtin_clz(n);
}

static enum status check_halving_doubling(const struct schedule_request *request, struct diag *diag)
{
    if (request->kind == COLL_ALL_TO_ALL) {
        diag_fail(diag, STATUS_BAD_CONFIG, "halvingDoubling cannot run all-to-all");
        diag_hint(diag, "use ring or direct for all-to-all-implementation");
        return STATUS_BAD_CONFIG;
    }
    if (request->n & (request->n - 1)) {
        diag_fail(diag, STATUS_BAD_CONFIG,
                  "halvingDoubling needs a power of two of NPUs, here are %u", request->n);
        diag_hint(diag, "use ring or direct (ASTRA-sim hangs on this without a word)");
        return STATUS_BAD_CONFIG;
    }
    return check_kind(request, "halvingDoubling", diag);
}

/* A size times or divided by two in doubles, truncated after each step as ASTRA-sim does. */
static uint64_t scale(uint64_t bytes, double multiplier)
{
    return (uint64_t)((double)bytes / multiplier);
}

/* Fills step[0 .. sends]; returns `sends`. The last step is inserted, never sent. */
static uint32_t halving_steps(const struct schedule_request *request, struct exchange_step *step)
{
    uint32_t n = request->n, levels = log2_of(n);
    bool is_gather = request->kind == COLL_ALL_GATHER;
    bool is_all = request->kind == COLL_ALL_REDUCE;
    uint32_t sends = is_all ? 2 * levels : levels;
    uint64_t bytes = is_gather ? request->bytes : request->bytes / 2;
    uint32_t offset = is_gather ? n / 2 : 1;
    double multiplier = is_gather ? 0.5 : 2;
    for (uint32_t j = 0; j < sends; j++) {
        step[j] = (struct exchange_step){bytes, offset, log2_of(offset)};
        offset = multiplier == 2 ? offset * 2 : offset / 2;
        bytes = scale(bytes, multiplier);
        if (offset == n && is_all) {
            multiplier = 0.5;
            offset /= 2;
            bytes = scale(bytes, multiplier);
        }
    }
    step[sends] = (struct exchange_step){bytes, 1, 0};
    return sends;
}

enum { MOST_HALVING_STEPS = 2 * 32 + 1 };

static void plan_halving_doubling(const struct schedule_request *request, struct arena *arena,
                                  struct schedule *schedule)
{
    uint32_t levels = log2_of(request->n);
    struct exchange_step *step = arena_array(arena, 2 * levels + 1, sizeof *step);
    uint32_t sends = halving_steps(request, step);
    *schedule = (struct schedule){.form = SCHEDULE_EXCHANGE, .slots = levels};
    describe_shift(request, schedule);
    exchange_data_plan(request, shift_bytes(request), schedule);
    struct exchange *exchange = &schedule->exchange;
    exchange->peer = PEER_FLIP;
    exchange->same_bytes = false;
    exchange->parallel = 1;
    exchange->reducible = levels - 1;
    exchange->sends = sends;
    exchange->period = sends + 1;
    exchange->step = step;
}

/*
 * ASTRA-sim's cuts of odd sizes, and its reductions: those of the messages that are sent next, so
 * the last is left out.
 */
static void cost_halving_doubling(const struct schedule_request *request,
                                  struct collective_cost *cost)
{
    struct exchange_step step[MOST_HALVING_STEPS];
    uint32_t sends = halving_steps(request, step);
    uint64_t path = 0, reduced = 0;
    for (uint32_t j = 0; j < sends; j++) {
        path += step[j].bytes;
        reduced += j > 0 && j < log2_of(request->n) ? step[j].bytes : 0;
    }
    *cost = (struct collective_cost){
        .latency_terms = sends,
        .path_bytes = path,
        .reduce_bytes = request->kind == COLL_ALL_GATHER ? 0 : reduced,
        .port_bytes = path,
        .total_bytes = path * request->n,
    };
}

const struct collective_ops collective_halving_doubling = {
    .name = "halvingDoubling",
    .summary = "recursive halving, then doubling; n a power of two",
    .steps = "log2 n, all-reduce 2 log2 n",
    .formula = "log2(n) a + (n-1)m b, all-reduce twice that",
    .kinds = SHIFT_KINDS,
    .check = check_halving_doubling,
    .plan = plan_halving_doubling,
    .program = recursive_halving_program,
    .cost = cost_halving_doubling,
};
