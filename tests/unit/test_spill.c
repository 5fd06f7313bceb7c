/* spill: the same array in memory (_i 0) and in a temporary file (_i 1). */
#include "tests/unit/unit.h"

#include <string.h>

#include "base/spill.h"

enum { MANY = 200000 };

START_TEST(grows_and_keeps)
{
    struct spill spill;
    spill_init(&spill, sizeof(uint64_t), _i == 1);
    for (uint64_t i = 0; i < MANY; i++) {
        uint64_t *to = spill_push(&spill, 1);
        ck_assert_ptr_nonnull(to);
        *to = i * i;
    }
    ck_assert_uint_eq(spill.count, MANY);
    ck_assert_uint_ge(spill.capacity, MANY);
    ck_assert_int_eq(spill.fd >= 0, _i == 1);
    spill_fit(&spill);
    ck_assert_uint_eq(spill.capacity, MANY);
    ck_assert_int_eq(spill.fd, -1); /* many traces do not need many descriptors */
    const uint64_t *data = spill.data;
    for (uint64_t i = 0; i < MANY; i++)
        ck_assert_uint_eq(data[i], i * i);
    spill_release(&spill);
    ck_assert_ptr_null(spill.data);
    ck_assert_uint_eq(spill.count + spill.capacity, 0);
}
END_TEST

START_TEST(reserved_room_does_not_move)
{
    struct spill spill;
    spill_init(&spill, 12, _i == 1);
    ck_assert(spill_reserve(&spill, 0));
    ck_assert(spill_reserve(&spill, 1000));
    char *first = spill_push(&spill, 400);
    char *second = spill_push(&spill, 600);
    ck_assert_ptr_eq(second, first + 400 * 12);
    ck_assert_ptr_eq(spill.data, first);
    memset(first, 0x5a, 1000 * 12);
    spill_release(&spill);
}
END_TEST

START_TEST(too_much_is_refused)
{
    struct spill spill;
    spill_init(&spill, 8, _i == 1);
    int *kept = spill_push(&spill, 1);
    ck_assert_ptr_nonnull(kept);
    *kept = 7;
    ck_assert(!spill_reserve(&spill, SIZE_MAX));
    ck_assert(!spill_reserve(&spill, SIZE_MAX / 4));
    ck_assert(!spill_reserve(&spill, SIZE_MAX / 16 + 1));
    ck_assert_ptr_null(spill_push(&spill, SIZE_MAX / 8));
    ck_assert_uint_eq(spill.count, 1);
    ck_assert_int_eq(*(int *)spill.data, 7); /* what was there stays */
    spill_release(&spill);
}
END_TEST

START_TEST(empty_is_released)
{
    struct spill spill;
    spill_init(&spill, 8, _i == 1);
    spill_fit(&spill);
    ck_assert_ptr_null(spill.data);
    spill_release(&spill);
    spill_release(&spill);
}
END_TEST

/* A folder that is not there is an error, not a file somewhere else. */
START_TEST(no_folder)
{
    struct spill spill;
    setenv("TMPDIR", "/no/such/folder", 1);
    spill_init(&spill, 8, true);
    ck_assert(!spill_reserve(&spill, 1));
    ck_assert_ptr_null(spill_push(&spill, 1));
    spill_release(&spill);
    setenv("TMPDIR", "", 1); /* empty: the default */
    ck_assert_ptr_nonnull(spill_push(&spill, 1));
    spill_release(&spill);
}
END_TEST

/* An array moved to a file in mid-growth keeps its elements, empty or not. */
START_TEST(moves_to_a_file)
{
    struct spill spill;
    spill_init(&spill, sizeof(uint64_t), false);
    for (uint64_t i = 0; i < 1000; i++)
        *(uint64_t *)spill_push(&spill, 1) = i;
    ck_assert(spill_page(&spill));
    ck_assert(spill_page(&spill));
    ck_assert(spill.paged);
    *(uint64_t *)spill_push(&spill, 1) = 1000;
    for (uint64_t i = 0; i <= 1000; i++)
        ck_assert_uint_eq(((uint64_t *)spill.data)[i], i);
    spill_release(&spill);
    spill_init(&spill, 1, false);
    ck_assert(spill_page(&spill));
    ck_assert_uint_eq(spill.count, 0);
    spill_release(&spill);
}
END_TEST

static Suite *spill_suite(void)
{
    Suite *suite = suite_create("spill");
    TCase *tcase = tcase_create("spill");
    tcase_add_loop_test(tcase, grows_and_keeps, 0, 2);
    tcase_add_loop_test(tcase, reserved_room_does_not_move, 0, 2);
    tcase_add_loop_test(tcase, too_much_is_refused, 0, 2);
    tcase_add_loop_test(tcase, empty_is_released, 0, 2);
    tcase_add_test(tcase, moves_to_a_file);
    tcase_add_test(tcase, no_folder);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(spill_suite())
