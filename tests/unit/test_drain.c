#include "base/mix.h"
#include "tests/unit/unit.h"

#include <stdint.h>

#include "net/model/drain.h"

enum { MOST = 400 };

struct seen {
    uint32_t flow[MOST];
    uint32_t count;
};

static void on_done(void *context, uint32_t flow)
{
    struct seen *seen = context;
    seen->flow[seen->count++] = flow;
}

static struct drain_instant at(time_ps ps)
{
    return (struct drain_instant){ps, 0};
}

/* Takes what is done at the next finish, and says when that was. */
static time_ps step(struct drain *drain, struct seen *seen)
{
    drain_settle(drain);
    time_ps next = drain_next(drain);
    drain_take(drain, next, on_done, seen);
    return next;
}

/* 10 and 30 B at 0.5 B/ps, then 30 has 20 B left, alone at 1 B/ps: 20 and 40 ps. */
START_TEST(a_rate_that_changes)
{
    struct drain drain;
    struct seen seen = {.count = 0};
    drain_init(&drain, 2);
    drain_set(&drain, 0, 10);
    drain_set(&drain, 1, 30);
    drain_set_rate(&drain, 1, 0.5, at(0));
    drain_join(&drain, 0, 1, at(0));
    drain_join(&drain, 1, 1, at(0));
    ck_assert_uint_eq(step(&drain, &seen), 20);
    ck_assert_uint_eq(drain_group_of(&drain, 0), DRAIN_NONE);
    drain_set_rate(&drain, 1, 1, at(20));
    ck_assert_uint_eq(step(&drain, &seen), 40);
    drain_settle(&drain);
    ck_assert_uint_eq(drain_next(&drain), TIME_NEVER);
    ck_assert_uint_eq(seen.count, 2);
    drain_release(&drain);
}
END_TEST

/* A flow takes what it has left to another group. */
START_TEST(a_flow_that_moves)
{
    struct drain drain;
    struct seen seen = {.count = 0};
    drain_init(&drain, 2);
    drain_set(&drain, 5, 100);
    drain_set_rate(&drain, 0, 1, at(0));
    drain_set_rate(&drain, 1, 0.25, at(0));
    drain_join(&drain, 5, 0, at(0));
    drain_leave(&drain, 5, at(60));
    drain_leave(&drain, 5, at(60)); /* is in none: nothing to do */
    drain_join(&drain, 5, 1, at(60));
    ck_assert_uint_eq(step(&drain, &seen), 60 + 160);
    drain_release(&drain);
}
END_TEST

/* 1000 B at 3 B/ps end at 333.33 ps: told at 333, and the rest is handed over for what follows. */
START_TEST(the_rest_of_a_ps)
{
    struct drain drain;
    struct seen seen = {.count = 0};
    drain_init(&drain, 1);
    drain_set_rate(&drain, 0, 3, at(0));
    drain_set(&drain, 0, 1000);
    drain_join(&drain, 0, 0, at(0));
    drain_settle(&drain);
    ck_assert_uint_eq(drain_next(&drain), 333);
    double rest = drain_take(&drain, 333, on_done, &seen);
    ck_assert_double_eq_tol(rest, 1.0 / 3, 0x1p-20);
    struct drain_instant later = drain_after((struct drain_instant){333, rest}, 1000.0 / 3);
    ck_assert_uint_eq(later.ps, 667);
    ck_assert_double_eq_tol(later.rest_ps, -1.0 / 3, 0x1p-19);
    ck_assert_uint_eq(drain_after(at(5), 1e30).ps, TIME_NEVER);
    drain_release(&drain);
}
END_TEST

