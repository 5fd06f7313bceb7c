#include "net/collective/rooted.h"

#include "base/status.h"
#include "net/collective/lanes.h"
#include "net/collective/request.h"

static enum status check_binomial(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_binomial, diag);
}

static bool moves_whole(enum collective_kind kind)
{
    return kind == COLL_BROADCAST || kind == COLL_REDUCE;
}

static void plan_binomial(const struct schedule_request *request, struct arena *arena,
                          struct schedule *schedule)
{
    (void)arena;
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM, .slots = levels_of(request->n) + 1};
    if (moves_whole(request->kind))
        request_cut_whole(request, 1, schedule);
    else
        request_cut_blocks(request, 1, schedule);
}

/* The place of one position: its virtual number and how many children it may have. */
struct binomial_place {
    uint32_t n, root, v;
    uint32_t child_levels; /* children are v + 2^k for k < child_levels, where < n */
    uint32_t parent_slot;  /* slot that receives from the parent: after all child slots */
};

static struct binomial_place find_place(const struct schedule_request *request, uint32_t position)
{
    uint32_t n = request->n, levels = levels_of(n);
    uint32_t v = exchange_down(position, request->root, n);
    uint32_t child_levels = v ? (uint32_t)__builtin_ctz(v) : levels;
    return (struct binomial_place){n, request->root, v, child_levels, levels};
}

static uint32_t real_position(const struct binomial_place *place, uint32_t v)
{
    return exchange_up(v, place->root, place->n);
}

/* Pieces on the edge between v and its parent: the buffer, or the parts of v's whole subtree. */
static uint32_t edge_pieces(const struct schedule_request *request, uint32_t v)
{
    if (moves_whole(request->kind))
        return 1;
    uint32_t subtree = v & -v;
    return subtree < request->n - v ? subtree : request->n - v;
}

/* Names those pieces; the parts of positions that wrap around come last. */
static void carry_edge(struct lanes *lanes, const struct schedule_request *request,
                       const struct binomial_place *place, uint32_t v)
{
    uint32_t pieces = edge_pieces(request, v);
    if (moves_whole(request->kind)) {
        lanes_carry(lanes, 0, 1);
        return;
    }
    for (uint32_t i = 0; i < pieces && lanes->is_described; i++)
        lanes_carry(lanes, real_position(place, v + i), 1);
    if (!lanes->is_described)
        lanes_carry(lanes, 0, pieces);
}

/* Broadcast and scatter: receive, then to the children, farthest first, one at a time. */
static void program_down(const struct schedule_request *request, const struct binomial_place *place,
                         struct lanes *lanes)
{
    uint32_t last = NO_STEP;
    if (place->v) {
        uint32_t parent = real_position(place, place->v & (place->v - 1));
        uint32_t pieces = edge_pieces(request, place->v);
        last = lanes_recv_only(lanes, NO_STEP, parent, place->parent_slot, pieces, false);
        if (!place->child_levels)
            last = lanes_local(lanes, last, false, pieces);
    }
    for (uint32_t k = place->child_levels; k-- > 0;) {
        uint32_t child = place->v + (1u << k);
        if (child >= place->n)
            continue;
        last = lanes_local(lanes, last, false, edge_pieces(request, child));
        carry_edge(lanes, request, place, child);
        last = lanes_send(lanes, last, real_position(place, child), place->parent_slot);
        lanes_until_arrival(lanes, last);
    }
}

/* Reduce and gather: all children, each handed over (and reduced), then to the parent. */
static void program_up(const struct schedule_request *request, const struct binomial_place *place,
                       struct lanes *lanes)
{
    bool reduce = request->kind == COLL_REDUCE;
    uint32_t last = NO_STEP;
    for (uint32_t k = 0; k < place->child_levels; k++) {
        uint32_t child = place->v + (1u << k);
        if (child >= place->n)
            continue;
        uint32_t done = lanes_recv(lanes, NO_STEP, real_position(place, child), k,
                                   edge_pieces(request, child), reduce);
        lanes_order(lanes, last, done);
        last = done;
    }
    if (!place->v)
        return;
    if (last == NO_STEP)
        last = lanes_begin(lanes, edge_pieces(request, place->v));
    carry_edge(lanes, request, place, place->v);
    lanes_send(lanes, last, real_position(place, place->v & (place->v - 1)),
               (uint32_t)__builtin_ctz(place->v));
}

static void program_binomial(const struct schedule_request *request,
                             const struct schedule *schedule, uint32_t position,
                             struct arena *arena, struct program *program)
{
    struct binomial_place place = find_place(request, position);
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, place.child_levels + 1, arena, program);
    if (request->kind == COLL_BROADCAST || request->kind == COLL_SCATTER)
        program_down(request, &place, &lanes);
    else
        program_up(request, &place, &lanes);
    lanes_close(&lanes);
}

