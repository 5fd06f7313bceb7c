/* Sides of every kind from text, and what aligns: the small cases of src/compare. */
#include "tests/unit/unit.h"

#include <string.h>

#include "compare/comparison.h"
#include "compare/kinds.h"
#include "compare/sides.h"
#include "compare/tolerance.h"
#include "model/op.h"

struct two {
    struct names words;
    struct outcome a, b;
    struct comparison comparison;
    struct diag diag;
};

static const struct side_options usual = {0};

static enum status parse(struct outcome *side, const char *text, struct diag *diag)
{
    return side_parse(side, "side", text, strlen(text), &usual, diag);
}

static void two_begin(struct two *two)
{
    *two = (struct two){.diag = DIAG_NONE};
    names_init(&two->words);
    outcome_init(&two->a, &two->words);
    outcome_init(&two->b, &two->words);
}

static void two_end(struct two *two)
{
    outcome_release(&two->b);
    outcome_release(&two->a);
    names_release(&two->words);
}

static void two_compare(struct two *two, const char *a, const char *b, enum align_by align)
{
    const struct compare_how how = {align, false};
    two_begin(two);
    ck_assert_msg(parse(&two->a, a, &two->diag) == STATUS_OK, "%s", two->diag.message);
    ck_assert_msg(parse(&two->b, b, &two->diag) == STATUS_OK, "%s", two->diag.message);
    ck_assert_int_eq(comparison_make(&two->comparison, &two->a, &two->b, &how, &two->diag),
                     STATUS_OK);
}

/* -- logs of ASTRA-sim ------------------------------------------------------------------------ */

static const char log_text[] =
    "ring of node 0, id: 0 dimension: local total nodes in ring: 4 index in ring: 0\n"
    "[2026-03-26 10:00:00.123] [workload] [info] sys[1] finished, 22240 cycles, exposed "
    "communication 22000 cycles.\r\n"
    "sys[1]. Post statistics processing start.\n"
    "sys[1], Wall time: 22240\n"
    "[workload] [info] sys[1], GPU time: 240\n"
    "sys[1], Comm time: 22000\n"
    "sys[0] finished, 100 cycles, exposed communication 18446744073709551516 cycles.\n"
    "Exiting\n";

/* 18446744073709551516 is 2^64 - 100: 100 cycles less 200 of compute. */
START_TEST(a_log)
{
    struct two two;
    two_begin(&two);
    ck_assert_int_eq(parse(&two.a, log_text, &two.diag), STATUS_OK);
    ck_assert_str_eq(two.a.kind, "ASTRA-sim log");
    ck_assert_uint_eq(two.a.rank_count, 2);
    ck_assert_int_eq(two.a.rank[0].figure_ps[RANK_FINISH], 100000);
    ck_assert_int_eq(two.a.rank[0].figure_ps[RANK_EXPOSED], -100000);
    ck_assert_int_eq(two.a.rank[0].figure_ps[RANK_COMPUTE_SUM], 200000);
    ck_assert_int_eq(two.a.rank[0].figure_ps[RANK_COMPUTE], OUTCOME_UNSAID);
    ck_assert_int_eq(two.a.rank[1].figure_ps[RANK_COMPUTE], 240000);
    ck_assert_int_eq(two.a.rank[1].figure_ps[RANK_COMMUNICATION], 22000000);
    ck_assert_int_eq(two.a.end_ps, 22240000);
    ck_assert_uint_eq(two.a.notices.count, 1); /* wall time */
    two_end(&two);
}
END_TEST

/* Before there was exposed communication. */
START_TEST(an_older_log)
{
    struct two two;
    two_begin(&two);
    const char *text = "sys[62] finished, 6749042 cycles\nsys[0] finished, 5 cycles\r\n";
    ck_assert_int_eq(parse(&two.a, text, &two.diag), STATUS_OK);
    ck_assert_uint_eq(two.a.rank_count, 2);
    ck_assert_int_eq(two.a.end_ps, 6749042000);
    ck_assert_int_eq(two.a.rank[1].figure_ps[RANK_EXPOSED], OUTCOME_UNSAID);
    ck_assert_int_eq(two.a.rank[1].figure_ps[RANK_COMPUTE_SUM], OUTCOME_UNSAID);
    two_end(&two);
}
END_TEST

