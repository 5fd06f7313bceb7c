#include "tests/unit/unit.h"

#include <string.h>

#include "stats/result.h"

/* Two ranks in one class: 5 compute + 3 exposed + 1 waiting + 1 idle = finish at 10. */
static struct rank_result good_rank(void)
{
    struct rank_result rank = {
        .finish_ps = 10, .compute_ps = 5, .waiting_ps = 1, .idle_ps = 1, .finished = true};
    rank.exposed_ps[COLL_ALL_REDUCE] = 2;
    rank.exposed_ps[COMM_RECV] = 1;
    rank.overlapped_ps[COLL_ALL_REDUCE] = 4; /* not part of the sum */
    rank.nodes[OP_COMPUTE] = 1;
    rank.nodes[OP_COLLECTIVE] = 2;
    return rank;
}

static const uint32_t one_class[2] = {0, 0};

static void good_result(struct run_result *result, struct rank_result *rank)
{
    result_init(result);
    *rank = good_rank();
    result->rank_count = result->finished_count = 2;
    result->class_count = 1;
    result->class_of_rank = one_class;
    result->class_result = rank;
    result->end_ps = 10;
    result->node_total = result->node_done = 6;
    result->bytes_sent = result->bytes_delivered = 4096;
}

START_TEST(sum_counts_exclusive_categories_only)
{
    struct rank_result rank = {.compute_ps = 1,
                               .waiting_ps = 2,
                               .memory_ps = 4,
                               .host_ps = 8,
                               .idle_ps = 16,
                               .finish_ps = 1000,
                               .compute_sum_ps = 1000000};
    rank.exposed_ps[0] = 32;
    rank.exposed_ps[COMM_KIND_COUNT - 1] = 64;
    rank.overlapped_ps[0] = 1000;
    ck_assert_uint_eq(rank_result_sum(&rank), 127);
}
END_TEST

START_TEST(lawful_run_passes)
{
    struct run_result result;
    struct rank_result rank;
    struct diag diag = DIAG_NONE;
    good_result(&result, &rank);
    ck_assert_int_eq(result_check(&result, &diag), STATUS_OK);
    ck_assert_int_eq(diag.status, STATUS_OK);
    result_release(&result);
}
END_TEST

/* Each row breaks one law by one unit and must be found, with both numbers in the message. */
enum broken { UNFINISHED, LOST_NODE, LOST_BYTE, WRONG_SUM, WRONG_NODES, WRONG_END, BROKEN_COUNT };
static const char *const broken_words[BROKEN_COUNT][2] = {
    [UNFINISHED] = {"1", "2"},  [LOST_NODE] = {"6", "5"},   [LOST_BYTE] = {"4096", "4095"},
    [WRONG_SUM] = {"11", "10"}, [WRONG_NODES] = {"8", "6"}, [WRONG_END] = {"10", "11"},
};

START_TEST(each_broken_law_is_named)
{
    struct run_result result;
    struct rank_result rank;
    struct diag diag = DIAG_NONE;
    good_result(&result, &rank);
    switch ((enum broken)_i) {
    case UNFINISHED:
        result.finished_count = 1;
        break;
    case LOST_NODE:
        result.node_done = 5;
        break;
    case LOST_BYTE:
        result.bytes_delivered = 4095;
        break;
    case WRONG_SUM:
        rank.idle_ps = 2;
        break;
    case WRONG_NODES:
        rank.nodes[OP_COMPUTE] = 2;
        break;
    case WRONG_END:
        result.end_ps = 11;
        break;
    case BROKEN_COUNT:
        break;
    }
    ck_assert_int_eq(result_check(&result, &diag), STATUS_LAW);
    ck_assert_int_eq(diag.status, STATUS_LAW);
    for (int word = 0; word < 2; word++)
        ck_assert_msg(strstr(diag.message, broken_words[_i][word]) != NULL, "no %s in: %s",
                      broken_words[_i][word], diag.message);
    if (_i == WRONG_SUM)
        ck_assert_int_eq(diag.rank, 0);
    result_release(&result);
}
END_TEST

START_TEST(byte_sums_beyond_2_53_may_round)
{
    struct run_result result;
    struct rank_result rank;
    struct diag diag = DIAG_NONE;
    good_result(&result, &rank);
    result.bytes_sent = 1e18;
    result.bytes_delivered = 1e18 + 1024;
    ck_assert_int_eq(result_check(&result, &diag), STATUS_OK);
    result.bytes_delivered = 1e18 + 4e9;
    ck_assert_int_eq(result_check(&result, &diag), STATUS_LAW);
    result_release(&result);
}
END_TEST

static Suite *result_suite(void)
{
    Suite *suite = suite_create("result");
    TCase *laws = tcase_create("laws");
    tcase_add_test(laws, sum_counts_exclusive_categories_only);
    tcase_add_test(laws, lawful_run_passes);
    tcase_add_loop_test(laws, each_broken_law_is_named, 0, BROKEN_COUNT);
    tcase_add_test(laws, byte_sums_beyond_2_53_may_round);
    suite_add_tcase(suite, laws);
    return suite;
}

RUN_SUITE(result_suite())
