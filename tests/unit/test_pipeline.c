/* pipeline: every unit once, no deadlock, activations and idle time as the papers' closed forms
 * say. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "workloads/generate/pipeline.h"

/* Stages in step with their dependencies: when each unit ends, in the given times of units. */
struct clockwork {
    const struct pipeline_spec *spec;
    uint64_t cost[3];             /* by enum unit_kind */
    uint64_t *end[3];             /* [virtual stage][micro-batch], 0: not done */
    struct pipeline_unit **order; /* [stage] */
    uint64_t *next, *time;        /* [stage] */
};

static uint64_t *end_of(const struct clockwork *clockwork, int kind, uint32_t virtual_stage,
                        uint32_t micro_batch)
{
    return &clockwork
                ->end[kind][(uint64_t)virtual_stage * clockwork->spec->micro_batches + micro_batch];
}

static void clockwork_start(struct clockwork *clockwork, const struct pipeline_spec *spec)
{
    uint64_t all = (uint64_t)spec->stages * spec->chunks * spec->micro_batches;
    clockwork->spec = spec;
    for (int kind = 0; kind < 3; kind++)
        clockwork->end[kind] = calloc(all, sizeof(uint64_t));
    clockwork->order = calloc(spec->stages, sizeof *clockwork->order);
    clockwork->next = calloc(spec->stages, sizeof(uint64_t));
    clockwork->time = calloc(spec->stages, sizeof(uint64_t));
    for (uint32_t s = 0; s < spec->stages; s++) {
        clockwork->order[s] = calloc(pipeline_unit_count(spec), sizeof **clockwork->order);
        pipeline_order(spec, s, clockwork->order[s]);
    }
}

static void clockwork_end(struct clockwork *clockwork)
{
    for (uint32_t s = 0; s < clockwork->spec->stages; s++)
        free(clockwork->order[s]);
    for (int kind = 0; kind < 3; kind++)
        free(clockwork->end[kind]);
    free(clockwork->order);
    free(clockwork->next);
    free(clockwork->time);
}

/* When the next unit of `stage` may start; UINT64_MAX: not known yet. */
static uint64_t ready_at(const struct clockwork *clockwork, uint32_t stage)
{
    const struct pipeline_spec *spec = clockwork->spec;
    const struct pipeline_unit *unit = &clockwork->order[stage][clockwork->next[stage]];
    uint32_t place = unit->chunk * spec->stages + stage, m = unit->micro_batch;
    uint32_t last = spec->stages * spec->chunks - 1;
    uint64_t needs = 0;
    if (unit->kind == UNIT_FORWARD && place > 0)
        needs = *end_of(clockwork, UNIT_FORWARD, place - 1, m);
    else if (unit->kind == UNIT_FORWARD)
        return 0;
    else if (unit->kind == UNIT_WEIGHT)
        needs = *end_of(clockwork, UNIT_BACKWARD, place, m);
    else if (place == last)
        needs = *end_of(clockwork, UNIT_FORWARD, place, m);
    else if (*end_of(clockwork, UNIT_FORWARD, place, m))
        needs = *end_of(clockwork, UNIT_BACKWARD, place + 1, m);
    return needs ? needs : UINT64_MAX;
}

/* The makespan; fails if a unit is done twice or a stage waits for ever. */
static uint64_t clockwork_run(struct clockwork *clockwork)
{
    const struct pipeline_spec *spec = clockwork->spec;
    uint64_t count = pipeline_unit_count(spec), makespan = 0, left = count * spec->stages;
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t s = 0; s < spec->stages; s++) {
            uint64_t ready;
            while (clockwork->next[s] < count && (ready = ready_at(clockwork, s)) != UINT64_MAX) {
                const struct pipeline_unit *unit = &clockwork->order[s][clockwork->next[s]++];
                ck_assert_uint_lt(unit->chunk, spec->chunks);
                ck_assert_uint_lt(unit->micro_batch, spec->micro_batches);
                uint64_t *end = end_of(clockwork, unit->kind, unit->chunk * spec->stages + s,
                                       unit->micro_batch);
                ck_assert_msg(*end == 0, "a unit is done twice");
                uint64_t start = ready > clockwork->time[s] ? ready : clockwork->time[s];
                clockwork->time[s] = *end = start + clockwork->cost[unit->kind];
                makespan = *end > makespan ? *end : makespan;
                moved = true;
                left--;
            }
        }
    }
    ck_assert_msg(left == 0, "schedule %d, %u stages, %u chunks, %u micro-batches: stuck",
                  (int)spec->schedule, spec->stages, spec->chunks, spec->micro_batches);
    return makespan;
}