/* Debug lines: node 7 runs twice; a name with commas; node 8 never ends; rank 1 does not finish. */
START_TEST(ops_of_a_log)
{
    static const char text[] =
        "[workload] [debug] issue,sys->id=0, tick=10, node->id=7, node->name=a, b, "
        "node->type=4, node->type=4\n"
        "issue,sys->id=1, tick=10, node->id=7, node->name=x, node->type=4\n"
        "issue,sys->id=0, tick=11, node->id=8, node->name=c, node->type=7\n"
        "callback,sys->id=0, tick=30, node->id=7, node->name=a, b, node->type=4, node->type=4\n"
        "callback,sys->id=1, tick=12, node->id=7, node->name=x, node->type=4\n"
        "issue,sys->id=0, tick=40, node->id=7, node->name=again, node->type=5\n"
        "callback,sys->id=0, tick=45, node->id=7, node->name=again, node->type=5\n"
        "sys[0] finished, 45 cycles, exposed communication 25 cycles.\n";
    struct two two;
    two_begin(&two);
    ck_assert_msg(parse(&two.a, text, &two.diag) == STATUS_OK, "%s", two.diag.message);
    ck_assert_uint_eq(two.a.op_count, 2);
    ck_assert_str_eq(outcome_word(&two.a, two.a.op[0].name), "a, b, node->type=4");
    ck_assert_int_eq(two.a.op[0].begin_ps, 10000);
    ck_assert_int_eq(two.a.op[0].duration_ps, 20000);
    ck_assert(two.a.op[0].is_compute && !two.a.op[1].is_compute);
    ck_assert_str_eq(outcome_word(&two.a, two.a.op[1].class), "send");
    ck_assert_uint_eq(two.a.rank_count, 1);
    ck_assert_int_eq(two.a.rank[0].figure_ps[RANK_COMMUNICATION], 5000);
    ck_assert_uint_eq(two.a.notices.count, 2); /* node 8; rank 1 */
    two_end(&two);
}
END_TEST

static const struct {
    const char *text, *message;
    uint64_t line;
} bad_sides[] = {
    {"", "the file is empty", 0},
    {"hello\n", "no kind of result", 0},
    {"sys[0] finished, 22", "cut or damaged", 1},
    {"x\nsys[0] finished, 22240 cycles, exposed communication -1 cycles.\n", "cut or damaged", 2},
    {"sys[0] finished, 22240 cycles, exposed com", "cut or damaged", 1},
    {"sys[0] finished, 22240 cycles or more", "cut or damaged", 1},
    {"sys[x] finished", "expected a rank's number", 1},
    {"sys[0] finished, 99999999999999999 cycles, exposed communication 0 cycles.\n", "106 days", 1},
    {"sys[0] finished, 5 cycles, exposed communication 5 cycles.\n"
     "sys[0] finished, 6 cycles, exposed communication 5 cycles.\n",
     "a second time", 2},
    {"sys[0], Comm time: soon\n", "expected a number of cycles", 1},
    {"issue,sys->id=0, tick=5, node->id=1, node->na", "cut or damaged", 1},
    {"issue,sys->id=0, tick=x, node->id=1, node->name=a, node->type=4\n", "damaged", 1},
    {"callback,sys->id=0, tick=5, node->name=a, node->id=1, node->type=4\n", "damaged", 1},
    {"sys[0], Comm time: 5\n", "no rank finished", 0},
    {"# schema orrery.ranks/1, x\nrank,finished,finish_ps\n0,1\n", "2 fields, of 3", 3},
    {"# schema orrery.ranks/1, x\nrank,finish_ps\n0,5,6\n", "more fields", 3},
    {"# schema orrery.ranks/1, x\nrank,finish_ps\n0,soon\n", "finish_ps: expected a whole", 3},
    {"# schema orrery.ranks/1, x\nfinish_ps\n", "expected a column \"rank\"", 2},
    {"# schema orrery.ranks/1, x\nrank,finish_ps\n0,5\n0,5\n", "two results of rank 0", 0},
    {"# schema orrery.ranks/1, x\nrank,finish_ps\n0,18446744073709551615\n", "106 days", 3},
    {"step,time\n0,5\n", "expected a time with its unit", 2},
    {"step,time_ms\n0,fast\n", "expected a time, found \"fast\"", 2},
    {"step,time_ms\n0\n", "1 fields, where the heading has 2", 2},
    {"step,time_ms\none,5\n", "expected a step's number", 2},
    {"step,time_ms\n", "no step in it", 0},
    {"{\"schema_version\": \"orrery.run/1\", \"ranks\": [{\"rank\": 0,", "does not end", 0},
    {"{\"schema_version\": \"orrery.run/1\", \"ranks\": [{\"rank\" 0}]}", "in what begins here", 0},
    {"{\"schema_version\": \"orrery.run/1\", \"ranks\": [{\"finish_ps\": 0}]}", "has no number", 0},
    {"{\"schema_version\": \"orrery.run/1\", \"end_ps\": \"late\"}", "expected", 0},
    {"{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"dur\": 1}]}", "as \"ts\"", 0},
    {"{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"ts\": 1}]}", "as \"dur\"", 0},
    {"{\"traceEvents\": [5]}", "expected a map", 0},
    {"{\"traceEvents\": []}", "neither device events nor steps", 0},
    {"{\"traceEvents\": [}", "expected a value", 0},
    {"{\"deviceProperties\": []}", "no \"traceEvents\"", 0},
};

