#include "run/link_fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "net/topology/fabric.h"
#include "net/topology/routing.h"

#define MOST_ROUTES ((uint64_t)1 << 24)

enum { MOST_HOPS = 4096 };

struct link_proof {
    const struct fabric *fabric;
    struct routing *routing;
    bool by_bundle, one_each; /* one_each: at most one message of a type per link */
    uint32_t units;           /* links or bundles */
    const uint32_t *bundle_of_link;
    uint32_t *class_of, *class_size;
    uint32_t *hits;        /* [units]: messages of the type at hand */
    double *bandwidth_Bps; /* [units] */
    double *latency_ns;    /* [units] of one of its links */
    bool is_tied;
    struct link_fold fold;
    const char *why;
};

/* A type of message: where it goes from rank 0, and how that is relabelled for the others. */
struct message_type {
    uint32_t peer; /* phase position that rank 0 (position 0) sends to */
    bool is_xor;
};

/* The positions of a phase: rank = member, or member of a line along `stride`. */
struct phase_line {
    const struct phase *phase;
    uint32_t ranks;
};

/* -- classes (union-find, the lowest leads) --------------------------------------------------- */

static uint32_t leader(struct link_proof *proof, uint32_t unit)
{
    uint32_t *class_of = proof->class_of;
    while (class_of[unit] != unit) {
        class_of[unit] = class_of[class_of[unit]];
        unit = class_of[unit];
    }
    return unit;
}

static void join(struct link_proof *proof, uint32_t a, uint32_t b)
{
    a = leader(proof, a);
    b = leader(proof, b);
    proof->class_of[a < b ? b : a] = a < b ? a : b;
}

/* -- images of a message ------------------------------------------------------------------------ */

/* Position that `p` sends to if position 0 sends to `peer`: the same step of every coordinate, or
 * the same flip. */
static uint32_t image(const struct schedule_request *request, uint32_t p, uint32_t peer,
                      bool is_xor)
{
    if (is_xor)
        return p ^ peer;
    uint32_t to = 0, scale = 1;
    for (uint32_t d = 0; d < request->dim_count; d++) {
        uint32_t n = request->dim[d];
        to += (p / scale % n + peer / scale % n) % n * scale;
        scale *= n;
    }
    return to;
}

/* Rank that `rank` sends to. */
static uint32_t target(const struct phase_line *line, uint32_t rank,
                       const struct message_type *type)
{
    const struct phase *phase = line->phase;
    uint32_t p = rank / phase->stride % phase->n;
    uint32_t to = image(&phase->request, p, type->peer, type->is_xor);
    return rank + (to - p) * phase->stride; /* modulo 2^32, as in sched/streams.c */
}

static void route_of(struct link_proof *proof, uint32_t src, uint32_t dst, struct route *route)
{
    if (proof->by_bundle)
        routing_find_bundled(proof->routing, src, dst, route);
    else
        routing_find(proof->routing, src, dst, route);
}

/* -- the conditions ----------------------------------------------------------------------------- */

static bool fails(struct link_proof *proof, const char *why)
{
    proof->why = why;
    return false;
}

/* Route of rank 0's message, kept: routing_find() lends its arrays for one call only. */
struct kept_route {
    uint32_t link[MOST_HOPS];
    double share[MOST_HOPS];
    uint32_t count;
    double latency_ns;
};

static bool keep_route(struct link_proof *proof, struct kept_route *kept, uint32_t dst)
{
    struct route route;
    route_of(proof, 0, dst, &route);
    if (route.count > MOST_HOPS)
        return fails(proof, "routes are too wide to compare");
    kept->count = route.count;
    kept->latency_ns = route.latency_ns;
    memcpy(kept->link, route.link, route.count * sizeof *route.link);
    for (uint32_t i = 0; i < route.count; i++)
        kept->share[i] = route.share ? route.share[i] : 1;
    return true;
}

static bool same_time(double a, double b)
{
    double least = a < b ? a : b, most = a < b ? b : a;
    return most - least <= 1e-9 * most; /* sums of the same latencies in another order */
}

