#include "tests/unit/unit.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "net/model/maxmin.h"

enum { MOST_FLOWS = 300, MOST_LINKS = 40, MOST_HOPS = 8 };

/* -- the dumb twin: every link's share is computed anew for every round ------------------------ */

struct twin_flow {
    bool runs;
    uint32_t count, link[MOST_HOPS], number;
    double weight[MOST_HOPS], rate;
    bool is_fixed;
};

struct twin {
    uint32_t links, flows;
    double capacity[MOST_LINKS];
    struct twin_flow flow[MOST_FLOWS];
};

/* Where link l fills up, given who is fixed; INFINITY if no open flow is on it. */
static double twin_level(const struct twin *twin, uint32_t l)
{
    double left = twin->capacity[l], open = 0;
    for (uint32_t f = 0; f < twin->flows; f++) {
        const struct twin_flow *flow = &twin->flow[f];
        for (uint32_t k = 0; flow->runs && k < flow->count; k++) {
            if (flow->link[k] != l)
                continue;
            if (flow->is_fixed)
                left -= flow->weight[k] * flow->rate;
            else
                open += flow->weight[k];
        }
    }
    return open > 0 ? left / open : INFINITY;
}

static void twin_solve(struct twin *twin)
{
    for (uint32_t f = 0; f < twin->flows; f++)
        twin->flow[f].is_fixed = false;
    for (;;) {
        double least = INFINITY;
        uint32_t at = 0;
        for (uint32_t l = 0; l < twin->links; l++) {
            double level = twin_level(twin, l);
            if (level < least) {
                least = level;
                at = l;
            }
        }
        if (least == INFINITY)
            return;
        for (uint32_t f = 0; f < twin->flows; f++) {
            struct twin_flow *flow = &twin->flow[f];
            for (uint32_t k = 0; flow->runs && !flow->is_fixed && k < flow->count; k++) {
                if (flow->link[k] == at) {
                    flow->rate = least;
                    flow->is_fixed = true;
                }
            }
        }
    }
}

/* -- random input ------------------------------------------------------------------------------ */

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717u >> 16;
}

enum weights { WEIGHTS_ONE, WEIGHTS_WHOLE, WEIGHTS_SHARES, WEIGHTS_COUNT };

static double random_weight(enum weights weights, uint64_t *state)
{
    switch (weights) {
    case WEIGHTS_WHOLE:
        return (double)(1 + random_next(state) % 5);
    case WEIGHTS_SHARES:
        return maxmin_weight(1.0 / (double)(1 + random_next(state) % 7));
    default:
        return 1;
    }
}

static void random_flow(struct twin *twin, struct twin_flow *flow, enum weights weights,
                        uint64_t *state)
{
    uint32_t wanted = 1 + (uint32_t)random_next(state) % MOST_HOPS;
    flow->count = 0;
    for (uint32_t k = 0; k < wanted; k++) {
        uint32_t link = (uint32_t)random_next(state) % twin->links;
        bool is_new = true;
        for (uint32_t j = 0; j < flow->count; j++)
            is_new = is_new && flow->link[j] != link;
        if (!is_new)
            continue;
        flow->link[flow->count] = link;
        flow->weight[flow->count++] = random_weight(weights, state);
    }
}

static void compare(const struct twin *twin, const struct maxmin *solver, int seed, int step)
{
    for (uint32_t f = 0; f < twin->flows; f++) {
        const struct twin_flow *flow = &twin->flow[f];
        if (!flow->runs)
            continue;
        double rate = maxmin_rate(solver, flow->number);
        ck_assert_msg(fabs(rate - flow->rate) <= 1e-11 * flow->rate,
                      "seed %d step %d flow %u: %.17g, the twin has %.17g", seed, step, f, rate,
                      flow->rate);
    }
}

/* Starts or stops `changes` random flows. */
static void change(struct twin *twin, struct maxmin *solver, uint32_t changes, enum weights weights,
                   uint64_t *state)
{
    bool touched[MOST_FLOWS] = {false};
    for (uint32_t i = 0; i < changes; i++) {
        uint32_t f = (uint32_t)random_next(state) % twin->flows;
        struct twin_flow *flow = &twin->flow[f];
        if (touched[f])
            continue;
        touched[f] = true;
        if (flow->runs) {
            maxmin_stop(solver, flow->number);
            maxmin_remove(solver, flow->number);
        } else {
            random_flow(twin, flow, weights, state);
            flow->number = maxmin_add(solver, flow->count, flow->link, flow->weight);
            maxmin_start(solver, flow->number);
        }
        flow->runs = !flow->runs;
    }
}