/* Many flows in random order of size, some equal, some taken out again: they come by size. */
START_TEST(in_order_of_size)
{
    struct drain drain;
    struct seen seen = {.count = 0};
    uint64_t state = (uint64_t)_i + 1;
    uint32_t bytes[MOST], left = 0;
    drain_init(&drain, 1);
    drain_set_rate(&drain, 0, 1, at(0));
    for (uint32_t f = 0; f < MOST; f++) {
        uint64_t random = random_next(&state);
        bytes[f] = 1 + (uint32_t)(random >> 40) % 97;
        drain_set(&drain, f, bytes[f]);
        drain_join(&drain, f, 0, at(0));
    }
    for (uint32_t f = 0; f < MOST; f += 7)
        drain_leave(&drain, f, at(0));
    time_ps before = 0;
    for (drain_settle(&drain); drain_next(&drain) != TIME_NEVER; drain_settle(&drain)) {
        uint32_t from = seen.count;
        time_ps now = step(&drain, &seen);
        ck_assert_uint_gt(now, before);
        before = now;
        for (uint32_t i = from; i < seen.count; i++)
            ck_assert_uint_eq(bytes[seen.flow[i]], now);
    }
    for (uint32_t f = 0; f < MOST; f++)
        left += f % 7 != 0;
    ck_assert_uint_eq(seen.count, left);
    drain_release(&drain);
}
END_TEST

/* A group that is never empty: however much it has served, sizes are exact. */
START_TEST(a_group_that_is_never_empty)
{
    struct drain drain;
    struct seen seen = {.count = 0};
    time_ps now = 0;
    drain_init(&drain, 1);
    drain_set_rate(&drain, 0, 1, at(0));
    drain_set(&drain, 0, (uint64_t)1 << 42);
    drain_join(&drain, 0, 0, at(0));
    for (int round = 0; round < 64; round++) {
        now += (time_ps)1 << 34;
        drain_set(&drain, 1, 1000);
        drain_join(&drain, 1, 0, at(now));
        ck_assert_uint_eq(step(&drain, &seen), now + 1000);
    }
    ck_assert_uint_eq(step(&drain, &seen), (time_ps)1 << 42);
    drain_release(&drain);
}
END_TEST

/*
 * Two flows of one size at rates that change alike, one in a group that has served others before,
 * and moving to and fro: their ends agree to the last step, at rates that no double holds exactly.
 */
START_TEST(groups_of_one_rate_are_one)
{
    struct drain drain;
    struct seen seen = {.count = 0};
    uint64_t state = (uint64_t)_i + 1;
    struct drain_instant now = at(0);
    drain_init(&drain, 3);
    drain_set_rate(&drain, 2, 1.0 / 7, now);
    drain_set(&drain, 9, 1000000007);
    drain_join(&drain, 9, 2, now);
    now = drain_after(now, 123456.789);
    drain_set(&drain, 0, 100000007);
    drain_set(&drain, 1, 100000007);
    drain_join(&drain, 0, 0, now);
    drain_join(&drain, 1, 1, now);
    for (int round = 0; round < 300; round++) {
        double rate = 0.01 + (double)random_below(&state, 1000) / 7919;
        for (uint32_t group = 0; group < 3; group++)
            drain_set_rate(&drain, group, rate, now);
        drain_leave(&drain, 1, now);
        drain_join(&drain, 1, 1 + random_below(&state, 2), now);
        now = drain_after(now, (double)random_below(&state, 1000000) / 3);
    }
    step(&drain, &seen);
    ck_assert_uint_eq(seen.count, 2);
    ck_assert_uint_eq(seen.flow[0] + seen.flow[1], 1);
    drain_release(&drain);
}
END_TEST

static Suite *drain_suite(void)
{
    Suite *suite = suite_create("drain");
    TCase *tcase = tcase_create("drain");
    tcase_add_test(tcase, a_rate_that_changes);
    tcase_add_test(tcase, a_flow_that_moves);
    tcase_add_test(tcase, the_rest_of_a_ps);
    tcase_add_loop_test(tcase, in_order_of_size, 0, 5);
    tcase_add_test(tcase, a_group_that_is_never_empty);
    tcase_add_loop_test(tcase, groups_of_one_rate_are_one, 0, 10);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(drain_suite())
