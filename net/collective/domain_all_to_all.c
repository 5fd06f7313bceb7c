#include "net/collective/domain_all_to_all.h"

#include "base/status.h"
#include "net/collective/lanes.h"
#include "net/collective/request.h"

/* -- over domains ---------------------------------------------------------------------------- */

/* A position's place among domains. */
struct place {
    const struct schedule_request *request;
    uint32_t n, domain, domains, local, own; /* number in the domain, and the domain's */
};

static struct place place_of(const struct schedule_request *request, uint32_t position)
{
    uint32_t domain = request->dim[0];
    return (struct place){request,           request->n,       domain, request->n / domain,
                          position % domain, position / domain};
}

static uint32_t at(const struct place *place, uint32_t local, uint32_t own)
{
    return own * place->domain + local;
}

static enum status check_domains(const struct schedule_request *request,
                                 const struct collective_ops *ops, struct diag *diag)
{
    enum status status = request_check_kind(request, ops, diag);
    if (!status)
        status = request_check_domains(request, ops->name, diag);
    if (status || !request->sizes)
        return status;
    diag_fail(diag, STATUS_BAD_CONFIG, "%s cannot run an uneven all-to-all", ops->name);
    diag_hint(diag, "use linear or pairwise");
    return STATUS_BAD_CONFIG;
}

/* Names the blocks that all of the own domain have for one position. */
static void carry_of_domain(struct lanes *lanes, const struct place *place, uint32_t to)
{
    for (uint32_t l = 0; l < place->domain; l++)
        lanes_carry(lanes, (uint64_t)at(place, l, place->own) * place->n + to, 1);
}

static enum status check_two_step(const struct schedule_request *request, struct diag *diag)
{
    return check_domains(request, &collective_two_step, diag);
}

static void plan_two_step(const struct schedule_request *request, struct arena *arena,
                          struct schedule *schedule)
{
    (void)arena;
    uint32_t domain = request->dim[0];
    *schedule =
        (struct schedule){.form = SCHEDULE_PROGRAM,
                          .symmetry = request->dim_count == 2 ? SYMMETRY_SHIFT : SYMMETRY_NONE,
                          .slots = domain + request->n / domain - 2};
    request_cut_blocks(request, 1, schedule);
}

static void program_two_step(const struct schedule_request *request,
                             const struct schedule *schedule, uint32_t position,
                             struct arena *arena, struct program *program)
{
    struct place place = place_of(request, position);
    uint32_t domain = place.domain, domains = place.domains;
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, schedule->slots, arena, program);
    uint32_t last = lanes_begin(&lanes, domains);
    for (uint32_t j = 1; j < domain; j++) {
        uint32_t to = exchange_up(place.local, j, domain);
        uint32_t from = exchange_down(place.local, j, domain);
        for (uint32_t k = 0; k < domains; k++)
            lanes_carry(&lanes, (uint64_t)position * place.n + at(&place, to, k), 1);
        last = lanes_swap(&lanes, last, at(&place, to, place.own), at(&place, from, place.own),
                          j - 1, domains, false);
    }
    for (uint32_t j = 1; j < domains; j++) {
        uint32_t to = at(&place, place.local, exchange_up(place.own, j, domains));
        uint32_t from = at(&place, place.local, exchange_down(place.own, j, domains));
        carry_of_domain(&lanes, &place, to);
        last = lanes_swap(&lanes, last, to, from, domain + j - 2, domain, false);
    }
    lanes_close(&lanes);
}

static void cost_two_step(const struct schedule_request *request, struct collective_cost *cost)
{
    uint64_t domain = request->dim[0], domains = request->n / domain;
    uint64_t piece = ceil_div(request->bytes, request->n);
    uint64_t bytes = ((domain - 1) * domains + (domains - 1) * domain) * piece;
    *cost = (struct collective_cost){
        .latency_terms = domain + domains - 2,
        .path_bytes = bytes,
        .port_bytes = bytes,
        .total_bytes = bytes * request->n,
    };
}