/* Most activations that the order of `stage` holds at once. */
static uint64_t held(const struct clockwork *clockwork, uint32_t stage)
{
    enum unit_kind frees =
        clockwork->spec->schedule == PIPE_ZERO_BUBBLE ? UNIT_WEIGHT : UNIT_BACKWARD;
    uint64_t now = 0, most = 0;
    for (uint64_t u = 0; u < pipeline_unit_count(clockwork->spec); u++) {
        now += clockwork->order[stage][u].kind == UNIT_FORWARD;
        most = now > most ? now : most;
        now -= clockwork->order[stage][u].kind == frees;
    }
    return most;
}

/* The bounds of the papers, written without looking at the module's warm-up counts. */
static uint64_t paper_bound(const struct pipeline_spec *spec, uint32_t s)
{
    uint64_t all = (uint64_t)spec->chunks * spec->micro_batches, p = spec->stages, v = spec->chunks;
    uint64_t bound = all;
    if (spec->schedule == PIPE_1F1B || (spec->schedule == PIPE_INTERLEAVED && v == 1))
        bound = p - s;
    else if (spec->schedule == PIPE_INTERLEAVED)
        bound = 2 * (p - s - 1) + (v - 1) * p + 1;
    else if (spec->schedule == PIPE_ZERO_BUBBLE)
        bound = p * v;
    return bound < all ? bound : all;
}

static const enum pipeline_schedule schedules[] = {PIPE_GPIPE, PIPE_1F1B, PIPE_INTERLEAVED,
                                                   PIPE_ZERO_BUBBLE};

/* All small shapes that are allowed: units, dependencies, activations. */
START_TEST(orders_are_complete_and_never_stuck)
{
    struct pipeline_spec spec = {.schedule = schedules[_i]};
    uint32_t runs = 0;
    for (spec.stages = 1; spec.stages <= 9; spec.stages++) {
        for (spec.chunks = 1; spec.chunks <= 4; spec.chunks++) {
            for (spec.micro_batches = 1; spec.micro_batches <= 28; spec.micro_batches++) {
                struct diag diag = DIAG_NONE;
                if (pipeline_check(&spec, &diag))
                    continue;
                struct clockwork clockwork = {.cost = {5, 7, 3}};
                clockwork_start(&clockwork, &spec);
                clockwork_run(&clockwork);
                for (uint32_t s = 0; s < spec.stages; s++) {
                    ck_assert_uint_eq(held(&clockwork, s), pipeline_in_flight(&spec, s));
                    ck_assert_uint_le(pipeline_in_flight(&spec, s), paper_bound(&spec, s));
                }
                clockwork_end(&clockwork);
                runs++;
            }
        }
    }
    ck_assert_uint_gt(runs, 200);
}
END_TEST

