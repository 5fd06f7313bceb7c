/* timeline_ranks: lists as a user writes them. */
#include "tests/unit/unit.h"

#include "report/timeline_ranks.h"

static const struct row {
    const char *text;
    uint32_t count, first, last; /* count 0: refused */
} rows[] = {
    {"0", 1, 0, 0},
    {"7,0", 2, 0, 7},
    {"2-5,4-6", 5, 2, 6},
    {"9", 1, 9, 9},
    {"3-3", 1, 3, 3},
    {"", 0, 0, 0},
    {",", 0, 0, 0},
    {"1,", 0, 0, 0},
    {"5-2", 0, 0, 0},
    {"-1", 0, 0, 0},
    {"0-", 0, 0, 0},
    {"1 2", 0, 0, 0},
    {"0-10", 0, 0, 0},
    {"10", 0, 0, 0},
    {"99999999999999999999", 0, 0, 0},
    {"0-4294967296", 0, 0, 0},
};

START_TEST(lists_are_read)
{
    const struct row *row = &rows[_i];
    uint32_t *rank, count;
    struct diag diag = DIAG_NONE;
    enum status status = timeline_read_ranks(row->text, 10, &rank, &count, &diag);
    ck_assert_int_eq(status, row->count ? STATUS_OK : STATUS_USAGE);
    if (!row->count) {
        ck_assert_ptr_null(rank);
        return;
    }
    ck_assert_uint_eq(count, row->count);
    ck_assert_uint_eq(rank[0], row->first);
    ck_assert_uint_eq(rank[count - 1], row->last);
    for (uint32_t i = 1; i < count; i++)
        ck_assert_uint_lt(rank[i - 1], rank[i]);
    free(rank);
}
END_TEST

static Suite *suite(void)
{
    Suite *all = suite_create("timeline_ranks");
    TCase *tests = tcase_create("timeline_ranks");
    tcase_add_loop_test(tests, lists_are_read, 0, sizeof rows / sizeof *rows);
    suite_add_tcase(all, tests);
    return all;
}

RUN_SUITE(suite())
