/* Flow lists: patterns, files, checks. Running them is in test_flow_model. */
#include "tests/unit/unit.h"

#include <string.h>

#include "net/traffic/flow_file.h"
#include "net/traffic/pattern.h"

/* -- patterns ---------------------------------------------------------------------------------- */

static void make(struct traffic *traffic, const char *name, struct pattern_request request)
{
    struct diag diag = DIAG_NONE;
    traffic_init(traffic);
    ck_assert_msg(pattern_add(pattern_find(name), &request, traffic, &diag) == STATUS_OK, "%s",
                  diag.message);
    ck_assert_int_eq(traffic_check(traffic, request.npus, &diag), STATUS_OK);
}

static const struct {
    const char *name;
    uint32_t npus, count, flows, deps;
} sizes[] = {
    {"permutation", 10, 0, 10, 0},
    {"shift", 10, 0, 10, 0},
    {"bit-reversal", 8, 0, 4, 0}, /* 0, 2, 5, 7 are their own reversal */
    {"incast", 10, 0, 9, 0},
    {"incast", 10, 4, 4, 0},
    {"uniform", 10, 33, 33, 0},
    {"all-to-all", 5, 0, 20, 0},
    {"all-to-all-steps", 5, 0, 20, 15},
    {"ring", 5, 0, 40, 35},
    {"ring", 5, 3, 15, 10},
    {"recursive-doubling", 8, 0, 24, 16},
    {"halving-doubling", 8, 0, 48, 40},
    {"permutation", 2, 0, 2, 0},
    {"halving-doubling", 2, 0, 4, 2},
};

START_TEST(counts_of_flows)
{
    struct traffic traffic;
    struct pattern_request request = {
        .npus = sizes[_i].npus, .bytes = 1024, .count = sizes[_i].count};
    make(&traffic, sizes[_i].name, request);
    ck_assert_uint_eq(traffic_count(&traffic), sizes[_i].flows);
    ck_assert_uint_eq(traffic.deps.count, sizes[_i].deps);
    ck_assert_uint_ge(pattern_find(sizes[_i].name)->flows(&request), sizes[_i].flows);
    traffic_release(&traffic);
}
END_TEST

/* Whatever the seed, a permutation has one flow from and one to every NPU, none to itself. */
START_TEST(permutations_are_ones)
{
    struct traffic traffic;
    make(&traffic, "permutation", (struct pattern_request){.npus = 64, .seed = (uint64_t)_i});
    uint64_t from = 0, to = 0;
    for (uint32_t i = 0; i < 64; i++) {
        const struct traffic_flow *flow = traffic_flow(&traffic, i);
        ck_assert_uint_ne(flow->src, flow->dst);
        from |= (uint64_t)1 << flow->src;
        to |= (uint64_t)1 << flow->dst;
    }
    ck_assert(from == UINT64_MAX && to == UINT64_MAX);
    traffic_release(&traffic);
}
END_TEST

/* In an exchange a flow waits for the one that its sender gets in the step before. */
START_TEST(flows_wait_for_what_their_sender_got)
{
    static const char *const names[] = {"ring", "recursive-doubling", "halving-doubling"};
    struct traffic traffic;
    make(&traffic, names[_i], (struct pattern_request){.npus = 8, .bytes = 4096});
    for (uint32_t i = 0; i < traffic_count(&traffic); i++) {
        const struct traffic_flow *flow = traffic_flow(&traffic, i);
        for (uint32_t d = 0; d < flow->dep_count; d++) {
            uint32_t parent = *traffic_dep(&traffic, flow->first_dep + d);
            ck_assert_uint_eq(traffic_flow(&traffic, parent)->dst, flow->src);
            ck_assert_uint_lt(parent, i);
        }
    }
    traffic_release(&traffic);
}
END_TEST

static const struct {
    const char *name, *message;
    struct pattern_request request;
} misfits[] = {
    {"ring", "at least 2", {.npus = 1}},
    {"halving-doubling", "power of two", {.npus = 6}},
    {"incast", "at most 3 senders", {.npus = 4, .count = 4}},
    {"shift", "to itself", {.npus = 4, .offset = 8}},
};

START_TEST(patterns_that_do_not_fit)
{
    struct traffic traffic;
    struct diag diag = DIAG_NONE;
    traffic_init(&traffic);
    pattern_add(pattern_find(misfits[_i].name), &misfits[_i].request, &traffic, &diag);
    ck_assert_int_eq(diag.status, STATUS_USAGE);
    ck_assert_msg(strstr(diag.message, misfits[_i].message) != NULL, "%s", diag.message);
    ck_assert(pattern_find("no such") == NULL);
    traffic_release(&traffic);
}
END_TEST