START_TEST(bad_side)
{
    struct two two;
    two_begin(&two);
    ck_assert_int_eq(parse(&two.a, bad_sides[_i].text, &two.diag), STATUS_BAD_INPUT);
    ck_assert_msg(strstr(two.diag.message, bad_sides[_i].message) != NULL, "%s", two.diag.message);
    ck_assert_str_eq(two.diag.file, "side");
    if (bad_sides[_i].line)
        ck_assert_uint_eq(two.diag.at, bad_sides[_i].line);
    two_end(&two);
}
END_TEST

/* Every beginning of a good side is a side or one clear message. */
START_TEST(every_cut)
{
    static const char *const texts[] = {
        log_text,
        "# schema orrery.ranks/1, x\nrank,finished,finish_ps,compute_ps\n0,1,50,6\n1,1,60,7\n",
        "{\"schema_version\": \"orrery.run/1\", \"end_ps\": 7, \"collectives\": [{\"kind\": "
        "\"all-reduce\", \"group_size\": 4, \"count\": 2, \"time_ps\": 9}], \"ranks\": [{\"rank\": "
        "0, \"finished\": true, \"finish_ps\": 7}]}",
        "step,rank,time (us)\n0,0,5.5\n0,1,6\n",
        "{\"traceEvents\": [{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"a\\\"b\", \"ts\": "
        "1.5, \"dur\": 2, \"args\": {\"stream\": 7}}]}",
    };
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        for (size_t length = 0; length <= strlen(texts[t]); length++) {
            struct two two;
            two_begin(&two);
            enum status status = side_parse(&two.a, "cut", texts[t], length, &usual, &two.diag);
            ck_assert_int_eq(status, two.diag.status);
            ck_assert(status == STATUS_OK || two.diag.message[0]);
            ck_assert(length < strlen(texts[t]) || status == STATUS_OK);
            two_end(&two);
        }
    }
}
END_TEST

/* -- alignment -------------------------------------------------------------------------------- */

#define RANKS "# schema orrery.ranks/1, x\nrank,finished,finish_ps,compute_sum_ps\n"

START_TEST(ranks_align_by_number)
{
    struct two two;
    two_compare(&two, RANKS "0,1,100999,0\n2,1,200000,0\n3,1,7,0\n4,0,9,0\n",
                "sys[2] finished, 201 cycles, exposed communication 201 cycles.\n"
                "sys[0] finished, 100 cycles, exposed communication 100 cycles.\n"
                "sys[1] finished, 5 cycles, exposed communication 5 cycles.\n",
                ALIGN_AUTO);
    const struct comparison *both = &two.comparison;
    ck_assert_uint_eq(both->ranks_both, 2);
    ck_assert_uint_eq(both->ranks_equal, 1);
    ck_assert_uint_eq(both->only_a_count, 1); /* rank 4 did not finish */
    ck_assert_uint_eq(both->only_a[0], 3);
    ck_assert_uint_eq(both->only_b_count, 1);
    ck_assert_uint_eq(both->only_b[0], 1);
    const struct compare_row *row = comparison_find(both, COMPARE_RANKS, "finish");
    ck_assert_str_eq(row->worst, "rank 2");
    ck_assert_double_eq_tol(row->error.worst_percent, 100.0 * -1 / 201, 1e-9);
    comparison_release(&two.comparison);
    two_end(&two);
}
END_TEST

