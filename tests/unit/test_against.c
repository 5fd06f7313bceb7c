/* against: which rows of two runs are compared, and by how much they differ. */
#define _POSIX_C_SOURCE 200809L
#include "report/against.h"

#include <string.h>

#include "tests/unit/unit.h"

static struct collective_row row_of(enum collective_kind kind, uint32_t ranks, uint64_t count,
                                    time_ps time)
{
    return (struct collective_row){
        .kind = kind, .group_size = ranks, .algorithm = "ring", .count = count, .time_ps = time};
}

static char *text_of(struct run_result *result, struct run_result *other)
{
    const struct against against = {.result = other, .name = "analytical", .other_name = "flow"};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    against_text(result, &against, out);
    fclose(out);
    return text;
}

/* 10 us against 12 us is 20 % more; two all-reduces of 3 us on average against 1.5 us, half. */
START_TEST(means_and_differences)
{
    struct collective_row first = row_of(COLL_ALL_REDUCE, 8, 2, 6000000);
    struct collective_row second = row_of(COLL_ALL_REDUCE, 8, 2, 3000000);
    struct run_result result = {
        .end_ps = 10000000, .rank_count = 8, .collective = &first, .collective_count = 1};
    struct run_result other = {
        .end_ps = 12000000, .rank_count = 8, .collective = &second, .collective_count = 1};
    char *text = text_of(&result, &other);
    ck_assert_ptr_nonnull(
        strstr(text, "analytical against flow: makespan, and mean time of each kind"));
    ck_assert_ptr_nonnull(strstr(text, "10.00 us  12.00 us    +20.00 %\n"));
    ck_assert_ptr_nonnull(strstr(text, "3.000 us  1.500 us    -50.00 %\n"));
    free(text);
}
END_TEST

/* Nothing to divide by: no difference is said, not infinity. */
START_TEST(nothing_took_time)
{
    struct run_result result = {.rank_count = 1}, other = {.end_ps = 5, .rank_count = 1};
    char *text = text_of(&result, &other);
    ck_assert_ptr_nonnull(strstr(text, "+0.00 %\n"));
    ck_assert_ptr_null(strstr(text, "inf"));
    free(text);
}
END_TEST

/* Rows that are not of one collective are left out, and what only one run has. */
START_TEST(what_does_not_match_is_left_out)
{
    struct collective_row first[] = {row_of(COLL_ALL_REDUCE, 8, 1, 7000000),
                                     row_of(COLL_ALL_GATHER, 8, 1, 9000000)};
    struct collective_row second[] = {row_of(COLL_ALL_REDUCE, 8, 1, 7000000)};
    struct run_result result = {.rank_count = 8, .collective = first, .collective_count = 2};
    struct run_result other = {.rank_count = 8, .collective = second, .collective_count = 1};
    char *text = text_of(&result, &other);
    ck_assert_ptr_nonnull(strstr(text, "all-reduce"));
    ck_assert_ptr_null(strstr(text, "all-gather"));
    free(text);
    second[0] = row_of(COLL_ALL_REDUCE, 4, 1, 7000000);
    text = text_of(&result, &other);
    ck_assert_ptr_null(strstr(text, "all-reduce"));
    free(text);
}
END_TEST

/* `auto` may take two algorithms on one network and one on the other: all of a kind count. 2 of 3
 * us and 1 of 6 us are 4 us on average, against 5. What comes after is still compared. */
START_TEST(algorithms_of_a_kind_are_one_row)
{
    struct collective_row first[] = {row_of(COLL_ALL_REDUCE, 8, 2, 6000000),
                                     row_of(COLL_ALL_REDUCE, 8, 1, 6000000),
                                     row_of(COLL_ALL_GATHER, 8, 1, 1000000)};
    struct collective_row second[] = {row_of(COLL_ALL_REDUCE, 8, 3, 15000000),
                                      row_of(COLL_ALL_GATHER, 8, 1, 3000000)};
    first[1].algorithm = "binary-trees";
    struct run_result result = {.rank_count = 8, .collective = first, .collective_count = 3};
    struct run_result other = {.rank_count = 8, .collective = second, .collective_count = 2};
    char *text = text_of(&result, &other);
    ck_assert_ptr_nonnull(strstr(text, "several        3    4.000 us  5.000 us    +25.00 %\n"));
    ck_assert_ptr_nonnull(strstr(text, "ring           1    1.000 us  3.000 us   +200.00 %\n"));
    free(text);
}
END_TEST

START_TEST(json)
{
    struct collective_row row = row_of(COLL_ALL_REDUCE, 8, 2, 6000000);
    struct run_result result = {
        .end_ps = 10, .rank_count = 8, .collective = &row, .collective_count = 1};
    const struct against against = {.result = &result, .name = "flow", .other_name = "link"};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    struct json_writer writer;
    json_init(&writer, out);
    json_map_begin(&writer, NULL, JSON_LINES);
    against_json(&result, &against, &writer);
    json_map_end(&writer);
    fclose(out);
    ck_assert_ptr_nonnull(strstr(text, "\"network_model\": \"flow\""));
    ck_assert_ptr_nonnull(strstr(text,
                                 "{\"what\": \"makespan\", \"ranks\": 8, \"algorithm\": \"\", "
                                 "\"count\": 1, \"mean_ps\": 10, \"other_mean_ps\": 10}"));
    ck_assert_ptr_nonnull(strstr(text, "\"mean_ps\": 3000000, \"other_mean_ps\": 3000000}"));
    free(text);
}
END_TEST

static Suite *against_suite(void)
{
    Suite *suite = suite_create("against");
    TCase *tcase = tcase_create("against");
    tcase_add_test(tcase, means_and_differences);
    tcase_add_test(tcase, nothing_took_time);
    tcase_add_test(tcase, what_does_not_match_is_left_out);
    tcase_add_test(tcase, algorithms_of_a_kind_are_one_row);
    tcase_add_test(tcase, json);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(against_suite())