/* 30 networks, 60 solves each, most of them repairs. Few capacities differ, so ties are common. */
START_TEST(agrees_with_a_dumb_twin)
{
    static struct twin twin;
    uint64_t state = (uint64_t)_i * 7919 + 1;
    enum weights weights = (enum weights)(_i % WEIGHTS_COUNT);
    memset(&twin, 0, sizeof twin);
    twin.links = 2 + (uint32_t)random_next(&state) % (MOST_LINKS - 1);
    twin.flows = 20 + (uint32_t)random_next(&state) % (MOST_FLOWS - 20);
    for (uint32_t l = 0; l < twin.links; l++)
        twin.capacity[l] = (double)(1 + random_next(&state) % 4) * (_i % 2 ? 1.25e10 : 1.1);
    struct maxmin *solver = maxmin_create(twin.capacity, twin.links);
    for (int step = 0; step < 60; step++) {
        uint32_t changes = step % 10 == 0 ? twin.flows / 3 : 1 + (uint32_t)step % 3;
        change(&twin, solver, changes, weights, &state);
        maxmin_solve(solver);
        twin_solve(&twin);
        compare(&twin, solver, _i, step);
    }
    struct maxmin_counts counts = maxmin_counts(solver);
    ck_assert_msg(counts.solves - counts.whole > 10, "too few solves were repairs");
    maxmin_destroy(solver);
}
END_TEST

/* -- by hand ----------------------------------------------------------------------------------- */

/* maxmin.h's example: capacities 10 and 4; A on both, B on the first, C on the second. */
START_TEST(what_is_left_goes_to_those_who_can_take_it)
{
    struct maxmin *solver = maxmin_create((double[]){10, 4}, 2);
    uint32_t a = maxmin_add(solver, 2, (uint32_t[]){0, 1}, NULL);
    uint32_t b = maxmin_add(solver, 1, (uint32_t[]){0}, NULL);
    uint32_t c = maxmin_add(solver, 1, (uint32_t[]){1}, NULL);
    maxmin_start(solver, a);
    maxmin_start(solver, b);
    maxmin_start(solver, c);
    maxmin_solve(solver);
    ck_assert(maxmin_rate(solver, a) == 2 && maxmin_rate(solver, c) == 2);
    ck_assert(maxmin_rate(solver, b) == 8);
    ck_assert(maxmin_level(solver, 1) == 2 && maxmin_level(solver, 0) == 8);
    ck_assert(maxmin_bottleneck(solver, a) == 1 && maxmin_bottleneck(solver, b) == 0);
    /* C leaves: A could have 4, B 6. */
    maxmin_stop(solver, c);
    maxmin_solve(solver);
    ck_assert(maxmin_rate(solver, a) == 4 && maxmin_rate(solver, b) == 6);
    maxmin_destroy(solver);
}
END_TEST

/* The line of three links (capacity 1): a long flow and one on each link. All get 1/2; with two on
 * the middle link the long one has 1/3, the outer ones 2/3. */
START_TEST(a_long_flow_has_the_share_of_its_worst_link)
{
    struct maxmin *solver = maxmin_create((double[]){1, 1, 1}, 3);
    uint32_t along = maxmin_add(solver, 3, (uint32_t[]){0, 1, 2}, NULL);
    uint32_t on[3];
    maxmin_start(solver, along);
    for (uint32_t l = 0; l < 3; l++) {
        on[l] = maxmin_add(solver, 1, &l, NULL);
        maxmin_start(solver, on[l]);
    }
    maxmin_solve(solver);
    ck_assert_double_eq(maxmin_rate(solver, along), 0.5);
    ck_assert_double_eq(maxmin_rate(solver, on[0]), 0.5);
    uint32_t second = maxmin_add(solver, 1, (uint32_t[]){1}, NULL);
    maxmin_start(solver, second);
    maxmin_solve(solver);
    ck_assert_double_eq_tol(maxmin_rate(solver, along), 1.0 / 3, 1e-12);
    ck_assert_double_eq_tol(maxmin_rate(solver, second), 1.0 / 3, 1e-12);
    ck_assert_double_eq_tol(maxmin_rate(solver, on[0]), 2.0 / 3, 1e-12);
    ck_assert_double_eq_tol(maxmin_rate(solver, on[2]), 2.0 / 3, 1e-12);
    maxmin_destroy(solver);
}
END_TEST

