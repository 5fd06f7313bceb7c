/* top: against sorting everything, with many equal keys. */
#include "report/top.h"

#include "base/mix.h"
#include "tests/unit/unit.h"

enum { ROWS = 40, MOST = 8 };

static bool is_larger(const void *context, uint32_t a, uint32_t b)
{
    const uint32_t *key = context;
    return key[a] > key[b];
}

/* The dumb twin: how many rows must come before `row`. */
static uint32_t place_of(const uint32_t *key, uint32_t row)
{
    uint32_t place = 0;
    for (uint32_t i = 0; i < ROWS; i++)
        place += key[i] > key[row] || (key[i] == key[row] && i < row);
    return place;
}

START_TEST(as_sorted)
{
    uint64_t state = (uint64_t)_i;
    uint32_t key[ROWS], kept[MOST], most = (uint32_t)_i % (MOST + 1);
    for (uint32_t i = 0; i < ROWS; i++)
        key[i] = random_below(&state, 10);
    struct top top = {.row = kept, .most = most, .is_before = is_larger, .context = key};
    for (uint32_t i = 0; i < ROWS; i++)
        top_add(&top, i);
    ck_assert_uint_eq(top.count, most);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t place = place_of(key, i);
        if (place < most)
            ck_assert_uint_eq(kept[place], i);
    }
}
END_TEST

START_TEST(fewer_than_asked_for)
{
    static const uint32_t key[] = {3, 9};
    uint32_t kept[MOST];
    struct top top = {.row = kept, .most = MOST, .is_before = is_larger, .context = key};
    ck_assert_uint_eq(top.count, 0);
    top_add(&top, 0);
    top_add(&top, 1);
    ck_assert_uint_eq(top.count, 2);
    ck_assert_uint_eq(kept[0], 1);
    ck_assert_uint_eq(kept[1], 0);
}
END_TEST

static Suite *top_suite(void)
{
    Suite *suite = suite_create("top");
    TCase *rows = tcase_create("top");
    tcase_add_loop_test(rows, as_sorted, 0, 50);
    tcase_add_test(rows, fewer_than_asked_for);
    suite_add_tcase(suite, rows);
    return suite;
}

RUN_SUITE(top_suite())
