/* text_tables: each table of the text report by itself, and nothing where there is nothing. */
#include "tests/unit/unit.h"

#include <string.h>

#include "report/text_tables.h"

static struct rank_result ranks[2];
static const uint32_t classes[] = {0, 1, 0};
static struct run_result result;

static void begin(void)
{
    memset(ranks, 0, sizeof ranks);
    result = (struct run_result){.rank_count = 3,
                                 .class_count = 2,
                                 .class_of_rank = classes,
                                 .class_result = ranks,
                                 .end_ps = 4000};
}

static char *printed(void (*print)(const struct run_result *, FILE *))
{
    static char text[4096];
    memset(text, 0, sizeof text);
    FILE *out = fmemopen(text, sizeof text, "w");
    print(&result, out);
    fclose(out);
    return text;
}

START_TEST(empty_tables_print_nothing)
{
    ck_assert_str_eq(printed(text_breakdown), "");
    ck_assert_str_eq(printed(text_overlapped), "");
    ck_assert_str_eq(printed(text_collectives), "");
    ck_assert_str_eq(printed(text_groups), "");
    ck_assert_str_eq(printed(text_dimensions), "");
}
END_TEST

START_TEST(breakdown)
{
    ranks[0] = (struct rank_result){.finish_ps = 3000, .compute_ps = 3000};
    ranks[1] = (struct rank_result){.finish_ps = 4000, .compute_ps = 1000, .host_ps = 3000};
    const char *text = printed(text_breakdown);
    ck_assert_str_eq(
        text, "breakdown: time of each rank by what it did, each moment counted once\n"
              "                   least      mean      most  most on rank  mean/makespan\n"
              "  compute       1.000 ns  2.333 ns  3.000 ns             0        58.33 %\n"
              "  host                 0  1.000 ns  3.000 ns             1        25.00 %\n"
              "  sum = finish  3.000 ns  3.333 ns  4.000 ns             1        83.33 %\n\n");
    result.end_ps = 0; /* no share of nothing */
    ck_assert_ptr_nonnull(strstr(printed(text_breakdown), "  0.00 %\n"));
}
END_TEST

START_TEST(overlapped_is_apart)
{
    ranks[1].overlapped_ps[COMM_SEND] = 600;
    const char *text = printed(text_overlapped);
    ck_assert_ptr_nonnull(
        strstr(text, "  overlapped send      0  200 ps  600 ps             1         5.00 %\n"));
    ck_assert_str_eq(printed(text_breakdown), "");
}
END_TEST

/* Means are per instance; a row without instances does not divide by zero. */
START_TEST(collectives)
{
    struct collective_row rows[] = {
        {.kind = COLL_ALL_GATHER,
         .group_size = 2,
         .algorithm = "ring",
         .count = 4,
         .bytes = 4000,
         .time_ps = 8000,
         .most_ps = 5000,
         .skew_ps = 400,
         .algorithm_Bps = 1.5e9,
         .bus_Bps = 0.75e9},
        {.kind = COLL_BARRIER, .group_size = 2, .algorithm = "fixed"},
    };
    result.collective = rows;
    result.collective_count = 2;
    const char *text = printed(text_collectives);
    ck_assert_ptr_nonnull(strstr(text, "  all-gather      2  ring           4  1.000 kB  2.000 ns "
                                       " 5.000 ns  100 ps   1.50   0.75\n"));
    ck_assert_ptr_nonnull(strstr(text, "  barrier         2  fixed          0       0 B         0 "
                                       "        0       0      -      -\n"));
}
END_TEST

START_TEST(groups)
{
    struct group_row rows[] = {{"dp", 8, 2, 6, 3e6, 1500}};
    result.group = rows;
    result.group_count = 1;
    ck_assert_str_eq(printed(text_groups),
                     "communicator groups: collectives and bytes of all, mean time of a group\n"
                     "      groups  ranks  collectives     bytes  time in them\n"
                     "  dp       2      8            6  3.000 MB        750 ps\n\n");
}
END_TEST

/* 6 ns of all three ranks are 2 ns of one. */
START_TEST(dimensions)
{
    struct dimension_row rows[] = {{0, "Switch", 3, 12, 768, 6}};
    result.dimension = rows;
    result.dimension_count = 1;
    ck_assert_str_eq(printed(text_dimensions), ""); /* no message was sent */
    result.messages = 12;
    ck_assert_ptr_nonnull(strstr(printed(text_dimensions),
                                 "    0  Switch     3        12  768 B               2.000 ns\n"));
}
END_TEST

START_TEST(compute_by_class)
{
    struct compute_row rows[] = {{"gemm", OP_CLASS_GEMM, 6, 0, 3e3, 6e9},
                                 {"roofline", OP_CLASS_NORM, 3, 3, 1e30, 0}};
    result.compute = rows;
    result.compute_count = 2;
    ck_assert_str_eq(printed(text_compute),
                     "compute by class of op and the model that timed it: ops of all ranks, mean "
                     "time of a rank\n"
                     "        model     ops  extrapolated      time    share  Tflop/s\n"
                     "  gemm  gemm        6             0  1.000 us    0.0 %   2000.0\n"
                     "  norm  roofline    3             3     never  100.0 %      0.0\n\n");
}
END_TEST

START_TEST(ranks_of_all_classes)
{
    ranks[0] = (struct rank_result){.finished = true, .finish_ps = 3000, .compute_ps = 1000};
    ranks[0].exposed_ps[COLL_ALL_REDUCE] = 500;
    ranks[0].exposed_ps[COMM_RECV] = 250;
    ranks[1] = (struct rank_result){.waiting_ps = 700, .idle_ps = 1};
    ck_assert_str_eq(
        printed(text_ranks),
        "ranks\n"
        "  rank      finish   compute  exposed  waiting  memory  host  idle  overlapped\n"
        "     0    3.000 ns  1.000 ns   750 ps        0       0     0     0           0\n"
        "     1  unfinished         0        0   700 ps       0     0  1 ps           0\n"
        "     2    3.000 ns  1.000 ns   750 ps        0       0     0     0           0\n\n");
}
END_TEST

static Suite *text_tables_suite(void)
{
    Suite *suite = suite_create("text_tables");
    TCase *tcase = tcase_create("text_tables");
    tcase_add_checked_fixture(tcase, begin, NULL);
    tcase_add_test(tcase, empty_tables_print_nothing);
    tcase_add_test(tcase, breakdown);
    tcase_add_test(tcase, overlapped_is_apart);
    tcase_add_test(tcase, collectives);
    tcase_add_test(tcase, groups);
    tcase_add_test(tcase, dimensions);
    tcase_add_test(tcase, compute_by_class);
    tcase_add_test(tcase, ranks_of_all_classes);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(text_tables_suite())
