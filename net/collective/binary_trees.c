#include "net/collective/binary_trees.h"

#include "base/status.h"
#include "net/collective/request.h"

#define NOBODY UINT32_MAX

/* Neighbours of a node, as nodes. */
struct tree_place {
    uint32_t parent, child[2];
    uint32_t is_second; /* its parent's second child? */
};

static uint32_t parent_of(uint32_t v, uint32_t n)
{
    uint32_t bit = v & -v, up = (v & ~bit) | bit << 1;
    return up < n ? up : v & ~bit;
}

static struct tree_place place_of(uint32_t v, uint32_t n)
{
    struct tree_place place = {NOBODY, {NOBODY, NOBODY}, 0};
    uint32_t half = v ? (v & -v) / 2 : 1u << (levels_of(n) - 1);
    if (v && half)
        place.child[0] = v - half;
    while (half && v + half >= n)
        half /= 2;
    if (half)
        place.child[1] = v + half;
    if (v) {
        place.parent = parent_of(v, n);
        place.is_second = v > place.parent;
    }
    return place;
}

static uint32_t node_of(const struct tree_group *group)
{
    uint32_t n = group->count, i = group->own;
    if (!group->tree)
        return i;
    return n % 2 ? exchange_down(i, 1, n) : n - 1 - i;
}

static uint32_t position_of(const struct tree_group *group, uint32_t v)
{
    uint32_t n = group->count;
    uint32_t i = !group->tree ? v : n % 2 ? exchange_up(v, 1, n) : n - 1 - v;
    return group->first + i * group->stride;
}

uint32_t trees_degree(const struct tree_group *group)
{
    struct tree_place place = place_of(node_of(group), group->count);
    return (place.parent != NOBODY) + (place.child[0] != NOBODY) + (place.child[1] != NOBODY);
}

/* Where one tree of one position has come to. */
struct tree_run {
    struct lanes *lanes;
    const struct tree_group *group;
    struct tree_place place;
    uint32_t piece, chunks, slot, after;
    uint32_t sent_up, sent_down[2]; /* the last sends */
    uint32_t ready;                 /* the last hand-over */
};

static void send(struct tree_run *run, uint32_t chunk, uint32_t after, uint32_t v, uint32_t row,
                 uint32_t *sent)
{
    lanes_carry(run->lanes, run->piece + chunk, 1);
    uint32_t step = lanes_send(run->lanes, after, position_of(run->group, v),
                               run->slot + row * run->chunks + chunk);
    lanes_until_arrival(run->lanes, step);
    lanes_order(run->lanes, *sent, step);
    *sent = step;
}

/* Slots: a row of chunks from each child, then one from the parent. */
enum { ROW_PARENT = 2 };

static void receive(struct tree_run *run, uint32_t chunk, uint32_t v, uint32_t row)
{
    uint32_t here = lanes_recv(run->lanes, run->after, position_of(run->group, v),
                               run->slot + row * run->chunks + chunk, 1, row != ROW_PARENT);
    if (run->ready != run->after)
        lanes_order(run->lanes, run->ready, here);
    run->ready = here;
}

static void give_children(struct tree_run *run, uint32_t chunk)
{
    for (uint32_t k = 0; k < 2; k++) {
        if (run->place.child[k] != NOBODY)
            send(run, chunk, run->ready, run->place.child[k], ROW_PARENT, &run->sent_down[k]);
    }
}

struct tree_end trees_run(struct lanes *lanes, const struct tree_group *group, uint32_t piece,
                          uint32_t chunks, uint32_t slot, uint32_t after)
{
    struct tree_run run = {.lanes = lanes,
                           .group = group,
                           .place = place_of(node_of(group), group->count),
                           .piece = piece,
                           .chunks = chunks,
                           .slot = slot,
                           .after = after,
                           .sent_up = NO_STEP,
                           .sent_down = {NO_STEP, NO_STEP},
                           .ready = after};
    bool is_leaf = run.place.child[0] == NOBODY && run.place.child[1] == NOBODY;
    bool is_root = run.place.parent == NOBODY;
    if (is_leaf && after == NO_STEP)
        run.after = run.ready = lanes_begin(lanes, 1);
    for (uint32_t c = 0; c < chunks; c++) {
        for (uint32_t k = 0; k < 2; k++) {
            if (run.place.child[k] != NOBODY)
                receive(&run, c, run.place.child[k], k);
        }
        if (is_root)
            give_children(&run, c);
        else
            send(&run, c, run.ready, run.place.parent, run.place.is_second, &run.sent_up);
    }
    run.ready = is_root ? run.ready : run.after;
    for (uint32_t c = 0; c < chunks && !is_root; c++) {
        receive(&run, c, run.place.parent, ROW_PARENT);
        give_children(&run, c);
    }
    return (struct tree_end){run.ready, {run.sent_down[0], run.sent_down[1]}};
}

/* -- the algorithm --------------------------------------------------------------------------- */

static enum status check(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_binary_trees, diag);
}

static uint32_t chunks_of(const struct schedule_request *request)
{
    return request_chunks(request, ceil_div(request->bytes, 2));
}

static void plan(const struct schedule_request *request, struct arena *arena,
                 struct schedule *schedule)
{
    (void)arena;
    uint32_t chunks = chunks_of(request);
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM, .slots = 6 * chunks};
    request_cut_whole(request, 2 * chunks, schedule);
}

static void program(const struct schedule_request *request, const struct schedule *schedule,
                    uint32_t position, struct arena *arena, struct program *made)
{
    uint32_t chunks = schedule->pieces / 2;
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, 6 * chunks, arena, made);
    for (uint32_t t = 0; t < 2; t++) {
        struct tree_group group = {.stride = 1, .count = request->n, .own = position, .tree = t};
        trees_run(&lanes, &group, t * chunks, chunks, t * 3 * chunks, NO_STEP);
    }
    lanes_close(&lanes);
}

static void cost(const struct schedule_request *request, struct collective_cost *out)
{
    uint64_t chunks = chunks_of(request), levels = levels_of(request->n), most = 0;
    uint64_t piece = ceil_div(request->bytes, 2 * chunks);
    for (uint32_t p = 0; p < request->n; p++) {
        struct tree_group group = {.stride = 1, .count = request->n, .own = p};
        uint64_t degree = trees_degree(&group);
        group.tree = 1;
        degree += trees_degree(&group);
        most = degree > most ? degree : most;
    }
    *out = (struct collective_cost){
        .latency_terms = 2 * levels + chunks - 1,
        .path_bytes = (2 * levels + chunks - 1) * piece,
        .reduce_bytes = (2 * levels - 1) * piece,
        .port_bytes = most * chunks * piece,
        .total_bytes = 4 * (uint64_t)(request->n - 1) * chunks * piece,
    };
}

const struct collective_ops collective_binary_trees = {
    .name = "double-binary-tree",
    .summary = "two complementary trees with half of the data each, in chunks; any n",
    .steps = "2 ceil(log2 n) + c-1",
    .formula = "(2 log2(n) + c-1)(a + S/(2c) b) per link; about 2 S b per port",
    .kinds = KIND_BIT(COLL_ALL_REDUCE),
    .waits_for_arrival = true,
    .check = check,
    .plan = plan,
    .program = program,
    .cost = cost,
};
