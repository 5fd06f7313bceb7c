/* grow: an array that never moves, within what was reserved. */
#include "tests/unit/unit.h"

#include <string.h>

#include "base/grow.h"

START_TEST(never_moves_and_starts_zero)
{
    struct grow grow;
    ck_assert(grow_init(&grow, sizeof(uint32_t), 1 << 20));
    uint32_t *base = grow.base;
    for (uint32_t i = 0; i < 100000; i++) {
        ck_assert_uint_eq(grow_push(&grow, 1), i);
        ck_assert_uint_eq(base[i], 0);
        base[i] = i;
    }
    ck_assert_ptr_eq(grow.base, base);
    ck_assert_uint_eq(base[99999], 99999);
    grow_release(&grow);
    ck_assert_ptr_null(grow.base);
    grow_release(&grow); /* twice is once */
}
END_TEST

START_TEST(pushes_of_any_size)
{
    struct grow grow;
    ck_assert(grow_init(&grow, 24, 4096));
    ck_assert_uint_eq(grow_push(&grow, 0), 0);
    ck_assert_uint_eq(grow_push(&grow, 1000), 0);
    ck_assert_uint_eq(grow_push(&grow, 3096), 1000);
    ck_assert(grow_room(&grow, 0));
    ck_assert(!grow_room(&grow, 1));
    memset(grow.base, 0xff, 24 * 4096); /* every reserved byte is there */
    grow_release(&grow);
}
END_TEST

/* At least 1024 elements are reserved, whatever was asked. */
START_TEST(least)
{
    struct grow grow;
    ck_assert(grow_init(&grow, 8, (size_t)_i));
    ck_assert_uint_eq(grow.maximum, 1024);
    ck_assert(grow_room(&grow, 1024));
    ck_assert(!grow_room(&grow, SIZE_MAX));
    grow_release(&grow);
}
END_TEST

/* More than the address space holds is cut down, not refused; a single huge element is refused. */
START_TEST(takes_what_there_is)
{
    struct grow grow;
    ck_assert(grow_init(&grow, 8, (size_t)1 << 50));
    ck_assert_uint_ge(grow.maximum, 1024);
    ck_assert_uint_le(grow.maximum, (size_t)1 << 50);
    grow_release(&grow);
    ck_assert(!grow_init(&grow, (size_t)1 << 50, 1024));
    ck_assert_ptr_null(grow.base);
}
END_TEST

/* Rule 3: memory is exhausted, exit code 6. */
START_TEST(past_the_end)
{
    struct grow grow;
    ck_assert(grow_init(&grow, 8, 1024));
    grow_push(&grow, 1025);
}
END_TEST

static Suite *grow_suite(void)
{
    Suite *suite = suite_create("grow");
    TCase *tcase = tcase_create("grow");
    tcase_add_test(tcase, never_moves_and_starts_zero);
    tcase_add_test(tcase, pushes_of_any_size);
    tcase_add_loop_test(tcase, least, 0, 2);
    tcase_add_test(tcase, takes_what_there_is);
    tcase_add_exit_test(tcase, past_the_end, 6);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(grow_suite())
