#include "net/collective/in_network.h"

#include "base/status.h"
#include "net/collective/binary_trees.h"
#include "net/collective/lanes.h"
#include "net/collective/request.h"
#include "net/collective/shots.h"

/* Some pieces up to the switches, some down from them. */
struct through {
    uint32_t up, up_count, down, down_count;
};

static uint32_t go_through(struct lanes *lanes, uint32_t peer, uint32_t slot, struct through pieces,
                           uint32_t last)
{
    lanes_carry(lanes, pieces.up, pieces.up_count);
    uint32_t sent = lanes_send(lanes, last, peer, slot);
    lanes_carry(lanes, pieces.down, pieces.down_count);
    return lanes_recv_named(lanes, sent, peer, slot);
}

/* -- nvls ------------------------------------------------------------------------------------ */

static enum status check_nvls(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_nvls, diag);
}

static void plan_nvls(const struct schedule_request *request, struct arena *arena,
                      struct schedule *schedule)
{
    (void)arena;
    *schedule =
        (struct schedule){.form = SCHEDULE_PROGRAM, .symmetry = request_cycle(request), .slots = 1};
    if (request->kind == COLL_ALL_REDUCE)
        request_cut_whole(request, 1, schedule);
    else
        request_cut_blocks(request, 1, schedule);
}

static void program_nvls(const struct schedule_request *request, const struct schedule *schedule,
                         uint32_t position, struct arena *arena, struct program *program)
{
    uint32_t all = schedule->pieces;
    struct through pieces = {0, all, 0, all};
    if (request->kind == COLL_ALL_GATHER)
        pieces = (struct through){position, 1, 0, all};
    else if (request->kind == COLL_REDUCE_SCATTER)
        pieces = (struct through){0, all, position, 1};
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, 1, arena, program);
    uint32_t begin = lanes_begin(&lanes, pieces.up_count);
    go_through(&lanes, PEER_NETWORK, 0, pieces, begin);
    lanes_close(&lanes);
}

static void cost_nvls(const struct schedule_request *request, struct collective_cost *cost)
{
    struct schedule cut;
    plan_nvls(request, NULL, &cut);
    uint64_t all = cut.pieces * cut.piece_bytes;
    uint64_t sent = request->kind == COLL_ALL_GATHER ? cut.piece_bytes : all;
    *cost = (struct collective_cost){
        .latency_terms = 1,
        .path_bytes = all,
        .port_bytes = all,
        .total_bytes = request->n * sent,
    };
}

const struct collective_ops collective_nvls = {
    .name = "nvls",
    .summary = "switches of one domain combine and copy; each position sends its data once",
    .steps = "1",
    .formula = "a + S b",
    .kinds = KIND_BIT(COLL_ALL_REDUCE) | KIND_BIT(COLL_ALL_GATHER) | KIND_BIT(COLL_REDUCE_SCATTER),
    .check = check_nvls,
    .plan = plan_nvls,
    .program = program_nvls,
    .cost = cost_nvls,
};

/* -- nvls-tree ------------------------------------------------------------------------------- */

static enum status check_nvls_tree(const struct schedule_request *request, struct diag *diag)
{
    enum status status = request_check_kind(request, &collective_nvls_tree, diag);
    return status ? status : request_check_domains(request, "nvls-tree", diag);
}

/* Chunks of one of the two trees of a rail, each of which has half of the rail's part. */
static uint32_t tree_chunks(const struct schedule_request *request)
{
    return request_chunks(request, ceil_div(request->bytes, 2 * (uint64_t)request->dim[0]));
}

static void plan_nvls_tree(const struct schedule_request *request, struct arena *arena,
                           struct schedule *schedule)
{
    (void)arena;
    uint32_t chunks = tree_chunks(request);
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM, .slots = 2 + 6 * chunks};
    request_cut_whole(request, 2 * request->dim[0] * chunks, schedule);
}

static struct tree_group rail_of(const struct schedule_request *request, uint32_t position,
                                 uint32_t tree)
{
    uint32_t domain = request->dim[0];
    return (struct tree_group){.first = position % domain,
                               .stride = domain,
                               .count = request->n / domain,
                               .own = position / domain,
                               .tree = tree};
}

static void program_nvls_tree(const struct schedule_request *request,
                              const struct schedule *schedule, uint32_t position,
                              struct arena *arena, struct program *program)
{
    uint32_t all = schedule->pieces, part = all / request->dim[0], chunks = part / 2;
    uint32_t own = position % request->dim[0] * part;
    struct tree_end end[2];
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, 6 * chunks + 2, arena, program);
    uint32_t last = lanes_begin(&lanes, all);
    last = go_through(&lanes, PEER_DOMAIN, 0, (struct through){0, all, own, part}, last);
    for (uint32_t t = 0; t < 2; t++) {
        struct tree_group rail = rail_of(request, position, t);
        end[t] = trees_run(&lanes, &rail, own + t * chunks, chunks, 2 + 3 * t * chunks, last);
    }
    uint32_t share = program->count; /* the next step: not before the children have theirs */
    go_through(&lanes, PEER_DOMAIN, 1, (struct through){own, part, 0, all}, end[0].ready);
    lanes_order(&lanes, end[1].ready, share);
    for (uint32_t t = 0; t < 2; t++) {
        lanes_order(&lanes, end[t].sent[0], share);
        lanes_order(&lanes, end[t].sent[1], share);
    }
    lanes_close(&lanes);
}

