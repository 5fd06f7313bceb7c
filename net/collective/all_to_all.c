#include "net/collective/all_to_all.h"

#include "base/status.h"
#include "net/collective/lanes.h"
#include "net/collective/request.h"

/* -- pairs of positions, even or not ----------------------------------------------------------- */

static uint64_t bytes_between(const struct schedule_request *request, uint64_t piece_bytes,
                              uint32_t from, uint32_t to)
{
    return request->sizes ? request->sizes[(size_t)from * request->n + to] : piece_bytes;
}

/* Sends the block for `to` after `after`. */
static uint32_t send_block(struct lanes *lanes, const struct schedule_request *request,
                           uint32_t position, uint32_t to, uint32_t slot, uint32_t after)
{
    lanes_carry(lanes, (uint64_t)position * request->n + to, 1);
    uint32_t sent = lanes_send(lanes, after, to, slot);
    lanes->program->step[sent].bytes = bytes_between(request, lanes->piece_bytes, position, to);
    return sent;
}

static uint32_t take_block(struct lanes *lanes, const struct schedule_request *request,
                           uint32_t position, uint32_t from, uint32_t slot, uint32_t after)
{
    uint64_t bytes = bytes_between(request, lanes->piece_bytes, from, position);
    uint32_t recv = lanes_recv_only(lanes, after, from, slot, 1, false);
    lanes->program->step[recv].bytes = bytes;
    uint32_t here = lanes_local(lanes, recv, false, 1);
    lanes->program->step[here].bytes = bytes;
    return here;
}

static void plan_pairs(const struct schedule_request *request, struct arena *arena,
                       struct schedule *schedule)
{
    (void)arena;
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM, .slots = request->n - 1};
    if (request->kind == COLL_BROADCAST || request->kind == COLL_REDUCE)
        request_cut_whole(request, 1, schedule);
    else
        request_cut_blocks(request, 1, schedule);
    if (request->kind == COLL_ALL_TO_ALL && !request->sizes)
        schedule->symmetry = request_cycle(request);
}

/* What a position sends to all, and receives from all. */
static void uneven_totals(const struct schedule_request *request, struct collective_cost *cost)
{
    uint32_t n = request->n;
    cost->port_bytes = cost->total_bytes = 0;
    for (uint32_t p = 0; p < n; p++) {
        uint64_t sent = 0, received = 0;
        for (uint32_t q = 0; q < n; q++) {
            sent += q == p ? 0 : request->sizes[(size_t)p * n + q];
            received += q == p ? 0 : request->sizes[(size_t)q * n + p];
        }
        uint64_t most = sent > received ? sent : received;
        cost->port_bytes = most > cost->port_bytes ? most : cost->port_bytes;
        cost->total_bytes += sent;
    }
}

/* -- linear ---------------------------------------------------------------------------------- */

static enum status check_linear(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_linear, diag);
}

static void linear_all_to_all(struct lanes *lanes, const struct schedule_request *request,
                              uint32_t position)
{
    uint32_t n = request->n, sent = lanes_begin(lanes, 1), last = NO_STEP;
    for (uint32_t i = 1; i < n; i++)
        sent = send_block(lanes, request, position, exchange_up(position, i, n), i - 1, sent);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t here =
            take_block(lanes, request, position, exchange_down(position, i, n), i - 1, sent);
        lanes_order(lanes, last, here);
        last = here;
    }
}

/* The piece that moves between the root and a position. */
static uint32_t rooted_piece(const struct schedule_request *request, uint32_t position)
{
    return request->kind == COLL_BROADCAST || request->kind == COLL_REDUCE ? 0 : position;
}

static void linear_rooted(struct lanes *lanes, const struct schedule_request *request,
                          uint32_t position)
{
    uint32_t n = request->n, root = request->root;
    bool is_down = request->kind == COLL_BROADCAST || request->kind == COLL_SCATTER;
    bool is_source = is_down == (position == root);
    uint32_t last = is_source ? lanes_begin(lanes, 1) : NO_STEP;
    for (uint32_t i = 1; i < n; i++) {
        uint32_t other = position == root ? exchange_up(root, i, n) : root;
        uint32_t far = position == root ? other : position;
        uint32_t slot = is_down ? 0 : exchange_down(far, root, n) - 1;
        if (is_source) {
            lanes_carry(lanes, rooted_piece(request, far), 1);
            last = lanes_send(lanes, last, other, slot);
        } else {
            uint32_t here =
                lanes_recv(lanes, NO_STEP, other, slot, 1, request->kind == COLL_REDUCE);
            lanes_order(lanes, last, here);
            last = here;
        }
        if (position != root)
            break;
    }
}

