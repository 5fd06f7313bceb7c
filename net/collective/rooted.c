#include "net/collective/rooted.h"

#include "base/status.h"
#include "net/collective/program.h"

/* ceil(log2 n) */
static uint32_t levels_of(uint32_t n)
{
    return n <= 1 ? 0 : 32 - (uint32_t)__builtin_clz(n - 1);
}

static enum status check_binomial(const struct schedule_request *request, struct diag *diag)
{
    switch (request->kind) {
    case COLL_BROADCAST:
    case COLL_REDUCE:
    case COLL_GATHER:
    case COLL_SCATTER:
        return STATUS_OK;
    default:
        return diag_fail(diag, STATUS_BAD_CONFIG, "the binomial tree cannot run %s",
                         collective_name(request->kind));
    }
}

static void plan_binomial(const struct schedule_request *request, struct arena *arena,
                          struct schedule *schedule)
{
    (void)arena;
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM,
                                  .final_bytes = request->bytes,
                                  .slots = levels_of(request->n) + 1};
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

/* Bytes on the edge between v and its parent: the buffer, or the parts of v's whole subtree. */
static uint64_t edge_bytes(const struct schedule_request *request, uint32_t v)
{
    if (request->kind == COLL_BROADCAST || request->kind == COLL_REDUCE)
        return request->bytes;
    uint32_t subtree = v & -v;
    if (subtree > request->n - v)
        subtree = request->n - v;
    return request->bytes * subtree;
}

/* Broadcast and scatter: receive, then to the children, farthest first, one at a time. */
static void program_down(const struct schedule_request *request, const struct binomial_place *place,
                         struct program_builder *build)
{
    uint32_t last = NO_STEP;
    if (place->v) {
        uint32_t parent = real_position(place, place->v & (place->v - 1));
        last =
            program_recv(build, NO_STEP, parent, place->parent_slot, edge_bytes(request, place->v));
        if (!place->child_levels)
            last = program_local(build, last, false, edge_bytes(request, place->v));
    }
    for (uint32_t k = place->child_levels; k-- > 0;) {
        uint32_t child = place->v + (1u << k);
        if (child >= place->n)
            continue;
        uint64_t bytes = edge_bytes(request, child);
        last = program_local(build, last, false, bytes);
        last = program_send(build, last, real_position(place, child), place->parent_slot, bytes);
        build->program->step[last].until_arrival = true;
    }
}

/* Reduce and gather: all children, each handed over (and reduced), then to the parent. */
static void program_up(const struct schedule_request *request, const struct binomial_place *place,
                       struct program_builder *build)
{
    bool reduce = request->kind == COLL_REDUCE;
    uint32_t last = NO_STEP;
    for (uint32_t k = 0; k < place->child_levels; k++) {
        uint32_t child = place->v + (1u << k);
        if (child >= place->n)
            continue;
        uint64_t bytes = edge_bytes(request, child);
        uint32_t part = program_recv(build, NO_STEP, real_position(place, child), k, bytes);
        uint32_t done = program_local(build, part, reduce, bytes);
        program_edge_add(build, last, done);
        last = done;
    }
    if (!place->v)
        return;
    uint64_t bytes = edge_bytes(request, place->v);
    if (last == NO_STEP)
        last = program_local(build, NO_STEP, false, bytes);
    program_send(build, last, real_position(place, place->v & (place->v - 1)),
                 (uint32_t)__builtin_ctz(place->v), bytes);
}

static void program_binomial(const struct schedule_request *request,
                             const struct schedule *schedule, uint32_t position,
                             struct arena *arena, struct program *program)
{
    (void)schedule;
    struct binomial_place place = find_place(request, position);
    struct program_builder build;
    program_open(&build, arena, program, 2 * place.child_levels + 3, 3 * place.child_levels + 4);
    if (request->kind == COLL_BROADCAST || request->kind == COLL_SCATTER)
        program_down(request, &place, &build);
    else
        program_up(request, &place, &build);
    program_close(&build);
}

const struct collective_ops collective_binomial = {
    .name = "binomial",
    .waits_for_arrival = true,
    .summary = "binomial tree for broadcast, reduce, gather, scatter; any n",
    .check = check_binomial,
    .plan = plan_binomial,
    .program = program_binomial,
};

/* -- barrier ------------------------------------------------------------------------------- */

static enum status check_barrier(const struct schedule_request *request, struct diag *diag)
{
    if (request->kind == COLL_BARRIER)
        return STATUS_OK;
    return diag_fail(diag, STATUS_BAD_CONFIG, "dissemination only runs barriers, not %s",
                     collective_name(request->kind));
}

static void plan_barrier(const struct schedule_request *request, struct arena *arena,
                         struct schedule *schedule)
{
    (void)arena;
    *schedule = (struct schedule){.form = SCHEDULE_PROGRAM, .slots = levels_of(request->n)};
}

static void program_barrier(const struct schedule_request *request, const struct schedule *schedule,
                            uint32_t position, struct arena *arena, struct program *program)
{
    (void)schedule;
    uint32_t n = request->n, levels = levels_of(n), ready = NO_STEP;
    struct program_builder build;
    program_open(&build, arena, program, 3 * levels + 1, 3 * levels + 1);
    for (uint32_t k = 0; k < levels; k++) {
        uint32_t offset = 1u << k;
        uint32_t local = program_local(&build, ready, false, 0);
        program_send(&build, local, exchange_up(position, offset, n), k, 0);
        ready = program_recv(&build, local, exchange_down(position, offset, n), k, 0);
    }
    program_local(&build, ready, false, 0);
    program_close(&build);
}

const struct collective_ops collective_dissemination = {
    .name = "dissemination",
    .summary = "barrier in ceil(log2 n) rounds of empty messages; any n",
    .check = check_barrier,
    .plan = plan_barrier,
    .program = program_barrier,
};
