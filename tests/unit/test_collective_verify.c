/*
 * Every algorithm, every kind it can run, groups of 2 to 17 positions and several shapes: the data
 * flow is followed symbolically (net/collective/verify.h), the cost counted on the graph must be
 * the closed form, and a symmetric schedule's program(p) must be program(0) relabelled.
 */
#include "tests/unit/unit.h"

#include <string.h>

#include "config/config.h"
#include "model/collective.h"
#include "net/collective/verify.h"

static const uint32_t shapes[][3] = {
    {2},    {3},    {4},    {5},    {6},    {7},    {8},    {9},       {10},      {11},
    {12},   {13},   {14},   {15},   {16},   {17},   {2, 2}, {2, 3},    {3, 2},    {4, 2},
    {3, 3}, {4, 4}, {5, 3}, {2, 8}, {8, 2}, {3, 4}, {1, 4}, {2, 2, 2}, {3, 2, 2}, {4, 2, 2},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Divisible by most counts of pieces, so that little is rounded. */
static uint64_t even_bytes(uint32_t n)
{
    return (uint64_t)n * 16 * 9 * 5 * 7 * 11;
}

static struct schedule_request request_for(int shape, enum collective_kind kind)
{
    struct schedule_request request = {.kind = kind, .n = 1};
    for (int d = 0; d < 3 && shapes[shape][d]; d++) {
        request.dim[request.dim_count++] = shapes[shape][d];
        request.n *= shapes[shape][d];
    }
    request.bytes = kind == COLL_BARRIER ? 0 : even_bytes(request.n);
    request.root = request.n > 2 ? 1 : 0;
    return request;
}

static const struct verify_weights weights = {.latency = 1000003, .per_byte = 3};

static const char *describe(const struct collective_ops *ops,
                            const struct schedule_request *request)
{
    static char text[200];
    snprintf(text, sizeof text, "%s %s n %u (%u x %u x %u) chunks %u channels %u radix %u root %u",
             ops->name, collective_name(request->kind), request->n, request->dim[0],
             request->dim[1], request->dim[2], request->chunks, request->channels, request->radix,
             request->root);
    return text;
}

static void expect_cost(const struct collective_ops *ops, const struct schedule_request *request,
                        const struct verified *verified)
{
    struct collective_cost cost;
    const char *what = describe(ops, request);
    ck_assert_msg(ops->cost != NULL, "%s: no closed form", ops->name);
    ops->cost(request, &cost);
    ck_assert_msg(cost.latency_terms == verified->latency_terms, "%s: latency terms %lu, not %lu",
                  what, cost.latency_terms, verified->latency_terms);
    uint64_t time = cost.latency_terms * weights.latency + cost.path_bytes * weights.per_byte;
    ck_assert_msg(time == verified->time, "%s: time %lu, not %lu (%lu latencies, bytes %lu)", what,
                  time, verified->time, verified->latency_terms, cost.path_bytes);
    ck_assert_msg(cost.port_bytes == verified->port_bytes, "%s: port bytes %lu, not %lu", what,
                  cost.port_bytes, verified->port_bytes);
    ck_assert_msg(cost.total_bytes == verified->total_bytes, "%s: total bytes %lu, not %lu", what,
                  cost.total_bytes, verified->total_bytes);
}

static bool same_step(const struct schedule_request *request, const struct schedule *schedule,
                      uint32_t p, const struct program_step *a, const struct program_step *b)
{
    bool has_peer = a->op == STEP_SEND || a->op == STEP_RECV;
    return a->op == b->op && a->bytes == b->bytes && a->slot == b->slot &&
           a->parents == b->parents && a->child_count == b->child_count &&
           a->first_child == b->first_child && a->reduce == b->reduce &&
           a->until_arrival == b->until_arrival &&
           (!has_peer || schedule_relabel(request, schedule->symmetry, p, a->peer) == b->peer);
}

static void expect_slots(const struct collective_ops *ops, const struct schedule_request *request,
                         const struct schedule *schedule, const struct program *program)
{
    for (uint32_t s = 0; s < program->count; s++) {
        const struct program_step *step = &program->step[s];
        if (step->op == STEP_RECV)
            ck_assert_msg(step->slot < schedule->slots, "%s: slot %u of %u", describe(ops, request),
                          step->slot, schedule->slots);
        ck_assert_msg(!step->until_arrival || ops->waits_for_arrival, "%s", ops->name);
    }
}

/* What runs has the steps of what was proved. */
static void expect_described(const struct collective_ops *ops,
                             const struct schedule_request *request,
                             const struct schedule *schedule, uint32_t p,
                             const struct program *program, struct arena *arena)
{
    struct schedule_request described = *request;
    described.is_described = true;
    struct program other;
    ops->program(&described, schedule, p, arena, &other);
    ck_assert_uint_eq(other.count, program->count);
    for (uint32_t s = 0; s < program->count; s++)
        ck_assert_msg(same_step(request, schedule, 0, &other.step[s], &program->step[s]),
                      "%s: step %u of position %u, described", describe(ops, request), s, p);
}

/* program(p) is program(0) relabelled, for every p. */
static void expect_symmetry(const struct collective_ops *ops,
                            const struct schedule_request *request)
{
    struct arena arena;
    arena_init(&arena);
    struct schedule schedule;
    ops->plan(request, &arena, &schedule);
    uint32_t n = schedule.form == SCHEDULE_PROGRAM ? request->n : 0;
    struct program *program = arena_array(&arena, n, sizeof *program);
    for (uint32_t p = 0; p < n; p++) {
        ops->program(request, &schedule, p, &arena, &program[p]);
        expect_slots(ops, request, &schedule, &program[p]);
        expect_described(ops, request, &schedule, p, &program[p], &arena);
        if (schedule.symmetry == SYMMETRY_NONE)
            continue;
        ck_assert_msg(program[p].count == program[0].count, "%s", describe(ops, request));
        for (uint32_t s = 0; s < program[0].count; s++)
            ck_assert_msg(
                same_step(request, &schedule, p, &program[0].step[s], &program[p].step[s]),
                "%s: step %u of position %u", describe(ops, request), s, p);
    }
    arena_release(&arena);
}

/* Checks one request; false if the algorithm refuses it. */
static bool prove(const struct collective_ops *ops, const struct schedule_request *request)
{
    struct diag diag = DIAG_NONE;
    struct verified verified;
    if (ops->check(request, &diag)) {
        ck_assert_msg(diag.message[0] != '\0', "%s", describe(ops, request));
        return false;
    }
    enum status status = verify_algorithm(ops, request, &weights, &verified, &diag);
    ck_assert_msg(!status, "%s: %s", describe(ops, request), diag.message);
    /* ASTRA-sim's halving cuts odd sizes its own way; what is exported has equal pieces. */
    bool is_cut = ops == collective_algorithms[ALG_HALVING_DOUBLING] && request->bytes % request->n;
    if (!is_cut)
        expect_cost(ops, request, &verified);
    expect_symmetry(ops, request);
    return true;
}

START_TEST(every_algorithm_is_right)
{
    const struct collective_ops *ops = collective_algorithms[_i];
    uint32_t proved = 0;
    for (int shape = 0; shape < SHAPES; shape++) {
        for (int kind = 0; kind < COLL_KIND_COUNT; kind++) {
            if (!(ops->kinds & KIND_BIT(kind)))
                continue;
            struct schedule_request request = request_for(shape, (enum collective_kind)kind);
            proved += prove(ops, &request);
            request.bytes = 13; /* less than a byte for each position */
            proved += prove(ops, &request);
        }
    }
    ck_assert_msg(proved > 8, "%s was proved for %u requests only", ops->name, proved);
}
END_TEST

static bool takes_chunks(int id)
{
    return id == ALG_CHAIN || id == ALG_BINARY_TREES || id == ALG_NVLS_TREE || id == ALG_PAT;
}

static bool is_rooted(int kind)
{
    return kind == COLL_BROADCAST || kind == COLL_REDUCE || kind == COLL_GATHER ||
           kind == COLL_SCATTER;
}

/* Chunks, channels, radix, roots, lines: what else a request can say, where it is listened to. */
START_TEST(every_option_is_right)
{
    const struct collective_ops *ops = collective_algorithms[_i];
    for (int shape = 0; shape < SHAPES; shape++) {
        for (int kind = 0; kind < COLL_KIND_COUNT; kind++) {
            if (!(ops->kinds & KIND_BIT(kind)))
                continue;
            struct schedule_request request = request_for(shape, (enum collective_kind)kind);
            for (request.chunks = 1; takes_chunks(_i) && request.chunks < 6; request.chunks += 2)
                prove(ops, &request);
            request.chunks = 0;
            for (request.channels = 1; _i == ALG_MULTI_RING && request.channels < 5;
                 request.channels++)
                prove(ops, &request);
            request.channels = 0;
            for (request.radix = 3; _i == ALG_BRUCK && request.radix < 6; request.radix++)
                prove(ops, &request);
            request.radix = 0;
            request.root = request.n - 1;
            if (is_rooted(kind))
                prove(ops, &request);
            request.no_wrap = 7;
            if (_i >= ALG_BIDIRECTIONAL_RING && _i <= ALG_TORUS_BUCKET_MULTIPORT)
                prove(ops, &request);
        }
    }
}
END_TEST

/* Sizes of each pair, zero among them: only linear and pairwise take them. */
START_TEST(uneven_all_to_all_is_right)
{
    static const enum algorithm_id ids[] = {ALG_LINEAR, ALG_PAIRWISE};
    for (uint32_t n = 2; n < 10; n++) {
        uint64_t sizes[100];
        for (uint32_t i = 0; i < n * n; i++)
            sizes[i] = i * 7919 % 13 * 100;
        struct schedule_request request = {
            .kind = COLL_ALL_TO_ALL, .n = n, .dim_count = 1, .dim = {n}, .sizes = sizes};
        ck_assert(prove(collective_algorithms[ids[_i]], &request));
        struct diag diag = DIAG_NONE;
        ck_assert_int_eq(collective_algorithms[ALG_BRUCK]->check(&request, &diag),
                         STATUS_BAD_CONFIG);
    }
}
END_TEST

/* -- what is wrong must be found --------------------------------------------------------------- */

/* A right schedule of 4 positions, to be damaged. */
struct patient {
    struct arena arena;
    struct schedule_request request;
    struct schedule schedule;
    struct program program[4];
};

static void admit(struct patient *patient, enum algorithm_id id, enum collective_kind kind)
{
    *patient = (struct patient){
        .request = {
            .kind = kind, .n = 4, .bytes = 4000, .dim_count = 1, .dim = {4}, .is_described = true}};
    arena_init(&patient->arena);
    const struct collective_ops *ops = collective_algorithms[id];
    ops->plan(&patient->request, &patient->arena, &patient->schedule);
    for (uint32_t p = 0; p < 4; p++)
        ops->program(&patient->request, &patient->schedule, p, &patient->arena,
                     &patient->program[p]);
}

/* The k-th step of that kind of a position. */
static uint32_t step_at(const struct patient *patient, uint32_t p, enum program_op op, uint32_t k)
{
    uint32_t s = 0;
    while (patient->program[p].step[s].op != op || k--)
        s++;
    return s;
}

static void expect_found(struct patient *patient, const char *message)
{
    struct verified verified;
    struct diag diag = DIAG_NONE;
    enum status status = verify_programs(&patient->request, &patient->schedule, patient->program,
                                         &weights, &verified, &diag);
    ck_assert_msg(status == STATUS_BAD_INPUT, "it was taken for right; expected: %s", message);
    ck_assert_msg(strstr(diag.message, message) != NULL, "%s, not: %s", diag.message, message);
    arena_release(&patient->arena);
}

/* Takes all edges out of a step of one program away. */
static void free_children(struct program *program, uint32_t s)
{
    for (uint32_t c = 0; c < program->step[s].child_count; c++)
        program->step[program->child[program->step[s].first_child + c]].parents--;
    program->step[s].child_count = 0;
}

START_TEST(damage_is_found)
{
    struct patient patient;
    admit(&patient, ALG_TORUS_BUCKET, COLL_ALL_GATHER);
    struct program *program = &patient.program[2];
    struct program_step *send = &program->step[step_at(&patient, 2, STEP_SEND, 1)];
    struct program_step *recv = &program->step[step_at(&patient, 2, STEP_RECV, 1)];
    struct step_data *data = &program->data[step_at(&patient, 2, STEP_SEND, 1)];
    switch (_i) {
    case 0:
        send->bytes++;
        expect_found(&patient, "for pieces of");
        break;
    case 1:
        recv->bytes++;
        expect_found(&patient, "are received");
        break;
    case 2:
        send->slot = 99;
        expect_found(&patient, "does not receive it");
        break;
    case 3:
        send->peer = 0;
        expect_found(&patient, "does not receive it");
        break;
    case 4:
        send->peer = 2;
        expect_found(&patient, "no other position");
        break;
    case 5: /* the block that is sent first, once more */
        *data = program->data[step_at(&patient, 2, STEP_SEND, 0)];
        expect_found(&patient, "holds nothing yet");
        break;
    case 6: /* forwards before it has come */
        free_children(program, step_at(&patient, 2, STEP_RECV, 0));
        expect_found(&patient, "");
        break;
    case 7:
        program->range[data->first_range].first = 4;
        expect_found(&patient, "places 4");
        break;
    default: /* every receive waits for the next: nobody begins */
        for (uint32_t p = 0; p < 4; p++) {
            uint32_t s = step_at(&patient, p, STEP_SEND, 0);
            patient.program[p].step[s].parents++;
            uint32_t here = step_at(&patient, p, STEP_RECV, 0);
            patient.program[p].child[patient.program[p].step[here].first_child] = s;
        }
        expect_found(&patient, "wait for each other");
        break;
    }
}
END_TEST

START_TEST(damage_of_reductions_is_found)
{
    struct patient patient;
    admit(&patient, ALG_TWO_SHOT, COLL_ALL_REDUCE);
    struct program *program = &patient.program[1];
    uint32_t recv = step_at(&patient, 1, STEP_RECV, 0);
    switch (_i) {
    case 0: /* overwrites what it should add to */
        program->data[recv].effect = DATA_WRITE;
        expect_found(&patient, "of 3 positions, not of 4");
        break;
    case 1: /* gives the part away before the last is added */
        free_children(program, step_at(&patient, 1, STEP_LOCAL, 3));
        expect_found(&patient, "");
        break;
    case 2: /* adds in the second half too: a part counts twice */
        program->data[step_at(&patient, 1, STEP_RECV, 3)].effect = DATA_COMBINE;
        expect_found(&patient, "twice");
        break;
    default: /* claims to be a reduce-scatter of which nothing is missing: it is one, and more */
        patient.request.kind = COLL_ALL_GATHER;
        expect_found(&patient, "");
        break;
    }
}
END_TEST

static Suite *verify_suite(void)
{
    Suite *suite = suite_create("collective_verify");
    TCase *tcase = tcase_create("proofs");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, every_algorithm_is_right, 0, ALG_COUNT);
    tcase_add_loop_test(tcase, every_option_is_right, 0, ALG_COUNT);
    tcase_add_loop_test(tcase, uneven_all_to_all_is_right, 0, 2);
    tcase_add_loop_test(tcase, damage_is_found, 0, 9);
    tcase_add_loop_test(tcase, damage_of_reductions_is_found, 0, 4);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(verify_suite())