#define EVENT(rank, name, ts, dur, args)                                                           \
    "{\"ph\": \"X\", \"cat\": \"compute\", \"name\": \"" name "\", \"pid\": " #rank                \
    ", \"ts\": " #ts ", \"dur\": " #dur ", \"args\": {" args "}}"
#define TIMELINE(events) "{\"otherData\": {\"orrery\": \"0\"}, \"traceEvents\": [" events "]}"

/* The second "f" of A (by begin, not by place) stands beside the second of B. */
START_TEST(ops_align_by_occurrence)
{
    struct two two;
    two_compare(&two,
                TIMELINE(EVENT(0, "f", 20, 3, "") "," EVENT(0, "f", 0, 1, "") "," EVENT(
                    0, "g", 5, 1, "\"class\": \"gemm\"")),
                TIMELINE(EVENT(0, "f", 0, 1, "") "," EVENT(0, "f", 9, 2, "") "," EVENT(
                    1, "f", 9, 2, "") "," EVENT(0, "g", 9, 4, "\"class\": \"gemm\"")),
                ALIGN_AUTO);
    const struct comparison *both = &two.comparison;
    const struct compare_row *all = comparison_find(both, COMPARE_OPS, "all ops");
    ck_assert_uint_eq(all->error.pairs, 3);
    ck_assert_uint_eq(all->error.equal, 1);
    ck_assert_uint_eq(all->only_b, 1);
    ck_assert_double_eq(all->only_b_ps, 2e6);
    ck_assert_str_eq(all->worst, "rank 0, g #0"); /* 1 against 4 us: -75 %; f: 50 % */
    ck_assert_uint_eq(both->wide_op_count, 2);
    ck_assert_str_eq(both->wide_op[0].which, "rank 0, g #0"); /* 3 us apart; f: 1 us */
    ck_assert_int_eq(both->wide_op[1].a_ps, 3000000);
    ck_assert_double_eq(comparison_find(both, COMPARE_OPS, "compute")->error.worst_percent, 50);
    ck_assert_str_eq(comparison_find(both, COMPARE_OPS, "compute")->worst, "rank 0, f #1");
    ck_assert_double_eq(comparison_find(both, COMPARE_OPS, "gemm")->error.worst_percent, -75);
    comparison_release(&two.comparison);
    two_end(&two);
}
END_TEST

START_TEST(ops_align_by_class_where_names_differ)
{
    struct two two;
    const char *a = TIMELINE(EVENT(0, "f", 0, 1, "\"class\": \"gemm\""));
    const char *b = TIMELINE(EVENT(0, "kernel", 0, 2, "\"class\": \"gemm\""));
    two_compare(&two, a, b, ALIGN_AUTO);
    ck_assert_int_eq(two.comparison.align, ALIGN_CLASS);
    ck_assert_double_eq(comparison_find(&two.comparison, COMPARE_OPS, "gemm")->error.mean_percent,
                        -50);
    comparison_release(&two.comparison);
    two_end(&two);
    two_compare(&two, a, b, ALIGN_NAME);
    ck_assert_uint_eq(comparison_find(&two.comparison, COMPARE_OPS, "all ops")->error.pairs, 0);
    comparison_release(&two.comparison);
    two_end(&two);
}
END_TEST

/* Compute 0-4 and 2-6, communication 5-9 us: compute 6 of a sum of 8, communication 4, alone 3. */
START_TEST(figures_of_ops)
{
    struct two two;
    two_begin(&two);
    const char *text =
        "{\"otherData\": {\"orrery\": \"0\"}, \"traceEvents\": [" EVENT(7, "a", 0, 4, "") "," EVENT(
            7, "b", 2, 4, "") ", {\"ph\": \"X\", \"cat\": \"collective\", \"name\": \"c\", "
                              "\"pid\": 7, \"ts\": 5, \"dur\": 4.000001}]}";
    ck_assert_int_eq(parse(&two.a, text, &two.diag), STATUS_OK);
    const int64_t *figure = two.a.rank[0].figure_ps;
    ck_assert_int_eq(figure[RANK_COMPUTE], 6000000);
    ck_assert_int_eq(figure[RANK_COMPUTE_SUM], 8000000);
    ck_assert_int_eq(figure[RANK_COMMUNICATION], 4000001);
    ck_assert_int_eq(figure[RANK_ALONE], 3000001);
    ck_assert_int_eq(figure[RANK_FINISH], 9000001);
    ck_assert_int_eq(figure[RANK_EXPOSED], 1000001);
    two_end(&two);
}
END_TEST

