#include "net/collective/pipeline.h"

#include "base/status.h"
#include "net/collective/lanes.h"
#include "net/collective/request.h"

/* Positions are numbered from the root: v = (p - root) mod n. */
static uint32_t position_of(const struct schedule_request *request, uint32_t v)
{
    return exchange_up(v, request->root, request->n);
}

/* -- chain ----------------------------------------------------------------------------------- */

static enum status check_chain(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_chain, diag);
}

static void plan_chain(const struct schedule_request *request, struct arena *arena,
                       struct schedule *schedule)
{
    (void)arena;
    uint32_t chunks = request_chunks(request, request->bytes);
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM, .slots = chunks};
    request_cut_whole(request, chunks, schedule);
}

static void program_chain(const struct schedule_request *request, const struct schedule *schedule,
                          uint32_t position, struct arena *arena, struct program *program)
{
    uint32_t n = request->n, v = exchange_down(position, request->root, n);
    bool reduce = request->kind == COLL_REDUCE;
    bool has_before = reduce ? v + 1 < n : v > 0, has_next = reduce ? v > 0 : v + 1 < n;
    uint32_t before = position_of(request, reduce ? (v + 1) % n : (v + n - 1) % n);
    uint32_t next = position_of(request, reduce ? (v + n - 1) % n : (v + 1) % n);
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, schedule->pieces, arena, program);
    uint32_t ready = has_before ? NO_STEP : lanes_begin(&lanes, 1), sent = NO_STEP;
    for (uint32_t c = 0; c < schedule->pieces; c++) {
        if (has_before) {
            uint32_t here = lanes_recv(&lanes, NO_STEP, before, c, 1, reduce);
            lanes_order(&lanes, ready, here);
            ready = here;
        }
        if (!has_next)
            continue;
        lanes_carry(&lanes, c, 1);
        uint32_t send = lanes_send(&lanes, ready, next, c);
        lanes_until_arrival(&lanes, send);
        lanes_order(&lanes, sent, send);
        sent = send;
    }
    lanes_close(&lanes);
}

static void cost_chain(const struct schedule_request *request, struct collective_cost *cost)
{
    uint64_t chunks = request_chunks(request, request->bytes), hops = request->n - 1;
    uint64_t piece = ceil_div(request->bytes, chunks);
    *cost = (struct collective_cost){
        .latency_terms = hops - 1 + chunks,
        .path_bytes = (hops - 1 + chunks) * piece,
        .reduce_bytes = request->kind == COLL_REDUCE ? hops * piece : 0,
        .port_bytes = chunks * piece,
        .total_bytes = hops * chunks * piece,
    };
}

const struct collective_ops collective_chain = {
    .name = "chain",
    .summary = "chunks go down a line of positions, one after the other",
    .steps = "n-2+c",
    .formula = "(n-2+c)(a + S/c b)",
    .kinds = KIND_BIT(COLL_BROADCAST) | KIND_BIT(COLL_REDUCE),
    .waits_for_arrival = true,
    .check = check_chain,
    .plan = plan_chain,
    .program = program_chain,
    .cost = cost_chain,
};

/* -- scatter and all-gather ------------------------------------------------------------------- */

static enum status check_scatter(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_scatter_all_gather, diag);
}

static void plan_scatter(const struct schedule_request *request, struct arena *arena,
                         struct schedule *schedule)
{
    (void)arena;
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM, .slots = request->n};
    request_cut_whole(request, request->n, schedule);
}

/* Blocks v .. v + subtree_of(v) - 1 go to v's subtree of the binomial tree. */
static uint32_t subtree_of(uint32_t v, uint32_t n)
{
    uint32_t size = v ? v & -v : n;
    return size < n - v ? size : n - v;
}

static uint32_t run_scatter(struct lanes *lanes, const struct schedule_request *request, uint32_t v)
{
    uint32_t n = request->n, levels = v ? (uint32_t)__builtin_ctz(v) : levels_of(n);
    uint32_t last = v ? lanes_recv(lanes, NO_STEP, position_of(request, v & (v - 1)), 0,
                                   subtree_of(v, n), false)
                      : lanes_begin(lanes, n);
    for (uint32_t k = levels; k-- > 0;) {
        uint32_t child = v + (1u << k);
        if (child >= n)
            continue;
        lanes_carry(lanes, child, subtree_of(child, n));
        last = lanes_send(lanes, last, position_of(request, child), 0);
        lanes_until_arrival(lanes, last);
    }
    return last;
}

static void program_scatter(const struct schedule_request *request, const struct schedule *schedule,
                            uint32_t position, struct arena *arena, struct program *program)
{
    uint32_t n = request->n, v = exchange_down(position, request->root, n);
    uint32_t next = position_of(request, (v + 1) % n),
             before = position_of(request, (v + n - 1) % n);
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, n + levels_of(n), arena, program);
    uint32_t last = run_scatter(&lanes, request, v);
    for (uint32_t j = 0; j + 1 < n; j++) {
        lanes_carry(&lanes, (v + n - j) % n, 1);
        last = lanes_swap(&lanes, last, next, before, j + 1, 1, false);
    }
    lanes_close(&lanes);
}

static void cost_scatter(const struct schedule_request *request, struct collective_cost *cost)
{
    uint64_t n = request->n, piece = ceil_div(request->bytes, n), scattered = 0;
    for (uint32_t v = 1; v < n; v++)
        scattered += subtree_of(v, request->n);
    *cost = (struct collective_cost){
        .latency_terms = levels_of(request->n) + n - 1,
        .path_bytes = 2 * (n - 1) * piece,
        .port_bytes = 2 * (n - 1) * piece,
        .total_bytes = (scattered + n * (n - 1)) * piece,
    };
}

const struct collective_ops collective_scatter_all_gather = {
    .name = "scatter-all-gather",
    .summary = "broadcast as a binomial scatter and a ring all-gather",
    .steps = "ceil(log2 n) + n-1",
    .formula = "(log2(n) + n-1) a + 2(n-1)m b",
    .kinds = KIND_BIT(COLL_BROADCAST),
    .waits_for_arrival = true,
    .check = check_scatter,
    .plan = plan_scatter,
    .program = program_scatter,
    .cost = cost_scatter,
};
