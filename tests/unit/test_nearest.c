/* nearest: against a search of all choices, and ties. */
#include "tests/unit/unit.h"

#include "workloads/generate/nearest.h"

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

START_TEST(divisors_as_searched)
{
    for (uint64_t n = 1; n <= 130; n++)
        for (uint64_t wanted = 0; wanted <= 140; wanted++) {
            uint64_t best = 1;
            for (uint64_t d = 1; d <= n; d++)
                if (n % d == 0 && apart(d, wanted) < apart(best, wanted))
                    best = d;
            ck_assert_uint_eq(nearest_divisor(n, wanted), best);
        }
    ck_assert_uint_eq(nearest_divisor(UINT64_C(1) << 40, 1000), 1024);
}
END_TEST

START_TEST(multiples)
{
    ck_assert_uint_eq(nearest_multiple(8, 0), 8);
    ck_assert_uint_eq(nearest_multiple(8, 3), 8);
    ck_assert_uint_eq(nearest_multiple(8, 11), 8);
    ck_assert_uint_eq(nearest_multiple(8, 12), 16); /* as near to 8 */
    ck_assert_uint_eq(nearest_multiple(24, 1000), 1008);
    ck_assert_uint_eq(nearest_multiple(1, 7), 7);
}
END_TEST

START_TEST(common)
{
    ck_assert_uint_eq(common_divisor(96, 8), 8);
    ck_assert_uint_eq(common_divisor(8, 96), 8);
    ck_assert_uint_eq(common_divisor(35, 12), 1);
    ck_assert_uint_eq(common_divisor(7, 0), 7);
}
END_TEST

static Suite *suite_of(void)
{
    Suite *suite = suite_create("nearest");
    TCase *tcase = tcase_create("nearest");
    tcase_add_test(tcase, divisors_as_searched);
    tcase_add_test(tcase, multiples);
    tcase_add_test(tcase, common);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(suite_of())