#define KERNEL(name, ts, dur, args)                                                                \
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"" name "\", \"pid\": 0, \"ts\": " #ts        \
    ", \"dur\": " #dur ", \"args\": {" args "}}"
#define STEP(number, ts, dur)                                                                      \
    "{\"ph\": \"X\", \"cat\": \"user_annotation\", \"name\": \"ProfilerStep#" #number              \
    "\", \"ts\": " #ts ", \"dur\": " #dur "}"

/* Of three steps of 10, 30 and 20 us, that of 20 is taken: two kernels of four. */
START_TEST(a_measured_trace)
{
    struct two two;
    two_begin(&two);
    const char *text =
        "{\"distributedInfo\": {\"rank\": 5, \"world_size\": 8}, \"traceEvents\": "
        "[" STEP(1, 1682725898000000, 10) "," STEP(2, 1682725898000010, 30) "," STEP(
            3, 1682725898000040,
            20) "," KERNEL("sm90_gemm", 1682725898000001.5, 2,
                           "") "," KERNEL("sm90_gemm", 1682725898000041.25, 3,
                                          "") "," KERNEL("ncclDevKernel_Generic", 1682725898000050,
                                                         4,
                                                         "\"Collective name\": "
                                                         "\"_allgather_base\", \"In msg "
                                                         "nelems\": 100, \"dtype\": "
                                                         "\"BFloat16\", \"Group size\": "
                                                         "4") "," KERNEL("sm90_gemm",
                                                                         1682725898000060, 3,
                                                                         "") "]}";
    ck_assert_msg(parse(&two.a, text, &two.diag) == STATUS_OK, "%s", two.diag.message);
    ck_assert_str_eq(two.a.kind, "Kineto trace");
    ck_assert_uint_eq(two.a.rank[0].rank, 5);
    ck_assert_uint_eq(two.a.op_count, 2);
    ck_assert_int_eq(two.a.op[0].begin_ps, 1250000);
    ck_assert_str_eq(outcome_word(&two.a, two.a.op[0].class), "gemm");
    ck_assert_int_eq(two.a.op[1].collective, COLL_ALL_GATHER);
    ck_assert_uint_eq(two.a.op[1].size_bytes, 200);
    ck_assert_uint_eq(two.a.op[1].group_size, 4);
    ck_assert_int_eq(two.a.rank[0].figure_ps[RANK_FINISH], 14000000);
    ck_assert_uint_eq(two.a.step_count, 3);
    two_end(&two);
}
END_TEST

/* Sums beside sums: 2 all-reduces of 3 us each against 2.5. */
START_TEST(collectives_of_reports)
{
    struct two two;
    const char *a = "{\"schema_version\": \"orrery.run/1\", \"end_ps\": 7, \"collectives\": "
                    "[{\"kind\": \"all-reduce\", \"group_size\": 4, \"count\": 2, \"time_ps\": "
                    "6000000}, {\"kind\": \"barrier\", \"group_size\": 4, \"count\": 1, "
                    "\"time_ps\": 5}]}";
    const char *b = "{\"schema_version\": \"orrery.run/1\", \"end_ps\": 7, \"collectives\": "
                    "[{\"kind\": \"all-reduce\", \"group_size\": 4, \"count\": 4, \"time_ps\": "
                    "10000000}]}";
    two_compare(&two, a, b, ALIGN_AUTO);
    const struct compare_row *row =
        comparison_find(&two.comparison, COMPARE_COLLECTIVES, "all-reduce, 4 ranks, mean");
    ck_assert_ptr_nonnull(row);
    ck_assert_double_eq_tol(row->error.worst_percent, 20, 1e-9);
    row = comparison_find(&two.comparison, COMPARE_COLLECTIVES, "barrier, 4 ranks, mean");
    ck_assert_uint_eq(row->only_a, 1);
    comparison_release(&two.comparison);
    two_end(&two);
}
END_TEST

/* -- limits and names -------------------------------------------------------------------------- */