static void cost_nvls_tree(const struct schedule_request *request, struct collective_cost *cost)
{
    uint64_t domain = request->dim[0], domains = request->n / domain, most = 0;
    uint64_t chunks = tree_chunks(request), levels = levels_of((uint32_t)domains);
    uint64_t piece = ceil_div(request->bytes, 2 * domain * chunks),
             all = 2 * domain * chunks * piece;
    for (uint32_t p = 0; p < request->n; p += request->dim[0]) {
        struct tree_group first = rail_of(request, p, 0), second = rail_of(request, p, 1);
        uint64_t degree = trees_degree(&first) + trees_degree(&second);
        most = degree > most ? degree : most;
    }
    *cost = (struct collective_cost){
        .latency_terms = 2 + 2 * levels + chunks - 1,
        .path_bytes = 2 * all + (2 * levels + chunks - 1) * piece,
        .reduce_bytes = (2 * levels - 1) * piece,
        .port_bytes = all + (2 + most) * chunks * piece,
        .total_bytes =
            request->n * (all + 2 * chunks * piece) + 4 * domain * (domains - 1) * chunks * piece,
    };
}

const struct collective_ops collective_nvls_tree = {
    .name = "nvls-tree",
    .summary = "switches within the domain, two trees in chunks across domains on each rail",
    .steps = "2 + 2 ceil(log2 N) + c-1",
    .formula = "2a + 2 S b + (2 log2(N) + c-1)(a + S/(2 G c) b) per link; n = G N",
    .kinds = KIND_BIT(COLL_ALL_REDUCE),
    .needs_shape = true,
    .waits_for_arrival = true,
    .check = check_nvls_tree,
    .plan = plan_nvls_tree,
    .program = program_nvls_tree,
    .cost = cost_nvls_tree,
};

/* -- sharp ----------------------------------------------------------------------------------- */

static enum status check_sharp(const struct schedule_request *request, struct diag *diag)
{
    return request_check_kind(request, &collective_sharp, diag);
}

static bool has_domains(const struct schedule_request *request)
{
    return request->dim_count > 1 && request->dim[0] > 1 && request->n > request->dim[0];
}

static void plan_sharp(const struct schedule_request *request, struct arena *arena,
                       struct schedule *schedule)
{
    (void)arena;
    bool is_two_level = has_domains(request);
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM,
                                  .symmetry = SYMMETRY_SHIFT,
                                  .slots = is_two_level ? 2 * request->dim[0] - 1 : 1};
    request_cut_whole(request, is_two_level ? request->dim[0] : 1, schedule);
}

static void program_sharp(const struct schedule_request *request, const struct schedule *schedule,
                          uint32_t position, struct arena *arena, struct program *program)
{
    uint32_t domain = request->dim[0], local = position % domain;
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, 2 * domain, arena, program);
    uint32_t last = lanes_begin(&lanes, 1);
    if (!has_domains(request)) {
        go_through(&lanes, PEER_NETWORK, 0, (struct through){0, 1, 0, 1}, last);
    } else {
        struct shot_group group = {
            .first = position - local, .stride = 1, .count = domain, .own = local, .width = 1};
        last = shots_reduce_scatter(&lanes, &group, 0, last);
        last =
            go_through(&lanes, PEER_RAIL, domain - 1, (struct through){local, 1, local, 1}, last);
        shots_all_gather(&lanes, &group, domain, last);
    }
    lanes_close(&lanes);
}

static void cost_sharp(const struct schedule_request *request, struct collective_cost *cost)
{
    uint64_t domain = has_domains(request) ? request->dim[0] : 1;
    uint64_t piece = ceil_div(request->bytes, domain), steps = domain > 1 ? 3 : 1;
    uint64_t port = (2 * (domain - 1) + 1) * piece;
    *cost = (struct collective_cost){
        .latency_terms = steps,
        .path_bytes = steps * piece,
        .reduce_bytes = (domain - 1) * piece,
        .port_bytes = port,
        .total_bytes = port * request->n,
    };
}

const struct collective_ops collective_sharp = {
    .name = "sharp",
    .summary = "switches of the whole network combine; in domains a direct step before and after",
    .steps = "1, with domains 3",
    .formula = "a + S b, with domains 3(a + S/G b) per link",
    .kinds = KIND_BIT(COLL_ALL_REDUCE),
    .check = check_sharp,
    .plan = plan_sharp,
    .program = program_sharp,
    .cost = cost_sharp,
};
