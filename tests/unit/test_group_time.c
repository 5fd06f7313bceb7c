/* group_time: where the ranks of a group lie, and the library's time for them. */
#include "tests/unit/estimate_case.h"

static struct estimate_case c;

static double ask(uint32_t ranks, uint32_t stride, uint64_t bytes)
{
    return group_time_ns(&c.times, COLL_ALL_GATHER, bytes, (struct rank_group){ranks, stride});
}

START_TEST(a_node_is_the_tuners_node)
{
    case_open(&c);
    struct tuner_request request = {
        .kind = COLL_ALL_GATHER, .ranks = 8, .nodes = 1, .bytes = 8 << 20, .system = c.system};
    struct tuner_choice choice;
    ck_assert_int_eq(tuner_choose(&request, &choice, &c.diag), STATUS_OK);
    ck_assert_double_eq_tol(ask(8, 1, 1 << 20), choice.time_us * 1e3, 1e-6);
    ck_assert_uint_eq(group_domains(&c.times, (struct rank_group){8, 1}), 1);
    case_close(&c);
}
END_TEST

START_TEST(apart_means_one_nic_each)
{
    case_open(&c);
    /* 8 ranks of stride 8: one in each node. 8 x 64 MiB over a 50 GB/s NIC at least. */
    ck_assert_uint_eq(group_domains(&c.times, (struct rank_group){8, 8}), 8);
    double wire_ns = 7.0 * (64 << 20) / 50;
    ck_assert(ask(8, 8, 64 << 20) > wire_ns);
    ck_assert(ask(8, 8, 64 << 20) < 1.3 * wire_ns);
    /* Beyond a domain the stride no longer matters. */
    ck_assert_double_eq(ask(8, 8, 1 << 20), ask(8, 64, 1 << 20));
    /* 16 ranks of stride 2: four in each of four nodes. */
    ck_assert_uint_eq(group_domains(&c.times, (struct rank_group){16, 2}), 4);
    case_close(&c);
}
END_TEST

START_TEST(nothing_takes_no_time)
{
    case_open(&c);
    ck_assert_double_eq(ask(1, 1, 1 << 20), 0);
    ck_assert_double_eq(ask(8, 1, 0), 0);
    case_close(&c);
}
END_TEST

START_TEST(asked_again_the_same)
{
    case_open(&c);
    double first = ask(8, 1, 12345678);
    for (uint64_t bytes = 1; bytes < 40000; bytes++)
        ask(8, 1, bytes); /* more than the cache holds */
    ck_assert_double_eq(ask(8, 1, 12345678), first);
    case_close(&c);
}
END_TEST

START_TEST(ratio_stretches_transfers)
{
    case_open(&c);
    double plain = ask(8, 8, 64 << 20);
    struct group_times half;
    group_times_init(&half, c.system, 0.5, &c.arena);
    double slow = group_time_ns(&half, COLL_ALL_GATHER, 64 << 20, (struct rank_group){8, 8});
    ck_assert(slow > 1.9 * plain && slow < 2 * plain);
    /* A slice of four: the rest goes over the network. */
    group_times_init(&half, c.system, 1, &c.arena);
    half.domain = 4;
    ck_assert(group_time_ns(&half, COLL_ALL_GATHER, 1 << 20, (struct rank_group){8, 1}) >
              ask(8, 1, 1 << 20));
    case_close(&c);
}
END_TEST

static Suite *group_time_suite(void)
{
    Suite *suite = suite_create("group_time");
    TCase *all = tcase_create("all");
    tcase_add_test(all, a_node_is_the_tuners_node);
    tcase_add_test(all, apart_means_one_nic_each);
    tcase_add_test(all, nothing_takes_no_time);
    tcase_add_test(all, asked_again_the_same);
    tcase_add_test(all, ratio_stretches_transfers);
    suite_add_tcase(suite, all);
    return suite;
}

RUN_SUITE(group_time_suite())