/* A stands for 3 flows on link 0 (capacity 8) and sends half of each over link 1 (capacity 3):
 * B is alone there. 3 x + y = 8 on link 0, so 2 each; link 1 has 1.5 x 2 = 3 of 3. */
START_TEST(weights_count_on_each_link)
{
    struct maxmin *solver = maxmin_create((double[]){8, 3}, 2);
    uint32_t a = maxmin_add(solver, 2, (uint32_t[]){0, 1}, (double[]){3, 1.5});
    uint32_t b = maxmin_add(solver, 1, (uint32_t[]){0}, NULL);
    maxmin_start(solver, a);
    maxmin_start(solver, b);
    maxmin_solve(solver);
    ck_assert(maxmin_rate(solver, a) == 2 && maxmin_rate(solver, b) == 2);
    maxmin_destroy(solver);
}
END_TEST

/* The third time a set starts on an idle network its solution is looked up, and is the same. */
START_TEST(a_set_that_comes_back_is_looked_up)
{
    struct maxmin *solver = maxmin_create((double[]){10, 4, 5}, 3);
    for (int round = 0; round < 4; round++) {
        uint32_t flow[3];
        flow[0] = maxmin_add(solver, 2, (uint32_t[]){0, 1}, NULL);
        flow[1] = maxmin_add(solver, 2, (uint32_t[]){0, 2}, (double[]){1, 0.5});
        flow[2] = maxmin_add(solver, 1, (uint32_t[]){1}, NULL);
        for (int i = 0; i < 3; i++)
            maxmin_start(solver, flow[i]);
        maxmin_solve(solver);
        ck_assert_uint_eq(maxmin_counts(solver).cached, round < 2 ? 0 : round - 1);
        ck_assert(maxmin_rate(solver, flow[0]) == 2 && maxmin_rate(solver, flow[1]) == 8);
        for (int i = 0; i < 3; i++) {
            maxmin_stop(solver, flow[i]);
            maxmin_remove(solver, flow[i]);
        }
    }
    maxmin_destroy(solver);
}
END_TEST

/* The same set, started one by one in two orders, and at once: the same rates. */
START_TEST(order_does_not_matter)
{
    double capacity[MOST_LINKS], rate[3][60];
    uint64_t state = 5;
    uint32_t link[60][3];
    for (uint32_t l = 0; l < MOST_LINKS; l++)
        capacity[l] = (double)(1 + random_next(&state) % 3);
    for (uint32_t f = 0; f < 60; f++) {
        link[f][0] = (uint32_t)random_next(&state) % 13;
        link[f][1] = 13 + (uint32_t)random_next(&state) % 13;
        link[f][2] = 26 + (uint32_t)random_next(&state) % 14;
    }
    for (int way = 0; way < 3; way++) {
        struct maxmin *solver = maxmin_create(capacity, MOST_LINKS);
        uint32_t number[60];
        for (uint32_t i = 0; i < 60; i++) {
            uint32_t f = way == 1 ? 59 - i : i;
            number[f] = maxmin_add(solver, 3, link[f], NULL);
            maxmin_start(solver, number[f]);
            if (way < 2)
                maxmin_solve(solver);
        }
        maxmin_solve(solver);
        for (uint32_t f = 0; f < 60; f++)
            rate[way][f] = maxmin_rate(solver, number[f]);
        maxmin_destroy(solver);
    }
    for (uint32_t f = 0; f < 60; f++) {
        ck_assert_double_eq_tol(rate[1][f], rate[0][f], 1e-12 * rate[0][f]);
        ck_assert_double_eq_tol(rate[2][f], rate[0][f], 1e-12 * rate[0][f]);
    }
}
END_TEST