/* Condition 2, and classes from it. */
static bool follow_type(struct link_proof *proof, const struct phase_line *line,
                        const struct message_type *type, struct kept_route *kept)
{
    if (!keep_route(proof, kept, target(line, 0, type)))
        return false;
    for (uint32_t rank = 1; rank < line->ranks; rank++) {
        struct route route;
        route_of(proof, rank, target(line, rank, type), &route);
        if (route.count != kept->count || !same_time(route.latency_ns, kept->latency_ns))
            return fails(proof, "messages of different ranks take routes of different length");
        for (uint32_t i = 0; i < route.count; i++) {
            if (route.share && route.share[i] != kept->share[i])
                return fails(proof, "messages of different ranks are sprayed differently");
            join(proof, kept->link[i], route.link[i]);
        }
    }
    return true;
}

/* Condition 3. */
static bool count_type(struct link_proof *proof, const struct phase_line *line,
                       const struct message_type *type)
{
    memset(proof->hits, 0, proof->units * sizeof *proof->hits);
    for (uint32_t rank = 0; rank < line->ranks; rank++) {
        struct route route;
        route_of(proof, rank, target(line, rank, type), &route);
        for (uint32_t i = 0; i < route.count; i++)
            proof->hits[route.link[i]]++;
    }
    for (uint32_t unit = 0; unit < proof->units; unit++) {
        uint32_t hits = proof->hits[unit];
        if (hits != proof->hits[leader(proof, unit)])
            return fails(proof, "some links carry more messages than others like them");
    }
    return true;
}

/* With queues: a message meets the next of its type only behind it. */
static bool is_one_each(struct link_proof *proof, const struct kept_route *kept)
{
    for (uint32_t i = 0; i < kept->count; i++) {
        uint32_t class = leader(proof, kept->link[i]), on_route = 0;
        for (uint32_t j = 0; j < kept->count; j++)
            on_route += leader(proof, kept->link[j]) == class;
        if (proof->hits[class] != on_route || proof->class_size[class] != proof->fold.ranks)
            return fails(proof, "messages of different ranks share links");
    }
    return true;
}

/* Condition 1. */
static bool check_links(struct link_proof *proof)
{
    for (uint32_t unit = 0; unit < proof->units; unit++) {
        uint32_t lead = leader(proof, unit);
        if (proof->bandwidth_Bps[unit] != proof->bandwidth_Bps[lead] ||
            proof->latency_ns[unit] != proof->latency_ns[lead])
            return fails(proof, "links that ranks use alike are not alike");
    }
    return true;
}

/* -- all types of all plans ----------------------------------------------------------------------- */

typedef bool type_visitor(struct link_proof *proof, const struct phase_line *line,
                          const struct message_type *type, struct kept_route *kept);

static bool is_power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

/* An exchange that sends to everyone at once may be sorted by xor as well. */
static bool sends_all_at_once(const struct phase *phase)
{
    const struct exchange *exchange = &phase->schedule.exchange;
    return exchange->same_bytes && exchange->period == phase->n - 1 && !exchange->gated &&
           exchange->parallel >= phase->n - 1;
}

/* An exchange by shifts may turn either way (each queue has its direction). */
static bool visit_exchange(struct link_proof *proof, const struct phase_line *line, bool is_xor,
                           type_visitor *visit, struct kept_route *kept)
{
    const struct exchange *exchange = &line->phase->schedule.exchange;
    for (uint32_t j = 0; j < exchange->period; j++) {
        uint32_t offset = exchange->step[j].offset;
        const struct message_type up = {offset, is_xor}, down = {line->phase->n - offset, is_xor};
        if (!visit(proof, line, &up, kept) || (!is_xor && !visit(proof, line, &down, kept)))
            return false;
    }
    return true;
}