/* rule 4: makespan = busy + (p - 1) (F + B) / v, for zero-bubble busy + (p - 1) (F + B - W). */
START_TEST(idle_time_is_the_closed_form)
{
    struct pipeline_spec spec = {.schedule = schedules[_i]};
    const uint64_t cost[3] = {12, 12, 12};
    for (spec.stages = 1; spec.stages <= 8; spec.stages++) {
        for (spec.chunks = 1; spec.chunks <= 4; spec.chunks++) {
            for (uint32_t rounds = 2; rounds <= 4; rounds++) {
                struct diag diag = DIAG_NONE;
                spec.micro_batches = rounds * spec.stages;
                if (pipeline_check(&spec, &diag) ||
                    (spec.schedule == PIPE_ZERO_BUBBLE && spec.chunks > 1))
                    continue;
                bool splits = spec.schedule == PIPE_ZERO_BUBBLE;
                struct clockwork clockwork = {.cost = {cost[0], cost[1], cost[2]}};
                clockwork_start(&clockwork, &spec);
                uint64_t busy = (uint64_t)spec.micro_batches * spec.chunks *
                                (cost[0] + cost[1] + (splits ? cost[2] : 0));
                uint64_t idle =
                    (spec.stages - 1) * (splits ? cost[0] + cost[1] - cost[2] : cost[0] + cost[1]);
                ck_assert_uint_eq(clockwork_run(&clockwork), busy + idle);
                clockwork_end(&clockwork);
            }
        }
    }
}
END_TEST

/* Megatron-LM, 4 stages, 2 chunks, 8 micro-batches, stage 2: warm-up 2 (4 - 2 - 1) + 1 x 4 = 6. */
START_TEST(interleaved_by_hand)
{
    const struct pipeline_spec spec = {PIPE_INTERLEAVED, 4, 2, 8};
    static const char *const expected[] = {
        "F0.0", "F0.1", "F0.2", "F0.3", "F1.0", "F1.1", "F1.2", "B1.0", "F1.3", "B1.1", "F0.4",
        "B1.2", "F0.5", "B1.3", "F0.6", "B0.0", "F0.7", "B0.1", "F1.4", "B0.2", "F1.5", "B0.3",
        "F1.6", "B1.4", "F1.7", "B1.5", "B1.6", "B1.7", "B0.4", "B0.5", "B0.6", "B0.7"};
    struct pipeline_unit unit[32];
    ck_assert_uint_eq(pipeline_unit_count(&spec), 32);
    pipeline_order(&spec, 2, unit);
    for (int u = 0; u < 32; u++) {
        char text[16];
        snprintf(text, sizeof text, "%c%u.%u", "FBW"[unit[u].kind], unit[u].chunk,
                 unit[u].micro_batch);
        ck_assert_msg(strcmp(text, expected[u]) == 0, "unit %d: %s, not %s", u, text, expected[u]);
    }
}
END_TEST

static const struct {
    struct pipeline_spec spec;
    const char *message, *hint;
} refused[] = {
    {{PIPE_1F1B, 4, 2, 8}, "1f1b runs one chunk", "interleaved"},
    {{PIPE_INTERLEAVED, 4, 2, 10}, "10 micro-batches", "nearest: 8 or 12"},
    {{PIPE_INTERLEAVED, 4, 2, 3}, "3 micro-batches", "nearest: 4 "},
    {{PIPE_ZERO_BUBBLE, 4, 2, 7}, "7 micro-batches", "nearest: 4 or 8"},
};

START_TEST(what_cannot_run_is_refused_with_the_nearest)
{
    struct diag diag = DIAG_NONE;
    ck_assert_int_eq(pipeline_check(&refused[_i].spec, &diag), STATUS_BAD_CONFIG);
    ck_assert_msg(strstr(diag.message, refused[_i].message) != NULL, "%s", diag.message);
    ck_assert_msg(strstr(diag.hint, refused[_i].hint) != NULL, "%s", diag.hint);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("pipeline");
    TCase *cases = tcase_create("pipeline");
    int count = (int)(sizeof schedules / sizeof *schedules);
    tcase_add_loop_test(cases, orders_are_complete_and_never_stuck, 0, count);
    tcase_add_loop_test(cases, idle_time_is_the_closed_form, 0, count);
    tcase_add_test(cases, interleaved_by_hand);
    tcase_add_loop_test(cases, what_cannot_run_is_refused_with_the_nearest, 0,
                        (int)(sizeof refused / sizeof *refused));
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(suite_of())