/* What a solve says it changed covers every flow whose rate is another one. */
START_TEST(changes_are_told)
{
    struct maxmin *solver = maxmin_create((double[]){10, 4, 7}, 3);
    uint32_t a = maxmin_add(solver, 1, (uint32_t[]){0}, NULL);
    uint32_t b = maxmin_add(solver, 1, (uint32_t[]){2}, NULL);
    uint32_t count;
    maxmin_start(solver, a);
    maxmin_start(solver, b);
    maxmin_solve(solver);
    maxmin_moved_flows(solver, &count);
    ck_assert_uint_eq(count, 2);
    uint32_t more[20];
    for (int i = 0; i < 20; i++) {
        more[i] = maxmin_add(solver, 1, (uint32_t[]){1}, NULL);
        maxmin_start(solver, more[i]);
    }
    maxmin_solve(solver);
    maxmin_stop(solver, a);
    maxmin_solve(solver);
    maxmin_moved_flows(solver, &count);
    ck_assert_uint_eq(count, 0);
    ck_assert(maxmin_changed_links(solver, &count)[0] == 0 && count == 1);
    ck_assert(maxmin_rate(solver, a) == 0);
    maxmin_destroy(solver);
}
END_TEST

START_TEST(a_flow_that_runs_is_not_forgotten)
{
    struct maxmin *solver = maxmin_create((double[]){1}, 1);
    uint32_t a = maxmin_add(solver, 1, (uint32_t[]){0}, NULL);
    maxmin_start(solver, a);
    maxmin_solve(solver);
    maxmin_remove(solver, a);
}
END_TEST

/* The example again; the second link has 1, then 40, then 4 as at first: A and C have 1/2; then the
 * first fills up at 5 (A, B), C has 35; a set that was looked up under 4 is not taken under 40. */
START_TEST(capacities_change)
{
    static const double capacity[] = {4, 1, 40, 4},
                        rates[][3] = {{2, 8, 2}, {0.5, 9.5, 0.5}, {5, 5, 35}, {2, 8, 2}};
    struct maxmin *solver = maxmin_create((double[]){10, 4}, 2);
    uint32_t flow[] = {maxmin_add(solver, 2, (uint32_t[]){0, 1}, NULL),
                       maxmin_add(solver, 1, (uint32_t[]){0}, NULL),
                       maxmin_add(solver, 1, (uint32_t[]){1}, NULL)};
    for (int k = 0; k < 4; k++) {
        if (k > 0)
            maxmin_set_capacity(solver, 1, capacity[k]);
        for (int again = 0; again < 3; again++) { /* the third time a kept set is found */
            for (int f = 0; f < 3; f++)
                maxmin_start(solver, flow[f]);
            maxmin_solve(solver);
            if (again == 2 && k < 3) /* while they run, too */
                maxmin_set_capacity(solver, 1, capacity[k + 1]);
            if (again == 2)
                maxmin_solve(solver);
            int now = again == 2 && k < 3 ? k + 1 : k;
            for (int f = 0; f < 3; f++)
                ck_assert_double_eq_tol(maxmin_rate(solver, flow[f]), rates[now][f], 1e-12);
            for (int f = 0; f < 3; f++)
                maxmin_stop(solver, flow[f]);
            maxmin_solve(solver);
        }
    }
    maxmin_destroy(solver);
}
END_TEST

static Suite *maxmin_suite(void)
{
    Suite *suite = suite_create("maxmin");
    TCase *tcase = tcase_create("maxmin");
    tcase_add_test(tcase, what_is_left_goes_to_those_who_can_take_it);
    tcase_add_test(tcase, a_long_flow_has_the_share_of_its_worst_link);
    tcase_add_test(tcase, weights_count_on_each_link);
    tcase_add_test(tcase, a_set_that_comes_back_is_looked_up);
    tcase_add_test(tcase, order_does_not_matter);
    tcase_add_test(tcase, changes_are_told);
    tcase_add_test(tcase, capacities_change);
    tcase_add_exit_test(tcase, a_flow_that_runs_is_not_forgotten, 70);
    tcase_add_loop_test(tcase, agrees_with_a_dumb_twin, 0, 30);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(maxmin_suite())