const struct collective_ops collective_two_step = {
    .name = "two-step",
    .summary = "all-to-all in the domain by target rail, then along rails",
    .steps = "G-1 + N-1",
    .formula = "(G-1)(a + N m b) + (N-1)(a + G m b); n = G N",
    .kinds = KIND_BIT(COLL_ALL_TO_ALL),
    .needs_shape = true,
    .check = check_two_step,
    .plan = plan_two_step,
    .program = program_two_step,
    .cost = cost_two_step,
};

/* -- rail-aware ------------------------------------------------------------------------------ */

static enum status check_rail(const struct schedule_request *request, struct diag *diag)
{
    return check_domains(request, &collective_rail, diag);
}

static void plan_rail(const struct schedule_request *request, struct arena *arena,
                      struct schedule *schedule)
{
    (void)arena;
    uint32_t domain = request->dim[0], domains = request->n / domain;
    *schedule =
        (struct schedule){.form = SCHEDULE_PROGRAM,
                          .symmetry = request->dim_count == 2 ? SYMMETRY_SHIFT : SYMMETRY_NONE,
                          .slots = domains * (domain - 1) + domains - 1};
    request_cut_blocks(request, 1, schedule);
}

/* Gives the others of the domain what they are to pass on to domain `to`, and takes what this
 * position is to pass on; returns when all is here. */
static uint32_t collect(struct lanes *lanes, const struct place *place, uint32_t to, uint32_t slot,
                        uint32_t last)
{
    uint32_t position = at(place, place->local, place->own);
    for (uint32_t i = 1; i < place->domain; i++) {
        uint32_t local = exchange_up(place->local, i, place->domain);
        lanes_carry(lanes, (uint64_t)position * place->n + at(place, local, to), 1);
        last = lanes_send(lanes, last, at(place, local, place->own), slot + i - 1);
    }
    uint32_t sent = last;
    for (uint32_t i = 1; i < place->domain; i++) {
        uint32_t local = exchange_down(place->local, i, place->domain);
        uint32_t here =
            lanes_recv(lanes, sent, at(place, local, place->own), slot + i - 1, 1, false);
        if (last != sent)
            lanes_order(lanes, last, here);
        last = here;
    }
    return last;
}

static void program_rail(const struct schedule_request *request, const struct schedule *schedule,
                         uint32_t position, struct arena *arena, struct program *program)
{
    struct place place = place_of(request, position);
    uint32_t domains = place.domains, peers = place.domain - 1, rail_slot = domains * peers;
    struct lanes lanes;
    lanes_open(&lanes, request, schedule->piece_bytes, schedule->slots, arena, program);
    uint32_t collected = lanes_begin(&lanes, 1), passed = NO_STEP;
    for (uint32_t j = 1; j < domains; j++) {
        uint32_t to = exchange_up(place.own, j, domains);
        uint32_t from = exchange_down(place.own, j, domains);
        collected = collect(&lanes, &place, to, (j - 1) * peers, collected);
        carry_of_domain(&lanes, &place, at(&place, place.local, to));
        uint32_t sent =
            lanes_send(&lanes, collected, at(&place, place.local, to), rail_slot + j - 1);
        lanes_order(&lanes, passed, sent);
        passed = lanes_recv(&lanes, sent, at(&place, place.local, from), rail_slot + j - 1,
                            place.domain, false);
    }
    collect(&lanes, &place, place.own, (domains - 1) * peers, collected);
    lanes_close(&lanes);
}

static void cost_rail(const struct schedule_request *request, struct collective_cost *cost)
{
    uint64_t domain = request->dim[0], domains = request->n / domain;
    uint64_t piece = ceil_div(request->bytes, request->n);
    uint64_t bytes = (domains * (domain - 1) + (domains - 1) * domain) * piece;
    *cost = (struct collective_cost){
        .latency_terms = domains,
        .path_bytes = (1 + (domains - 1) * domain) * piece,
        .port_bytes = bytes,
        .total_bytes = bytes * request->n,
    };
}

const struct collective_ops collective_rail = {
    .name = "rail-aware",
    .summary = "all-to-all through the domain's position on the target's rail, in one pipeline",
    .steps = "N",
    .formula = "(a + m b) + (N-1)(a + G m b) per link; n = G N",
    .kinds = KIND_BIT(COLL_ALL_TO_ALL),
    .needs_shape = true,
    .check = check_rail,
    .plan = plan_rail,
    .program = program_rail,
    .cost = cost_rail,
};
