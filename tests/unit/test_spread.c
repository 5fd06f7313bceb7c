/* spread: every field of a rank's time is a category, and what the ranks have of each. */
#include "tests/unit/unit.h"

#include <string.h>

#include "report/spread.h"

static const struct time_category *find(const char *key)
{
    for (uint32_t i = 0; i < time_category_count; i++) {
        if (strcmp(time_categories[i].key, key) == 0)
            return &time_categories[i];
    }
    ck_abort_msg("no category %s", key);
    return NULL;
}

/* The exclusive categories are those that result_check() adds up: each once, none left out. */
START_TEST(exclusive_ones_are_the_sum)
{
    struct rank_result rank = {0};
    time_ps sum = 0;
    for (uint32_t i = 0; i < time_category_count; i++) {
        const struct time_category *category = &time_categories[i];
        time_ps value = (time_ps)1 << i;
        memcpy((char *)&rank + category->offset, &value, sizeof value);
        sum += category->group == TIME_EXCLUSIVE ? value : 0;
    }
    ck_assert_uint_eq(rank_result_sum(&rank), sum);
    for (uint32_t i = 0; i < time_category_count; i++)
        ck_assert_uint_eq(time_of(&rank, &time_categories[i]), (time_ps)1 << i);
}
END_TEST

START_TEST(keys_differ)
{
    for (uint32_t i = 0; i < time_category_count; i++) {
        ck_assert_ptr_eq(find(time_categories[i].key), &time_categories[i]);
        ck_assert_ptr_null(strchr(time_categories[i].key, ' '));
        ck_assert_ptr_null(strchr(time_categories[i].key, '-'));
    }
}
END_TEST

static const struct {
    time_ps host[4]; /* of four ranks, each its own class */
    struct spread spread;
} rows[] = {
    {{0, 0, 0, 0}, {0, 0, 0, 0}},
    {{5, 5, 5, 5}, {5, 5, 5, 0}},
    {{1, 2, 3, 4}, {1, 2, 4, 3}}, /* 10 / 4 is rounded down */
    {{4, 9, 9, 0}, {0, 5, 9, 1}}, /* the first of equals */
    {{TIME_NEVER, TIME_NEVER, TIME_NEVER, TIME_NEVER}, {TIME_NEVER, TIME_NEVER, TIME_NEVER, 0}},
};

START_TEST(over_the_ranks)
{
    struct rank_result ranks[4] = {{0}};
    static const uint32_t classes[] = {0, 1, 2, 3};
    for (int r = 0; r < 4; r++)
        ranks[r].host_ps = rows[_i].host[r];
    struct run_result result = {
        .rank_count = 4, .class_count = 4, .class_of_rank = classes, .class_result = ranks};
    struct spread spread = spread_of(&result, find("host"));
    ck_assert_uint_eq(spread.least, rows[_i].spread.least);
    ck_assert_uint_eq(spread.mean, rows[_i].spread.mean);
    ck_assert_uint_eq(spread.most, rows[_i].spread.most);
    ck_assert_uint_eq(spread.most_rank, rows[_i].spread.most_rank);
}
END_TEST

/* A class counts as often as it has ranks: (3 x 8 + 1 x 2) / 4 = 6.5. */
START_TEST(folded_ranks_count)
{
    struct rank_result ranks[2] = {{.idle_ps = 8}, {.idle_ps = 2}};
    static const uint32_t classes[] = {0, 0, 1, 0};
    struct run_result result = {
        .rank_count = 4, .class_count = 2, .class_of_rank = classes, .class_result = ranks};
    struct spread spread = spread_of(&result, find("idle"));
    ck_assert_uint_eq(spread.mean, 6);
    ck_assert_uint_eq(spread.least, 2);
    ck_assert_uint_eq(spread.most_rank, 0);
    result.rank_count = 0;
    spread = spread_of(&result, find("idle"));
    ck_assert_uint_eq(spread.least + spread.mean + spread.most + spread.most_rank, 0);
}
END_TEST

/* 156250 ns of all four ranks are 39062.5 ns of each; what no clock holds is "never". */
START_TEST(share_of_a_dimension)
{
    const struct dimension_row row = {.ideal_busy_ns = 156250}, large = {.ideal_busy_ns = 1e30};
    struct run_result result = {.rank_count = 4};
    ck_assert_uint_eq(share_at_link_rate(&result, &row), 39062500);
    ck_assert_uint_eq(share_at_link_rate(&result, &large), TIME_NEVER);
    result.rank_count = 0;
    ck_assert_uint_eq(share_at_link_rate(&result, &row), 156250000);
}
END_TEST

static Suite *spread_suite(void)
{
    Suite *suite = suite_create("spread");
    TCase *tcase = tcase_create("spread");
    tcase_add_test(tcase, exclusive_ones_are_the_sum);
    tcase_add_test(tcase, keys_differ);
    tcase_add_loop_test(tcase, over_the_ranks, 0, (int)(sizeof rows / sizeof *rows));
    tcase_add_test(tcase, folded_ranks_count);
    tcase_add_test(tcase, share_of_a_dimension);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(spread_suite())