static const struct {
    const char *limit;
    uint32_t beyond;
} limits[] = {
    {"0%", 3}, /* step, finish, ranks that are alone */
    {"10%", 1}, {"step=0.1%", 1}, {"step=1%", 0}, {"ops=50%", 1}, {"ranks=1 %,step=1%", 1},
};

START_TEST(limit)
{
    struct two two;
    struct tolerance tolerance;
    struct tolerance_verdict verdict;
    two_compare(&two, RANKS "0,1,100000,0\n1,1,200000,0\n",
                "sys[0] finished, 100 cycles, exposed communication 100 cycles.\n"
                "sys[1] finished, 201 cycles, exposed communication 201 cycles.\n"
                "sys[2] finished, 5 cycles, exposed communication 5 cycles.\n",
                ALIGN_AUTO);
    tolerance_init(&tolerance);
    ck_assert_int_eq(tolerance_parse(&tolerance, limits[_i].limit, &two.diag), STATUS_OK);
    tolerance_judge(&tolerance, &two.comparison, &verdict);
    ck_assert_uint_eq(verdict.beyond, limits[_i].beyond);
    comparison_release(&two.comparison);
    two_end(&two);
}
END_TEST

static const char *const bad_limits[] = {"5", "-1%", "", "x=5%", "step=", "5%%", "inf%", "1e%"};

START_TEST(bad_limit)
{
    struct tolerance tolerance;
    struct diag diag = DIAG_NONE;
    tolerance_init(&tolerance);
    ck_assert_int_eq(tolerance_parse(&tolerance, bad_limits[_i], &diag), STATUS_USAGE);
}
END_TEST

static const struct {
    const char *name;
    int64_t rank;
} names_of_files[] = {{"step.3.et", 3},
                      {"rank-34.Jul_15.1074.pt.trace.json.gz", 34},
                      {"a/b.5/trace.json", -1},
                      {"trace_rank7.json", 7},
                      {"x.12", 12},
                      {"v1.json", -1}};

START_TEST(rank_of_a_name)
{
    ck_assert_int_eq(side_rank_of_name(names_of_files[_i].name), names_of_files[_i].rank);
}
END_TEST

START_TEST(words)
{
    ck_assert_int_eq(kinds_find_collective("reduce_scatter_tensor_coalesced"), COLL_REDUCE_SCATTER);
    ck_assert_int_eq(kinds_find_collective("all_to_allv"), COLL_ALL_TO_ALL);
    ck_assert_int_eq(kinds_of_kernel("ncclKernel_SendRecv_RING_SIMPLE(ncclWorkElem)"), -1);
    ck_assert_int_eq(kinds_of_kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)"),
                     COLL_ALL_REDUCE);
    for (int kind = 0; kind < COLL_KIND_COUNT; kind++)
        ck_assert_int_eq(kinds_find_collective(collective_name((enum collective_kind)kind)), kind);
    ck_assert_uint_eq(kinds_type_bytes("c10::BFloat16"), 2);
    ck_assert_uint_eq(kinds_type_bytes("Float"), 4);
    ck_assert_uint_eq(kinds_type_bytes("wisdom"), 0);
}
END_TEST

static Suite *comparison_suite(void)
{
    Suite *suite = suite_create("comparison");
    TCase *cases = tcase_create("sides");
    tcase_add_test(cases, a_log);
    tcase_add_test(cases, an_older_log);
    tcase_add_test(cases, ops_of_a_log);
    tcase_add_loop_test(cases, bad_side, 0, sizeof bad_sides / sizeof *bad_sides);
    tcase_add_test(cases, every_cut);
    tcase_add_test(cases, ranks_align_by_number);
    tcase_add_test(cases, ops_align_by_occurrence);
    tcase_add_test(cases, ops_align_by_class_where_names_differ);
    tcase_add_test(cases, figures_of_ops);
    tcase_add_test(cases, a_measured_trace);
    tcase_add_test(cases, collectives_of_reports);
    tcase_add_loop_test(cases, limit, 0, sizeof limits / sizeof *limits);
    tcase_add_loop_test(cases, bad_limit, 0, sizeof bad_limits / sizeof *bad_limits);
    tcase_add_loop_test(cases, rank_of_a_name, 0, sizeof names_of_files / sizeof *names_of_files);
    tcase_add_test(cases, words);
    suite_add_tcase(suite, cases);
    return suite;
}

RUN_SUITE(comparison_suite())