static bool visit_program(struct link_proof *proof, const struct phase_line *line,
                          struct plan_book *book, type_visitor *visit, struct kept_route *kept)
{
    const struct phase *phase = line->phase;
    bool is_xor = phase->schedule.symmetry == SYMMETRY_XOR;
    const struct program *program = plan_program(book, phase, 0);
    for (uint32_t s = 0; s < program->count; s++) {
        const struct program_step *step = &program->step[s];
        if (step->op != STEP_SEND)
            continue;
        if (peer_is_network(step->peer))
            return fails(proof, "switches reduce");
        const struct message_type type = {step->peer, is_xor};
        if (!visit(proof, line, &type, kept))
            return false;
    }
    return true;
}

/* Messages of one instant may be sorted in any way only where none waits for another. */
static bool order_is_free(const struct config *config)
{
    const struct network_config *network = &config->network;
    return network->backend != NET_LINK && network->message_gap_ns == 0 &&
           network->byte_gap_ns == 0 && network->send_overhead_ns == 0 &&
           network->receive_overhead_ns == 0 && network->injection_Bps == 0;
}

/* How the phase's messages are sorted into types; false if they cannot be. */
static bool phase_is_xor(struct link_proof *proof, const struct phase *phase, bool prefer_xor,
                         bool *is_xor)
{
    if (phase->schedule.form == SCHEDULE_PROGRAM) {
        *is_xor = phase->schedule.symmetry == SYMMETRY_XOR;
        return phase->schedule.symmetry != SYMMETRY_NONE ||
               fails(proof, "a collective's algorithm gives ranks different parts");
    }
    *is_xor = phase->schedule.exchange.peer == PEER_FLIP;
    if (*is_xor && !is_power_of_two(phase->n))
        return fails(proof, "the group is no power of two");
    if (prefer_xor && is_power_of_two(phase->n) && sends_all_at_once(phase))
        *is_xor = true;
    return true;
}

static bool visit_all(struct link_proof *proof, const struct plan_book *book, bool prefer_xor,
                      type_visitor *visit, struct kept_route *kept)
{
    for (uint32_t p = 0; p < book->count; p++) {
        const struct chunk_plan *plan = book->plan[p];
        for (uint32_t i = 0; i < plan->phase_count; i++) {
            const struct phase_line line = {&plan->phase[i], proof->fold.ranks};
            bool is_xor;
            if (!phase_is_xor(proof, line.phase, prefer_xor, &is_xor))
                return false;
            bool goes_on = line.phase->schedule.form == SCHEDULE_EXCHANGE
                               ? visit_exchange(proof, &line, is_xor, visit, kept)
                               : visit_program(proof, &line, (struct plan_book *)book, visit, kept);
            if (!goes_on)
                return false;
        }
    }
    return true;
}

static bool check_type(struct link_proof *proof, const struct phase_line *line,
                       const struct message_type *type, struct kept_route *kept)
{
    if (!count_type(proof, line, type))
        return false;
    return !proof->one_each ||
           (keep_route(proof, kept, target(line, 0, type)) && is_one_each(proof, kept));
}

static void count_classes(struct link_proof *proof)
{
    memset(proof->class_size, 0, proof->units * sizeof *proof->class_size);
    for (uint32_t unit = 0; unit < proof->units; unit++) {
        proof->class_of[unit] = leader(proof, unit);
        proof->class_size[proof->class_of[unit]]++;
    }
}

static bool holds(struct link_proof *proof, const struct plan_book *book, bool prefer_xor,
                  struct kept_route *kept)
{
    for (uint32_t unit = 0; unit < proof->units; unit++)
        proof->class_of[unit] = unit;
    if (!visit_all(proof, book, prefer_xor, follow_type, kept))
        return false;
    count_classes(proof);
    return check_links(proof) && visit_all(proof, book, prefer_xor, check_type, kept);
}

/* -- the proof as an object ----------------------------------------------------------------------- */

static uint64_t count_routes(const struct plan_book *book, uint32_t ranks)
{
    uint64_t types = 0;
    for (uint32_t p = 0; p < book->count; p++) {
        const struct chunk_plan *plan = book->plan[p];
        for (uint32_t i = 0; i < plan->phase_count; i++) {
            const struct schedule *schedule = &plan->phase[i].schedule;
            types +=
                schedule->form == SCHEDULE_EXCHANGE ? schedule->exchange.period : schedule->slots;
        }
    }
    return types * ranks;
}