/* -- files ------------------------------------------------------------------------------------- */

/* The same three flows in each form. */
static const char *const forms[] = {
    "id,src,dst,bytes,start,deps\n1,0,1,1kB,,\n\n# a comment\n2,1,2,10,1.5us,1\r\n7,2,0,0,,1;2\n",
    "deps,bytes,dst,src,id,start\n,1000,1,0,1,0\n1, 10 ,2,1,2,1500\n1 2,0,0,2,7,\n",
    "{\"id\": 1, \"src\": 0, \"dst\": 1, \"bytes\": 1000}\n"
    "{\"id\": 2, \"src\": 1, \"dst\": 2, \"bytes\": \"10B\", \"start\": \"1.5us\", \"deps\": [1]}\n"
    "{\"id\": 7, \"src\": 2, \"dst\": 0, \"bytes\": 0, \"deps\": [1, 2]}",
    "Nodes 3\nConnections 3\n0->1 id 1 start 0 size 1000 recv_done_trigger 4\n"
    "1->2 id 2 start 1500000 size 10 trigger 4 send_done_trigger 5\n"
    "2->0 id 7 size 0 trigger 5\ntrigger id 4 oneshot\n",
};

START_TEST(forms_of_a_file)
{
    struct traffic traffic;
    struct diag diag = DIAG_NONE;
    traffic_init(&traffic);
    flow_file_parse(&traffic, "flows", forms[_i], strlen(forms[_i]), &diag);
    ck_assert_msg(diag.status == STATUS_OK, "%s", diag.message);
    ck_assert_uint_eq(traffic_count(&traffic), 3);
    static const struct traffic_flow expected[] = {
        {.id = 1, .src = 0, .dst = 1, .bytes = 1000},
        {.id = 2, .src = 1, .dst = 2, .bytes = 10, .start_ps = 1500000},
        {.id = 7, .src = 2, .dst = 0},
    };
    for (uint32_t i = 0; i < 3; i++) {
        const struct traffic_flow *flow = traffic_flow(&traffic, i);
        ck_assert_uint_eq(flow->id, expected[i].id);
        ck_assert_uint_eq(flow->src, expected[i].src);
        ck_assert_uint_eq(flow->dst, expected[i].dst);
        ck_assert_uint_eq(flow->bytes, expected[i].bytes);
        ck_assert_uint_eq(flow->start_ps, expected[i].start_ps);
    }
    ck_assert_uint_eq(traffic_flow(&traffic, 1)->dep_count, 1);
    ck_assert_uint_eq(*traffic_dep(&traffic, traffic_flow(&traffic, 1)->first_dep), 0);
    ck_assert_uint_ge(traffic_flow(&traffic, 2)->dep_count, 1); /* the matrix names one */
    traffic_release(&traffic);
}
END_TEST

static const struct {
    const char *text, *field, *message;
    uint64_t line;
} bad[] = {
    {"", "", "no flows", 0},
    {"# nothing\n\n", "", "no flows", 2},
    {"src,dst,bytes\n", "", "no flows", 1},
    {"src,dst\n0,1\n", "bytes", "missing", 1},
    {"src,dst,bytes,src\n", "src", "twice", 1},
    {"src,dst,bytes,colour\n", "", "colour", 1},
    {"src,dst,bytes\n0,1\n", "", "expected 3 cells", 2},
    {"src,dst,bytes\n0,-1,5\n", "dst", "expected an NPU's number", 2},
    {"src,dst,bytes\n0,1,5 parsec\n", "bytes", "parsec", 2},
    {"src,dst,bytes,start\n0,1,5,soon\n", "start", "soon", 2},
    {"id,src,dst,bytes\n1,0,1,5\n1,1,2,5\n", "id", "already", 3},
    {"id,src,dst,bytes\n1,0,1,5\n,1,2,5\n", "id", "some have none", 3},
    {"id,src,dst,bytes,deps\n1,0,1,5,2\n", "deps", "no flow 2", 2},
    {"id,src,dst,bytes,deps\n1,0,1,5,1\n", "deps", "depends on itself", 2},
    {"id,src,dst,bytes,deps\n1,0,1,5,x\n", "deps", "expected ids", 2},
    {"{\"src\": 0, \"dst\": 1}", "bytes", "missing", 1},
    {"{\"src\": 0, \"dst\": 1, \"bytes\": 1, \"size\": 2}", "", "unknown key", 1},
    {"{\"src\": [], \"dst\": 1, \"bytes\": 1}", "src", "expected a number", 1},
    {"{\"src\": 0.5, \"dst\": 1, \"bytes\": 1}", "src", "expected an NPU's number", 1},
    {"{\"src\": 0, \"dst\": 1, \"bytes\": 1}\n{\"src\"", "", "", 2},
    {"{\"id\": -1, \"src\": 0, \"dst\": 1, \"bytes\": 1}", "id", "not negative", 1},
    {"{\"src\": 0, \"dst\": 1, \"bytes\": 1, \"deps\": 1}", "deps", "expected a list", 1},
    {"Nodes 2\n0-1 size 5\n", "", "SOURCE->DESTINATION", 2},
    {"Nodes 2\n0->1 start 5\n", "size", "no size", 2},
    {"Nodes 2\n0->1 size\n", "", "without its number", 2},
    {"Nodes 2\n0->1 size big\n", "size", "whole number", 2},
    {"Nodes 2\n0->1 size 5 weight 3\n", "", "unknown word", 2},
    {"Nodes 2\n0->1 size 5 trigger 3\n", "trigger", "no flow fires", 2},
};