static void program_linear(const struct schedule_request *request, const struct schedule *schedule,
                           uint32_t position, struct arena *arena, struct program *program)
{
    bool is_all = request->kind == COLL_ALL_TO_ALL;
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes,
               is_all || position == request->root ? request->n : 1, arena, program);
    if (is_all)
        linear_all_to_all(&lanes, request, position);
    else
        linear_rooted(&lanes, request, position);
    lanes_close(&lanes);
}

static void cost_linear(const struct schedule_request *request, struct collective_cost *cost)
{
    struct schedule cut;
    plan_pairs(request, NULL, &cut);
    uint64_t others = request->n - 1, senders = request->kind == COLL_ALL_TO_ALL ? request->n : 1;
    *cost = (struct collective_cost){
        .latency_terms = 1,
        .path_bytes = cut.piece_bytes,
        .reduce_bytes = request->kind == COLL_REDUCE ? others * cut.piece_bytes : 0,
        .port_bytes = others * cut.piece_bytes,
        .total_bytes = senders * others * cut.piece_bytes,
    };
    if (!request->sizes)
        return;
    cost->path_bytes = 0;
    for (size_t i = 0; i < (size_t)request->n * request->n; i++) {
        bool is_own = i / request->n == i % request->n;
        if (!is_own && request->sizes[i] > cost->path_bytes)
            cost->path_bytes = request->sizes[i];
    }
    uneven_totals(request, cost);
}

const struct collective_ops collective_linear = {
    .name = "linear",
    .summary = "everything at once and directly; all-to-all also with uneven sizes",
    .steps = "1",
    .formula = "a + m b per link; (n-1)m b per port (broadcast, reduce: S for m)",
    .kinds = KIND_BIT(COLL_ALL_TO_ALL) | KIND_BIT(COLL_GATHER) | KIND_BIT(COLL_SCATTER) |
             KIND_BIT(COLL_BROADCAST) | KIND_BIT(COLL_REDUCE),
    .check = check_linear,
    .plan = plan_pairs,
    .program = program_linear,
    .cost = cost_linear,
};

/* -- pairwise -------------------------------------------------------------------------------- */

static enum status check_pairwise(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_pairwise, diag);
}

static void program_pairwise(const struct schedule_request *request,
                             const struct schedule *schedule, uint32_t position,
                             struct arena *arena, struct program *program)
{
    uint32_t n = request->n;
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, n, arena, program);
    uint32_t last = lanes_begin(&lanes, 1);
    for (uint32_t i = 1; i < n; i++) {
        last = send_block(&lanes, request, position, exchange_up(position, i, n), i - 1, last);
        last = take_block(&lanes, request, position, exchange_down(position, i, n), i - 1, last);
    }
    lanes_close(&lanes);
}

/* Uneven: round i of position p begins when its round i-1 has come from p - (i-1). */
static uint64_t longest_path(const struct schedule_request *request)
{
    uint32_t n = request->n;
    uint64_t most = 0;
    for (uint32_t end = 0; end < n; end++) {
        uint64_t bytes = 0;
        for (uint32_t i = n - 1, at = end; i > 0; i--) {
            uint32_t from = exchange_down(at, i, n);
            bytes += request->sizes[(size_t)from * n + at];
            at = from;
        }
        most = bytes > most ? bytes : most;
    }
    return most;
}

static void cost_pairwise(const struct schedule_request *request, struct collective_cost *cost)
{
    uint64_t others = request->n - 1, piece = ceil_div(request->bytes, request->n);
    *cost = (struct collective_cost){
        .latency_terms = others,
        .path_bytes = others * piece,
        .port_bytes = others * piece,
        .total_bytes = request->n * others * piece,
    };
    if (!request->sizes)
        return;
    cost->path_bytes = longest_path(request);
    uneven_totals(request, cost);
}

const struct collective_ops collective_pairwise = {
    .name = "pairwise",
    .summary = "one partner at a time, at distance 1, 2, ..; also with uneven sizes",
    .steps = "n-1",
    .formula = "(n-1)(a + m b)",
    .kinds = KIND_BIT(COLL_ALL_TO_ALL),
    .check = check_pairwise,
    .plan = plan_pairs,
    .program = program_pairwise,
    .cost = cost_pairwise,
};
