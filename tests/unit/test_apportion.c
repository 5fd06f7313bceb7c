/* apportion: sums are kept, and no part is off by 1 or more. */
#include "base/apportion.h"
#include "base/mix.h"
#include "tests/unit/unit.h"

START_TEST(by_hand)
{
    const apportion_sum thirds[] = {1, 1, 1}, mixed[] = {7, 0, 2, 1};
    uint64_t to[4];
    apportion(thirds, 3, 10, 3, to);
    ck_assert_uint_eq(to[0], 4);
    ck_assert_uint_eq(to[1], 3);
    ck_assert_uint_eq(to[2], 3);
    apportion(mixed, 4, 1, 2, to); /* 3.5, 0, 1, 0.5: the first of those that lose a half */
    ck_assert_uint_eq(to[0], 4);
    ck_assert_uint_eq(to[1], 0);
    ck_assert_uint_eq(to[2], 1);
    ck_assert_uint_eq(to[3], 0);
    apportion(NULL, 0, 1, 1, to);
}
END_TEST

/* Up to 2^24 ranks of 2^60 ps. */
START_TEST(sums_are_kept)
{
    enum { MOST = 40 };
    uint64_t state = 3;
    for (int trial = 0; trial < 5000; trial++) {
        apportion_sum part[MOST], all = 0;
        uint64_t to[MOST], sum = 0;
        uint32_t count = 1 + random_below(&state, MOST);
        uint64_t by = 1 + random_below(&state, 1 << 24);
        for (uint32_t i = 0; i < count; i++) {
            part[i] = (apportion_sum)random_below(&state, UINT32_MAX) << random_below(&state, 40);
            all += part[i];
        }
        part[0] += (by - all % by) % by; /* a whole number in all */
        all += (by - all % by) % by;
        apportion(part, count, 1, by, to);
        for (uint32_t i = 0; i < count; i++) {
            sum += to[i];
            apportion_sum back = (apportion_sum)to[i] * by;
            ck_assert((back > part[i] ? back - part[i] : part[i] - back) < by);
        }
        ck_assert(sum == (uint64_t)(all / by));
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("apportion");
    TCase *tests = tcase_create("apportion");
    tcase_add_test(tests, by_hand);
    tcase_add_test(tests, sums_are_kept);
    suite_add_tcase(all, tests);
    return all;
}

RUN_SUITE(suite())