START_TEST(mistakes_are_told_with_their_place)
{
    struct traffic traffic;
    struct diag diag = DIAG_NONE;
    traffic_init(&traffic);
    flow_file_parse(&traffic, "flows", bad[_i].text, strlen(bad[_i].text), &diag);
    ck_assert_int_eq(diag.status, STATUS_BAD_INPUT);
    ck_assert_str_eq(diag.file, "flows");
    ck_assert_str_eq(diag.field, bad[_i].field);
    ck_assert_msg(strstr(diag.message, bad[_i].message) != NULL, "%s", diag.message);
    if (bad[_i].line)
        ck_assert_uint_eq(diag.at, bad[_i].line);
    traffic_release(&traffic);
}
END_TEST

/* -- checks ------------------------------------------------------------------------------------ */

START_TEST(ends_must_be_two_npus_of_the_network)
{
    struct traffic traffic;
    struct diag diag = DIAG_NONE, other = DIAG_NONE;
    traffic_init(&traffic);
    traffic_add(&traffic, 0, 4, 1);
    ck_assert_int_eq(traffic_check(&traffic, 5, &diag), STATUS_OK);
    ck_assert_int_eq(traffic_check(&traffic, 4, &diag), STATUS_BAD_INPUT);
    traffic_add(&traffic, 2, 2, 1);
    ck_assert_int_eq(traffic_check(&traffic, 5, &other), STATUS_BAD_INPUT);
    ck_assert(strstr(other.message, "to itself") != NULL);
    traffic_release(&traffic);
}
END_TEST

START_TEST(circles_are_found)
{
    static const char text[] =
        "id,src,dst,bytes,deps\n5,0,1,1,\n6,0,1,1,5 8\n7,0,1,1,6\n8,0,1,1,7\n"
        "9,0,1,1,8\n";
    struct traffic traffic;
    struct diag diag = DIAG_NONE;
    traffic_init(&traffic);
    ck_assert_int_eq(flow_file_parse(&traffic, "flows", text, sizeof text - 1, &diag), STATUS_OK);
    ck_assert_int_eq(traffic_check(&traffic, 2, &diag), STATUS_BAD_INPUT);
    /* 9 waits for the circle but is not of it. */
    ck_assert_msg(strstr(diag.message, "flow 6") || strstr(diag.message, "flow 7") ||
                      strstr(diag.message, "flow 8"),
                  "%s", diag.message);
    traffic_release(&traffic);
}
END_TEST

static Suite *traffic_suite(void)
{
    Suite *suite = suite_create("traffic");
    TCase *tcase = tcase_create("traffic");
    tcase_add_loop_test(tcase, counts_of_flows, 0, sizeof sizes / sizeof *sizes);
    tcase_add_loop_test(tcase, permutations_are_ones, 0, 20);
    tcase_add_loop_test(tcase, flows_wait_for_what_their_sender_got, 0, 3);
    tcase_add_loop_test(tcase, patterns_that_do_not_fit, 0, sizeof misfits / sizeof *misfits);
    tcase_add_loop_test(tcase, forms_of_a_file, 0, sizeof forms / sizeof *forms);
    tcase_add_loop_test(tcase, mistakes_are_told_with_their_place, 0, sizeof bad / sizeof *bad);
    tcase_add_test(tcase, ends_must_be_two_npus_of_the_network);
    tcase_add_test(tcase, circles_are_found);
    suite_add_tcase(suite, tcase);
    return suite;
}

RUN_SUITE(traffic_suite())