/* Messages and pieces on the way from v up to the root. */
static void measure_path(const struct schedule_request *request, uint32_t v, uint64_t *messages,
                         uint64_t *pieces)
{
    *messages = *pieces = 0;
    for (; v; v &= v - 1) {
        ++*messages;
        *pieces += edge_pieces(request, v);
    }
}

/*
 * Broadcast and scatter: the root's children are served one after the other, so the last of them
 * waits longest: ceil(log2 n) messages, in a scatter n-1 parts. Reduce and gather: the position
 * with the most messages, then the most bytes, between it and the root.
 */
static void cost_binomial(const struct schedule_request *request, struct collective_cost *cost)
{
    uint32_t n = request->n, levels = levels_of(n);
    uint64_t bytes = request->bytes, all = 0, port = 0;
    for (uint32_t v = 1; v < n; v++)
        all += edge_pieces(request, v);
    for (uint32_t k = 0; k < levels; k++)
        port += edge_pieces(request, 1u << k);
    uint64_t latencies = levels, path = moves_whole(request->kind) ? levels : n - 1;
    bool is_up = request->kind == COLL_REDUCE || request->kind == COLL_GATHER;
    for (uint32_t v = 1; v < n && is_up; v++) {
        uint64_t messages, pieces;
        measure_path(request, v, &messages, &pieces);
        bool is_longer = v == 1 || messages > latencies || (messages == latencies && pieces > path);
        latencies = is_longer ? messages : latencies;
        path = is_longer ? pieces : path;
    }
    *cost = (struct collective_cost){
        .latency_terms = latencies,
        .path_bytes = path * bytes,
        .reduce_bytes = request->kind == COLL_REDUCE ? levels * bytes : 0,
        .port_bytes = port * bytes,
        .total_bytes = all * bytes,
    };
}

const struct collective_ops collective_binomial = {
    .name = "binomial",
    .waits_for_arrival = true,
    .summary = "binomial tree for broadcast, reduce, gather, scatter; any n",
    .steps = "ceil(log2 n)",
    .formula = "log2(n)(a + S b); gather, scatter log2(n) a + (n-1)m b",
    .kinds = KIND_BIT(COLL_BROADCAST) | KIND_BIT(COLL_REDUCE) | KIND_BIT(COLL_GATHER) |
             KIND_BIT(COLL_SCATTER),
    .check = check_binomial,
    .plan = plan_binomial,
    .program = program_binomial,
    .cost = cost_binomial,
};

/* -- barrier ------------------------------------------------------------------------------- */

static enum status check_barrier(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_dissemination, diag);
}

static void plan_barrier(const struct schedule_request *request, struct arena *arena,
                         struct schedule *schedule)
{
    (void)arena;
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM,
                                  .symmetry = request_cycle(request),
                                  .slots = levels_of(request->n)};
    request_cut_blocks(request, 1, schedule);
    schedule->piece_bytes = 0;
}

/* Round k: on to p + 2^k goes the news of the 2^k positions that p has heard of. */
static void program_barrier(const struct schedule_request *request, const struct schedule *schedule,
                            uint32_t position, struct arena *arena, struct program *program)
{
    uint32_t n = request->n, levels = levels_of(n);
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, levels, arena, program);
    uint32_t last = lanes_begin(&lanes, 0);
    for (uint32_t k = 0; k < levels; k++) {
        uint32_t offset = 1u << k, news = n - offset < offset ? n - offset : offset;
        for (uint32_t i = 0; i < news && request->is_described; i++)
            lanes_carry(&lanes, exchange_down(position, i, n), 1);
        uint32_t sent = lanes_send(&lanes, last, exchange_up(position, offset, n), k);
        last = lanes_recv(&lanes, sent, exchange_down(position, offset, n), k, 0, false);
    }
    lanes_close(&lanes);
}

static void cost_barrier(const struct schedule_request *request, struct collective_cost *cost)
{
    *cost = (struct collective_cost){.latency_terms = levels_of(request->n)};
}

const struct collective_ops collective_dissemination = {
    .name = "dissemination",
    .summary = "barrier in ceil(log2 n) rounds of empty messages; any n",
    .steps = "ceil(log2 n)",
    .formula = "log2(n) a",
    .kinds = KIND_BIT(COLL_BARRIER),
    .check = check_barrier,
    .plan = plan_barrier,
    .program = program_barrier,
    .cost = cost_barrier,
};