static void fill_units(struct link_proof *proof)
{
    const struct fabric *fabric = proof->fabric;
    for (uint32_t l = 0; l < fabric->link_count; l++) {
        uint32_t unit = proof->by_bundle ? proof->bundle_of_link[l] : l;
        proof->bandwidth_Bps[unit] += fabric->link[l].bandwidth_Bps;
        proof->latency_ns[unit] = fabric->link[l].latency_ns;
    }
}

static enum status open_proof(struct link_proof *proof, const struct config *config)
{
    struct diag diag = DIAG_NONE; /* the model's own create() will say it */
    proof->fabric = config->network.fabric;
    enum status status = routing_create(&proof->routing, proof->fabric, &config->network, &diag);
    if (status != STATUS_OK)
        return status;
    proof->by_bundle = config->network.routing == ROUTING_SPRAY && proof->fabric->is_tree;
    proof->one_each = config->network.backend == NET_LINK;
    proof->units = proof->by_bundle ? routing_bundles(proof->routing, &proof->bundle_of_link)
                                    : proof->fabric->link_count;
    proof->class_of = calloc(proof->units, sizeof *proof->class_of);
    proof->class_size = calloc(proof->units, sizeof *proof->class_size);
    proof->hits = calloc(proof->units, sizeof *proof->hits);
    proof->bandwidth_Bps = calloc(proof->units, sizeof *proof->bandwidth_Bps);
    proof->latency_ns = calloc(proof->units, sizeof *proof->latency_ns);
    need_memory(proof->class_of && proof->class_size && proof->hits && proof->bandwidth_Bps &&
                proof->latency_ns);
    fill_units(proof);
    proof->fold = (struct link_fold){.by_bundle = proof->by_bundle,
                                     .class_of = proof->class_of,
                                     .class_size = proof->class_size,
                                     .ranks = proof->fabric->npu_count,
                                     .is_tied = &proof->is_tied};
    return STATUS_OK;
}

struct link_proof *link_proof_create(const struct config *config, const struct plan_book *book,
                                     const char **why)
{
    if (count_routes(book, config->network.npu_count) > MOST_ROUTES) {
        *why = "too many routes to compare";
        return NULL;
    }
    struct link_proof *proof = calloc(1, sizeof *proof);
    struct kept_route *kept = calloc(1, sizeof *kept);
    need_memory(proof && kept);
    proof->why = "the network cannot be routed";
    bool found = open_proof(proof, config) == STATUS_OK &&
                 (holds(proof, book, false, kept) ||
                  (order_is_free(config) && holds(proof, book, true, kept)));
    free(kept);
    if (found)
        return proof;
    *why = proof->why;
    link_proof_destroy(proof);
    return NULL;
}

void link_proof_destroy(struct link_proof *proof)
{
    if (!proof)
        return;
    if (proof->routing)
        routing_destroy(proof->routing);
    free(proof->class_of);
    free(proof->class_size);
    free(proof->hits);
    free(proof->bandwidth_Bps);
    free(proof->latency_ns);
    free(proof);
}

const struct link_fold *link_proof_fold(struct link_proof *proof)
{
    return &proof->fold;
}

bool link_proof_is_tied(const struct link_proof *proof)
{
    return proof->is_tied;
}

void link_proof_spread(const struct link_proof *proof, struct link_figures *rows)
{
    if (!proof->by_bundle) {
        for (uint32_t l = 0; l < proof->units; l++)
            rows[l] = rows[proof->class_of[l]];
        return;
    }
    /* Links of a bundle carry equal shares: any of the leading bundle's has the figures. */
    uint32_t *link_of = calloc(proof->units, sizeof *link_of);
    need_memory(link_of != NULL);
    for (uint32_t l = proof->fabric->link_count; l-- > 0;)
        link_of[proof->bundle_of_link[l]] = l;
    for (uint32_t l = 0; l < proof->fabric->link_count; l++)
        rows[l] = rows[link_of[proof->class_of[proof->bundle_of_link[l]]]];
    free(link_of);
}
